/** Waits for something that other processes or sockets bring about. */
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

export async function until(
  condition: () => boolean | Promise<boolean>,
  { what = String(condition), timeoutMs = 120_000 }: { readonly what?: string; readonly timeoutMs?: number } = {},
): Promise<void> {
  using limit = deadline(systemClock, timeoutMs, `waiting for ${what}`);
  while (!(await condition())) await sleep(systemClock, 5, limit.signal);
}
