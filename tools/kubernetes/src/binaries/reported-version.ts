/** Asks a program for its version. Only for programs that others put there: the cache is keyed by version. */
import { UserFacingError } from '../machine/user-facing-error.ts';
import { type Command, lastLine, run } from '../processes/run.ts';
import type { Program } from './programs.ts';

export async function reportedVersion(program: Program, path: string): Promise<string> {
  if (program === 'pause') return '';
  const command: Command = program === 'kubectl' ? [path, 'version', '--client'] : [path, '--version'];
  const answer = await run(command).catch((error: unknown) => ({ code: 1, stdout: '', stderr: String(error) }));
  const version = answer.code === 0 ? versionIn(answer.stdout) : undefined;
  if (version) return version;
  throw new UserFacingError(
    `KUBEBUILDER_ASSETS is wrong: ${path} does not tell its version (${lastLine(answer.stderr) || lastLine(answer.stdout) || 'it prints nothing'}).`,
  );
}

/** `Kubernetes v1.36.4`, `Client Version: v1.36.4`, `etcd Version: 3.6.16`, or `v1.36.4` alone. */
export function versionIn(output: string): string | undefined {
  const [, version] = /^(?:(?:Kubernetes|Client Version:|etcd Version:) v?|v)(\d+\.\d+\.\d\S*)/m.exec(output) ?? [];
  return version && `v${version}`;
}
