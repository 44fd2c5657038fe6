/**
 * What all subjects have in common: a subject is a program that does one task in a process of its own and says what it
 * took. Time is taken from `@keelson/core/system`, which loads nothing else.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import { systemClock } from '@keelson/core/system';

/** Time on the clock and on the processors, all threads included, since the meter was made. */
export class Meter {
  readonly #begunMs = systemClock.monotonic();
  readonly #begunCpuMs = wholeCpuMs();

  wallMs(): number {
    return systemClock.monotonic() - this.#begunMs;
  }

  cpuMs(): number {
    return wholeCpuMs() - this.#begunCpuMs;
  }
}

/** What this process has used since it began, Node's own start and all imports included. */
export function wholeCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The most memory that this process ever held, as Linux counts it, in millions of bytes. */
export function peakMb(): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) * 1.024e-3;
}

/** Counts the connections that this process opens from now on, by whatever library. */
export function countConnections(): () => number {
  let opened = 0;
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    opened += 1;
    return Reflect.apply(connect, this, args) as Socket;
  } as typeof connect;
  return () => opened;
}

export type Figures = Readonly<Record<string, number>>;

/** Hands figures to the process that started this one. */
export function tell(figures: Figures): void {
  process.send?.(figures);
}

/** Waits for a word of the process that started this one. */
export async function told(): Promise<void> {
  await once(process, 'message');
}

/** Hears of events, and tells what they took when there were as many as expected. */
export class Burst {
  #left: number;
  readonly #all = new Meter();
  #sinceFirst: Meter | undefined;

  constructor(expected: number) {
    this.#left = expected;
  }

  seen(): void {
    this.#sinceFirst ??= new Meter();
    this.#left -= 1;
    if (this.#left === 0) tell({ cpuMs: this.#all.cpuMs(), wallMs: this.#sinceFirst.wallMs() });
  }
}

process.once('disconnect', () => process.exit()); // nobody wants to know any more
