/** Runs an informer for as long as the test does, however that ends: one left running would keep its process alive. */
import type { OwnInformer } from '../src/index.ts';

export function runInformer(informer: Pick<OwnInformer, 'start'>): AsyncDisposable {
  const controller = new AbortController();
  const stopped = informer.start(controller.signal);
  return {
    async [Symbol.asyncDispose]() {
      controller.abort();
      await stopped;
    },
  };
}
