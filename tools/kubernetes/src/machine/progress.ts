/**
 * Tells a person what is going on, on standard error so that standard output stays for answers.
 *
 * Promises: an activity ends as exactly one line with its duration. On a terminal that line is live while the
 * activity runs; elsewhere (a log of CI) nothing is ever overwritten.
 */
import type { Clock, Timer } from '@keelson/core';

interface Activity {
  done(): void;
  failed(): void;
}

export interface Progress {
  say(line: string): void;
  begin(what: string): Activity;
}

export interface ProgressTarget {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export function progressTo(target: ProgressTarget, clock: Clock): Progress {
  return {
    say: (line) => void target.write(`${line}\n`),
    begin: (what) => (target.isTTY ? live(target, clock, what) : plain(target, clock, what)),
  };
}

function plain(target: ProgressTarget, clock: Clock, what: string): Activity {
  const startedAt = clock.monotonic();
  const end = (word: string) => target.write(`  ${what} ${word} ${duration(clock.monotonic() - startedAt)}\n`);
  return { done: () => void end('took'), failed: () => void end('failed after') };
}

function live(target: ProgressTarget, clock: Clock, what: string): Activity {
  const startedAt = clock.monotonic();
  const eraseLine = '\r\u001b[K';
  let timer: Timer;
  const elapsed = () => duration(clock.monotonic() - startedAt);
  const draw = () => {
    target.write(`${eraseLine}  ${what} … ${elapsed()}`);
    timer = clock.setTimer(1000, draw);
  };
  draw();
  const end = (word: string) => {
    timer[Symbol.dispose]();
    target.write(`${eraseLine}  ${what} ${word} ${elapsed()}\n`);
  };
  return { done: () => end('took'), failed: () => end('failed after') };
}

/** `3.2 s` below a minute, `5 min 43 s` above. */
export function duration(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
