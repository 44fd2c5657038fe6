/** How long a DaemonSet waits before it deletes yet another failed pod of the same node: 1 s, then 2 s, up to 15 min. */
const firstMs = 1000;
const maxMs = 15 * 60 * 1000;

export class FailedPods {
  readonly #known = new Map<string, { readonly delayMs: number; readonly sinceMs: number }>();

  /** In how many milliseconds the next one may go; 0 when it may go now, and that is noted. */
  waitMs(key: string, nowMs: number): number {
    const { delayMs = 0, sinceMs = nowMs } = this.#known.get(key) ?? {};
    const leftMs = sinceMs + delayMs - nowMs;
    if (leftMs > 0) return leftMs;
    const isLongAgo = nowMs - sinceMs > 2 * maxMs;
    const nextMs = delayMs === 0 || isLongAgo ? firstMs : Math.min(delayMs * 2, maxMs);
    this.#known.set(key, { delayMs: nextMs, sinceMs: nowMs });
    return 0;
  }

  forget(prefix: string): void {
    for (const key of this.#known.keys()) if (key.startsWith(prefix)) this.#known.delete(key);
  }
}
