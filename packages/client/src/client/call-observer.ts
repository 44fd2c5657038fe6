/**
 * Calls a function that the caller of this library gave us to observe with. What it makes of that, failing included, is
 * no part of our work: a request that the server has carried out must not fail, and a stream not end, because an observer
 * could not write that down. Without `onFailure` its failure is dropped: that of an observer of failures has nowhere to go.
 */
export function callObserver(observe: () => unknown, onFailure: (error: unknown) => void = () => {}): void {
  try {
    const result = observe();
    // Where a function that returns nothing will do, so will an asynchronous one, whose failure would end the process.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}
