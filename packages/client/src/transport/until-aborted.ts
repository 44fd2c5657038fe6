/** Waits no longer than until the signal is aborted. What comes all the same, later, goes to `onLate`. */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  onLate: (value: T) => void = () => {},
): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise
      .then((value) => (signal.aborted ? onLate(value) : resolve(value)), reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
