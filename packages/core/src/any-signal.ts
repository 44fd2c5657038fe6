/**
 * Several signals as one.
 *
 * `AbortSignal.any` is not used where an operator works: Node holds its result for as long as something listens to it
 * and no source is aborted, even when nobody else can reach any of them. An operator that ends without order, as every
 * crash in a test's process does, was held whole by it: 0.1 MB for each.
 */

/**
 * A signal that aborts with the first of `signals`, for its reason; those that are undefined never abort. Dispose it when
 * the work is over, or its listeners stay behind.
 */
export function anySignal(
  signals: readonly (AbortSignal | undefined)[],
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const sources = signals.filter((each) => each !== undefined);
  const onAbort = (event: Event) => controller.abort((event.target as AbortSignal).reason);
  const over = sources.find(({ aborted }) => aborted);
  if (over !== undefined) controller.abort(over.reason);
  else for (const source of sources) source.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const source of sources) source.removeEventListener('abort', onAbort);
    },
  };
}
