/** Kubernetes' own controllers for an API server that somebody else runs, such as the embedded one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@keelson/core/system';
import { findPrograms } from './binaries/lookup.ts';
import { progressTo } from './machine/progress.ts';
import { run } from './processes/run.ts';

/**
 * Runs kube-controller-manager, which is built if need be, until it is disposed. `controllers` are what its flag of that
 * name takes. Disposing throws if it had ended before by itself.
 */
export async function startControllerManager(
  kubeconfig: string,
  controllers: readonly string[] = ['*'],
): Promise<AsyncDisposable> {
  const progress = progressTo(process.stderr, systemClock);
  const context = { env: process.env, clock: systemClock, random: systemRandom, progress };
  const program = (await findPrograms(['kube-controller-manager'], undefined, context)).path('kube-controller-manager');
  const folder = await mkdtemp(join(tmpdir(), 'keelson-controller-manager-'));
  const file = join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig, { mode: 0o600 });
  const stop = new AbortController();
  const ended = run(
    [
      program,
      ...['', 'authentication-', 'authorization-'].map((which) => `--${which}kubeconfig=${file}`),
      `--controllers=${controllers.join(',')}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--kube-api-qps=1000',
      '--kube-api-burst=2000',
    ],
    { signal: stop.signal },
  ).then(
    ({ code, stderr }) => new Error(`kube-controller-manager ended with ${code}: ${stderr.slice(-2000)}`),
    (error: unknown) => (stop.signal.aborted ? undefined : error),
  );
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      const failure = await ended;
      await rm(folder, { recursive: true });
      if (failure !== undefined) throw failure;
    },
  };
}
