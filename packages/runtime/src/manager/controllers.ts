/**
 * All controllers of an operator at work, and its tasks, from a signal to their last pass.
 *
 * Promises: when the signal is aborted no new pass begins; running ones finish, or are ended in their time, or are named
 * and given up. In a term of leadership every write is behind its guard, and a lost term ends all passes at once.
 */
import { type Client, createEventRecorder, type EventRecorderOptions, type Term } from '@keelson/client';
import type { Clock, Random } from '@keelson/core';
import { runTask, type Task, type TaskContext } from '../controller/task.ts';
import type { Logger } from '../log/logger.ts';
import { ControlLoop, type ControlLoopOptions } from '../loop/control-loop.ts';
import { aborted } from '../serving/aborted.ts';
import { type StopSchedule, stopSchedule } from './stop-schedule.ts';

export interface ControllersOptions {
  /** What each controller has for as long as the process lives. */
  readonly controllers: readonly Omit<ControlLoopOptions, 'client' | 'recorder' | 'clock' | 'random' | 'settings'>[];
  /** What runs beside them. */
  readonly tasks: readonly Task[];
  readonly settings: unknown;
  readonly logger: Logger;
  readonly client: Client;
  /** The name under which Events are recorded. */
  readonly name: string;
  readonly onEventError: NonNullable<EventRecorderOptions['onError']>;
  readonly gracePeriodMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Works until `signal` is aborted or the term is over. Rejects when passes did not stop. */
export async function runControllers(
  options: ControllersOptions,
  signal: AbortSignal,
  schedule: StopSchedule,
  term?: Term,
): Promise<void> {
  const { clock, random, name, settings, tasks, onEventError } = options;
  const client = term ? options.client.with({ guard: term.assertCurrent, signal: term.signal }) : options.client;
  await using recorder = createEventRecorder({
    client: client.with({ signal: schedule.requests }),
    controller: name,
    clock,
    random,
    onError: onEventError,
  });
  const loops = options.controllers.map(
    (parts) => new ControlLoop({ ...parts, client, recorder, settings, clock, random }),
  );
  const abortAll = (reason: unknown) => {
    for (const loop of loops) loop.abort(reason);
  };
  const end = new AbortController();
  const onEnd = () => end.abort(signal.reason);
  if (signal.aborted) onEnd();
  else signal.addEventListener('abort', onEnd, { once: true });
  const onTimeUp = () => abortAll(schedule.passes.reason);
  schedule.passes.addEventListener('abort', onTimeUp, { once: true });
  const onLost = () => {
    abortAll(term?.signal.reason);
    end.abort(term?.signal.reason);
  };
  term?.signal.addEventListener('abort', onLost, { once: true });
  using lost = term && stopSchedule(term.signal, clock, options.gracePeriodMs);
  let isOver = false;
  try {
    const unfinished = new Set(tasks.map((task) => task.name));
    const running = tasks.map(async (task) => {
      await runTask(task, taskContext(task, options, client, end.signal));
      unfinished.delete(task.name);
    });
    const giveUp = () => {
      if (isOver) return;
      const names = [...loops.flatMap((loop) => loop.unsettled), ...[...unfinished].map((task) => `task ${task}`)];
      const what = names.length === 1 ? 'One pass' : `${names.length} passes`;
      const message = `${what} did not stop although the signal was aborted: ${names.join(', ')}.`;
      options.logger.error(message); // at once: what is left to do may take the rest of the time
      throw new Error(message);
    };
    const work = [...loops.map((loop) => loop.run(end.signal)), ...running];
    // Who has nothing to do here answers webhooks, and stays for as long as all the others.
    const finished = work.length === 0 ? aborted(end.signal) : Promise.all(work);
    const patience = [aborted(schedule.patience), ...(lost ? [aborted(lost.patience)] : [])];
    await Promise.race([finished, Promise.race(patience).then(giveUp)]);
  } finally {
    isOver = true;
    signal.removeEventListener('abort', onEnd);
    schedule.passes.removeEventListener('abort', onTimeUp);
    term?.signal.removeEventListener('abort', onLost);
  }
}

/** What a task is given; its calls end with `signal`. */
function taskContext(
  { settings: schema }: Task,
  { settings, logger, clock }: Pick<ControllersOptions, 'settings' | 'logger' | 'clock'>,
  client: Client,
  signal: AbortSignal,
): TaskContext {
  return { client: client.with({ signal }), settings: schema && settings, logger, clock, signal };
}
