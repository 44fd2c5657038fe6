/**
 * Requests that do not end: an operator that asks or writes the same thing over and over while virtual time stands still.
 *
 * In process all of that happens in microtasks, so that nothing else would ever run: not the clock, not even the timeout
 * of a test runner. Here the real event loop gets a turn every few requests, and a request that is repeated without end
 * is reported with the object that it is about.
 */
import type { Transport, TransportRequest } from '@keelson/core';
import type { VirtualClock } from './virtual-clock.ts';

/** Requests between two turns of the event loop. */
const burst = 200;

/** How often one object can be written in one instant by someone who gets anywhere. */
const mostWrites = 200;

/** The same for requests that are not about one object, or only read: ten thousand objects may each list the nodes. */
const mostOthers = 50_000;

export interface RestlessOptions {
  readonly clock: VirtualClock;
  /** Whose requests they are, for the report. */
  readonly name: string;
  readonly onRestless: (error: Error) => void;
}

export function withBreath(transport: Transport, { clock, name, onRestless }: RestlessOptions): Transport {
  let requests = 0;
  let instantMs = -1;
  const counts = new Map<string, number>();

  const note = (request: TransportRequest) => {
    const nowMs = clock.monotonic();
    if (nowMs !== instantMs) counts.clear();
    instantMs = nowMs;
    const what = `${request.method} ${request.path.split('?')[0]}`;
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    const most = isWriteOfOneObject(request) ? mostWrites : mostOthers;
    if (count === most) onRestless(restless(name, what, nowMs, counts));
  };

  return {
    async request(request) {
      note(request);
      requests += 1;
      if (requests % burst === 0) await clock.breathe();
      return transport.request(request);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

const isWriteOfOneObject = ({ method }: TransportRequest): boolean => method !== 'GET' && method !== 'POST';

function restless(name: string, what: string, atMs: number, counts: ReadonlyMap<string, number>): Error {
  const others = [...counts].sort(([, a], [, b]) => b - a).slice(0, 5);
  const lines = others.map(([each, count]) => `  ${String(count).padStart(6)} × ${each}`);
  return new Error(
    [`${name} does not come to rest: ${what}, again and again while no time passes (at ${atMs} ms).`, ...lines].join(
      '\n',
    ),
  );
}
