/** `npm start` as a process, without npm in between. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface StartProcess {
  /** Everything it has printed so far. */
  readonly printed: () => string;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

export function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): StartProcess {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  return {
    printed: () => printed,
    ended: once(child, 'close').then(([code]) => code as number | null),
    kill: (signal) => void child.kill(signal),
  };
}
