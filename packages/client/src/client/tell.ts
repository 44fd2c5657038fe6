/**
 * Tells an observer something. What the observer makes of it, failing included, is no part of the call: a request that
 * the server has carried out must not fail because somebody could not write that down.
 */
export function tell(observe: () => unknown): void {
  try {
    const result = observe();
    // Where a function that returns nothing will do, so will an asynchronous one, whose failure would end the process.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(() => {});
  } catch {
    // It is the observer's own.
  }
}
