/**
 * Control loop: the workers of one controller, from its queue to its `sync`.
 *
 * Promises: nothing is worked on before all watches are complete; a key is with one worker; a failure is retried with
 * growing delay for as long as the loop runs.
 */
import type { Informer, WorkQueue } from '@keelson/client';
import { causesOf, isConflict } from '@keelson/core';
import type { ControllerContext, RunningController } from './context.ts';

export interface LoopOptions {
  readonly name: string;
  readonly queue: WorkQueue;
  /** Must have their first list before work begins. */
  readonly informers: readonly Pick<Informer, 'synced'>[];
  readonly sync: (key: string) => Promise<void>;
  /** Keys that are worked on at the same time. @default 5, as in kube-controller-manager */
  readonly workers?: number;
}

export function startLoop(context: ControllerContext, options: LoopOptions): RunningController {
  const { signal } = context;
  const { queue, informers, workers = 5 } = options;
  const aborted = whenAborted(signal);
  // An informer that is stopped before its first list rejects. That is the end, and no matter of synchronisation.
  const synced = Promise.all(informers.map((informer) => informer.synced)).then(
    () => {},
    () => new Promise<void>(() => {}),
  );
  const run = async () => {
    await Promise.race([synced, aborted]);
    const running = signal.aborted
      ? []
      : Array.from({ length: workers }, () => worker(context, { ...options, workers }));
    await aborted;
    queue.shutDown();
    await Promise.all(running);
  };
  return { synced, stopped: run() };
}

/** What a `sync` throws when time alone will mend it: retried like a failure, and no reason for a warning. */
export class TryAgain extends Error {}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function worker(context: ControllerContext, { name, queue, sync }: LoopOptions): Promise<void> {
  for (let item = await queue.get(); item; item = await queue.get()) {
    const { key } = item;
    try {
      await sync(key);
      queue.forget(key);
    } catch (error) {
      retry(context, { name, queue, key }, error);
    } finally {
      queue.done(key);
    }
  }
}

function retry(
  { logger, signal }: ControllerContext,
  { name, queue, key }: { readonly name: string; readonly queue: WorkQueue; readonly key: string },
  error: unknown,
): void {
  if (signal.aborted) return;
  if (isNamespaceTerminating(error)) {
    queue.forget(key); // every further attempt would fail in the same way
    return;
  }
  const retryInMs = queue.addRateLimited(key);
  const fields = { controller: name, key, error, retryInMs };
  if (isConflict(error) || error instanceof TryAgain) logger.debug('Not yet', fields);
  else logger.warn('Sync failed', fields);
}

/** Nothing can be created in a namespace that is going. */
export function isNamespaceTerminating(error: unknown): boolean {
  return causesOf(error).some(({ reason }) => reason === 'NamespaceTerminating');
}
