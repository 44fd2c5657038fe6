/** A process with the tests of a package in it, as the one who gives the orders sees it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import type { Timer } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import type { Answer, Order } from './worker.ts';

/** What a test may use before it counts as one that never ends. */
export interface Limits {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export class TestProcess {
  readonly #folder = mkdtempSync(join(tmpdir(), 'keelson-mutate-'));
  readonly #child: ChildProcess;
  /** What the worker says when it has loaded the tests. */
  readonly started: Promise<Answer>;

  /** `sources` are mutated; a mutant is given here if it is active while modules load. */
  constructor(sources: string, files: readonly string[], mutant?: string) {
    const preload = new URL('./preload.ts', import.meta.url).href;
    this.#child = fork(new URL('./worker.ts', import.meta.url), files, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {
        ...env,
        NODE_OPTIONS: `--import=${preload} --max-old-space-size=2048`,
        NODE_COMPILE_CACHE: join(tmpdir(), 'keelson-mutate-cache'),
        KEELSON_TESTS: '1',
        KEELSON_MUTATED: sources,
        KEELSON_REACHED: join(this.#folder, 'reached'),
        ...(mutant !== undefined && { KEELSON_MUTANT: mutant }),
      },
    });
    this.started = this.#answer({ cpuMs: 60_000, wallMs: 300_000 });
    this.started.catch(() => {}); // whoever waits for it is told
  }

  /** Runs a test; it rejects when the process is gone, by itself or since it went over a limit. */
  run(order: Order, limits: Limits): Promise<Answer> {
    this.#child.send(order);
    return this.#answer(limits);
  }

  async #answer(limits: Limits): Promise<Answer> {
    using watch = this.#watch(limits);
    const ended = new AbortController();
    const { signal } = ended;
    try {
      return await Promise.race([
        once(this.#child, 'message', { signal }).then(([answer]) => answer as Answer),
        once(this.#child, 'exit', { signal }).then(() => {
          throw new Error(watch.isOver ? 'It does not end.' : 'The process died.');
        }),
      ]);
    } finally {
      ended.abort();
    }
  }

  /** Ends the process when it goes over its limits: time that others took from it is not held against it. */
  #watch(limits: Limits): Disposable & { readonly isOver: boolean } {
    const deadlineMs = systemClock.monotonic() + limits.wallMs;
    const mostCpuMs = cpuMsOf(this.#child.pid) + limits.cpuMs;
    const state = { isOver: false };
    let timer: Timer;
    const look = () => {
      state.isOver = systemClock.monotonic() > deadlineMs || cpuMsOf(this.#child.pid) > mostCpuMs;
      if (state.isOver) this.#child.kill('SIGKILL');
      else timer = systemClock.setTimer(500, look);
    };
    timer = systemClock.setTimer(500, look);
    return Object.assign(state, { [Symbol.dispose]: () => timer[Symbol.dispose]() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      if (this.#child.connected) this.#child.disconnect();
      const kill = systemClock.setTimer(2000, () => this.#child.kill('SIGKILL'));
      await exited;
      kill[Symbol.dispose]();
    }
    rmSync(this.#folder, { recursive: true });
  }
}

/** What a process has used of a processor; 0 where the system does not tell. */
function cpuMsOf(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const [user, system] = readFileSync(file, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10;
}
