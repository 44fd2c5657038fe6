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

/** What a test may use before it counts as one that never ends. Time that other programs take is not held against it. */
export interface Limits {
  readonly cpuMs: number;
  /** How long it may do nothing at a stretch. */
  readonly idleMs: number;
  /** Where the system does not tell of the other two. */
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
    this.started = this.#answer({ cpuMs: 60_000, idleMs: 60_000, wallMs: 300_000 });
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

  /** Ends the process when it goes over its limits. */
  #watch(limits: Limits): Disposable & { readonly isOver: boolean } {
    const deadlineMs = systemClock.monotonic() + limits.wallMs;
    const begun = usageOf(this.#child.pid);
    let last = begun;
    let idleMs = 0;
    const state = { isOver: false };
    const look = () => {
      const now = usageOf(this.#child.pid);
      idleMs = now.isAsleep && now.cpuMs === last.cpuMs ? idleMs + lookMs : 0;
      last = now;
      const isLate = systemClock.monotonic() > deadlineMs;
      state.isOver = isLate || idleMs > limits.idleMs || now.cpuMs - begun.cpuMs > limits.cpuMs;
      if (state.isOver) this.#child.kill('SIGKILL');
      else timer = systemClock.setTimer(lookMs, look);
    };
    let timer: Timer = systemClock.setTimer(lookMs, look);
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

const lookMs = 250;

/** What a process has used of a processor, and whether it waits for something else than that; nothing where the system does not tell. */
function usageOf(pid: number | undefined): { readonly cpuMs: number; readonly isAsleep: boolean } {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return { cpuMs: 0, isAsleep: false };
  const [state, ...numbers] = readFileSync(file, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const [user = 0, system = 0] = numbers.slice(10, 12).map(Number);
  return { cpuMs: (user + system) * 10, isAsleep: state === 'S' };
}
