/** Asks an API server on this machine, again and again, until it says that it is ready. The same for both sides. */
import { request } from 'node:https';
import { type Clock, deadline, sleep } from '@keelson/core';

const withinMs = 120_000;
const pauseMs = 10;

/** When `/readyz` was answered with 200 for the first time, on the clock's monotonic scale. */
export async function firstAnswerAt(
  portOf: () => number | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  using limit = deadline(clock, withinMs, 'waiting for /readyz', signal);
  let known: number | undefined;
  for (;;) {
    known ??= portOf();
    if (known !== undefined && (await statusOf(known, limit.signal)) === 200) return clock.monotonic();
    await sleep(clock, pauseMs, limit.signal);
  }
}

function statusOf(port: number, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const message = request(
      // Neither side's authority is known yet, and nothing secret is sent.
      { host: '127.0.0.1', port, path: '/readyz', agent: false, rejectUnauthorized: false, signal },
      (response) => {
        response.resume().on('error', () => resolve(undefined));
        response.on('end', () => resolve(response.statusCode));
      },
    );
    message.on('error', () => resolve(undefined)); // nobody listens yet
    message.end();
  });
}
