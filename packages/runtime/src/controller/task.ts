/**
 * Tasks: what an operator does beside its controllers for as long as it runs, such as polling, or serving something.
 *
 * Promises: a task that throws is reported and started again, later each time; its signal is aborted when it has to stop,
 * and it is waited for. One that needs leadership runs in each term, behind the term's guard.
 */
import type { Client } from '@keelson/client';
import { type Clock, type SettingsOf, type SettingsSchema, sleep, type TaskDeclaration } from '@keelson/core';
import type { Logger } from '../log/logger.ts';
import { errorOf } from '../log/thrown.ts';

/** What a task is given. */
export interface TaskContext<S = unknown> {
  /** The API server itself. Every call is ended when the task has to stop. */
  readonly client: Client;
  readonly settings: S;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborted when the task has to stop, or its term is over. */
  readonly signal: AbortSignal;
}

/** A task of any settings. */
export interface Task extends TaskDeclaration {
  readonly run: (context: TaskContext<never>) => Promise<void>;
}

/**
 * Declares a task of an operator. It runs until its signal is aborted, or ends earlier by returning.
 *
 * @example
 * const sweep = task({
 *   name: 'sweep',
 *   needs: [allow(ConfigMap, 'list', 'delete')],
 *   async run({ client, clock, signal }) {
 *     for (;;) {
 *       await removeOrphans(client);
 *       await sleep(clock, 3_600_000, signal);
 *     }
 *   },
 * });
 */
export function task<S extends SettingsSchema | undefined = undefined>(
  definition: TaskDeclaration & {
    readonly settings?: S;
    readonly run: (context: TaskContext<SettingsOf<S>>) => Promise<void>;
  },
): Task {
  return definition;
}

const firstDelayMs = 1000;
const longestDelayMs = 60_000;

/** Runs a task until it returns or `context.signal` is aborted. Never rejects. */
export async function runTask({ name, run }: Task, context: TaskContext): Promise<void> {
  const { logger, clock, signal } = context;
  logger.info('Starting task', { task: name });
  for (let delayMs = firstDelayMs; !signal.aborted; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    const begunMs = clock.monotonic();
    try {
      await run(context as TaskContext<never>);
      if (!signal.aborted) logger.info('The task has ended', { task: name });
      return;
    } catch (thrown) {
      if (signal.aborted) return;
      if (clock.monotonic() - begunMs > longestDelayMs) delayMs = firstDelayMs;
      logger.error('Task error', { task: name, error: errorOf(thrown, `task ${name}`), retryInMs: delayMs });
    }
    await sleep(clock, delayMs, signal).catch(() => {});
  }
}
