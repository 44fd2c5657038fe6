/** Our command as a person runs it, with the machine's own cache. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Finished, run } from '../../src/processes/run.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export function kube(...args: string[]): Promise<Finished> {
  return run([process.execPath, main, ...args]);
}

export function startKube(...args: string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], { stdio: 'ignore' });
}

/** The command's text for a shell. */
export const kubeInShell = `'${process.execPath}' '${main}'`;
