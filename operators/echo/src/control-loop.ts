/**
 * Workers that take keys from one queue: a key is with one worker at a time, and never waits twice.
 *
 * A key names its kind and its object, nothing else: why it waits is forgotten, so that many events are one pass.
 */
import type { WorkQueue } from '@keelson/client';
import { isInvalid, type Kind, type NamespacedName } from '@keelson/core';
import { Echo, ScheduledEcho } from './api/v1alpha1.ts';
import type { EchoContext } from './context.ts';
import type { EchoLogger } from './logger.ts';
import { reconcileEcho } from './reconcile-echo.ts';
import { reconcileScheduledEcho } from './reconcile-scheduled-echo.ts';
import { report } from './report.ts';
import { type Reported, toldOfFailure } from './status.ts';

/** `Echo default/hello`. */
export type WorkKey = `${'Echo' | 'ScheduledEcho'} ${NamespacedName}`;

const reconcilers: Readonly<Record<string, typeof reconcileEcho>> = {
  Echo: reconcileEcho,
  ScheduledEcho: reconcileScheduledEcho,
};

/** When to try again what the API server refuses as it is. */
const refusedMs = 10 * 60_000;

export interface WorkersOptions {
  readonly queue: WorkQueue<WorkKey>;
  readonly count: number;
  readonly context: EchoContext;
  readonly logger: EchoLogger;
  /** Hears of every pass, and whether it failed. */
  readonly onPass: (kind: string, error?: unknown) => void;
}

/** Works until the queue is shut down or the signal is aborted; resolves when the last pass has ended. */
export async function runWorkers({ count, ...options }: WorkersOptions): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => runWorker(options)));
}

async function runWorker({ queue, context, logger, onPass }: Omit<WorkersOptions, 'count'>): Promise<void> {
  for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
    const [kind, key] = item.key.split(' ') as [string, NamespacedName];
    try {
      await reconcilers[kind]?.(key, context);
      queue.forget(item.key);
      onPass(kind);
    } catch (error) {
      onPass(kind, error);
      const wasTold = await tell(kind, key, context, error, logger);
      // What the API server refuses is mostly for the user to change, which wakes us; a policy of the cluster is not.
      const isTheirs = isInvalid(error) && wasTold;
      if (isTheirs) queue.addAfter(item.key, refusedMs);
      const retryMs = isTheirs ? refusedMs : queue.addRateLimited(item.key);
      logger.warn('A pass failed and is tried again', { kind, key, retryMs, error });
    } finally {
      queue.done(item.key);
    }
  }
}

/** Puts the failure into the status, and says whether it is there now. */
async function tell(
  kind: string,
  key: NamespacedName,
  context: EchoContext,
  error: unknown,
  logger: EchoLogger,
): Promise<boolean> {
  const [described, store]: readonly [Kind, { get(key: NamespacedName): Reported | undefined }] =
    kind === Echo.kind ? [Echo, context.echos] : [ScheduledEcho, context.scheduledEchos];
  const object = store.get(key);
  if (object === undefined) return true;
  try {
    await report(context, described, object, toldOfFailure(object, error));
    return true;
  } catch (second) {
    logger.debug('The status could not be written', { kind, key, error: second });
    return false;
  }
}
