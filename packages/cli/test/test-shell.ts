/** Runs commands as functions, in the process of the test: what they print, and their exit code. */
import { keelson } from '../src/program.ts';
import type { Shell } from '../src/shell.ts';

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One command line, in a folder, with no terminal and no environment but what is given. */
export async function runKeelson(argv: readonly string[], given: Partial<Shell> = {}): Promise<Answer> {
  let [out, err] = ['', ''];
  const shell = testShell({
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ...given,
  });
  const code = await keelson(argv, shell);
  return { code, out, err };
}

/** A shell that prints nowhere, but for what is given. */
export function testShell(given: Partial<Shell>): Shell {
  return {
    cwd: process.cwd(),
    env: {},
    out() {},
    err() {},
    isInteractive: false,
    color: false,
    errColumns: () => undefined,
    confirm: () => Promise.reject(new Error('nobody is there to answer')),
    stopSignal: () => new AbortController().signal,
    ...given,
  };
}
