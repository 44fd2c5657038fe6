/**
 * Calls a function that somebody else gave us to observe with. What he makes of it, failing included, is no part of our
 * work: a request that the server has carried out must not fail, and a stream not end, because somebody could not write
 * that down. Without `onFailure` his failure is dropped: who hears of failures has nobody to tell his own to.
 */
export function tell(observe: () => unknown, onFailure: (error: unknown) => void = () => {}): void {
  try {
    const result = observe();
    // Where a function that returns nothing will do, so will an asynchronous one, whose failure would end the process.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}
