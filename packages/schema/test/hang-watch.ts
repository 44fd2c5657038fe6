/**
 * Ends a process whose one thread is busy with something that never ends, and says what it was: no test of that thread
 * could. Runs as a thread of its own when it is loaded as one.
 */
import { writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { systemClock } from '@keelson/core/system';

/** A hundred times what anything here takes, on a busy machine. */
const limitMs = 300_000;

export interface HangWatch extends AsyncDisposable {
  /** What is done from now on; it has its own time. */
  begin(name: string): void;
}

export function startHangWatch(): HangWatch {
  const worker = new Worker(new URL(import.meta.url));
  return {
    begin: (name) => worker.postMessage(name),
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

if (!isMainThread) {
  let timer: Disposable | undefined;
  parentPort?.on('message', (name: string) => {
    timer?.[Symbol.dispose]();
    timer = systemClock.setTimer(limitMs, () => {
      writeSync(2, `${name} did not end within ${limitMs / 1000} s\n`);
      process.kill(process.pid, 'SIGKILL');
    });
  });
}
