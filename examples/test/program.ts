/** Runs an example as a person would: a program of its own, with the kubeconfig in the environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { deadline } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

export interface Program extends AsyncDisposable {
  /** Resolves when this text was printed; rejects when the program ended without it. */
  printed(text: string): Promise<void>;
  /** Waits for the end, or asks for it. */
  ended(signal?: 'SIGTERM'): Promise<Ending>;
}

export interface Ending {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** `name` is that of the file below `examples`, such as `client/lead-alone`. */
export function runExample(name: string, kubeconfig: string, ...args: string[]): Program {
  const file = fileURLToPath(new URL(`../${name}.ts`, import.meta.url));
  const child = spawn(execPath, [file, ...args], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  let onOutput = () => {};
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    onOutput();
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const closed = once(child, 'close');
  return {
    async printed(text) {
      using limit = deadline(systemClock, 300_000, `${name} prints "${text}"`);
      await new Promise<void>((resolve, reject) => {
        const without = (what: string) => reject(new Error(`${name} ${what} "${text}":\n${output}${errors}`));
        onOutput = () => output.includes(text) && resolve();
        onOutput();
        limit.signal.addEventListener('abort', () => without('has not printed in a minute'), { once: true });
        void closed.then(() => without('ended without printing'));
      });
    },
    ended: async (signal) => {
      if (signal) child.kill(signal);
      const [code] = (await closed) as [number | null];
      return { code, lines: output.trimEnd().split('\n'), errors };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
