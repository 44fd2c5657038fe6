/** Waiting for a real server, which does things in its own time. */
import { sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

/** What `check` returns as soon as it returns anything; fails after five minutes. */
export async function eventually<T>(what: string, check: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = systemClock.monotonic() + 300_000;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (systemClock.monotonic() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(systemClock, 50);
  }
}
