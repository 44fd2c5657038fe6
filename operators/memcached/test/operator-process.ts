/** The operator as a process of its own, so that it can be killed like one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface OperatorProcess extends AsyncDisposable {
  readonly pid: number;
  /** Everything it has logged, for the message of a failing test. */
  readonly log: () => string;
  isRunning(): boolean;
  /** Sends a signal and waits for the end. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export function startOperator(kubeconfig: string, options: readonly string[] = []): OperatorProcess {
  // Alone: the next one after a kill does not wait for the Lease of the killed one.
  const args = ['--kubeconfig', kubeconfig, '--no-leader-elect', '--log-format', 'json'];
  const ports = ['--health-port', '0', '--metrics-port', '0'];
  const child: ChildProcess = spawn(process.execPath, [main, ...args, ...ports, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (isRunning()) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    pid: child.pid ?? -1,
    log: () => log,
    isRunning,
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL');
    },
  };
}
