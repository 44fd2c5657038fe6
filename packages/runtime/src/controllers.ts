/**
 * All controllers of an operator at work, from a signal to their last pass.
 *
 * Promises: when the signal is aborted no new pass begins; running ones finish, or are ended in their time, or are named
 * and given up. In a term of leadership every write is behind its guard, and a lost term ends all passes at once.
 */
import { type Client, createEventRecorder, type EventRecorderOptions, type Term } from '@keelson/client';
import type { Clock, Random } from '@keelson/core';
import { ControlLoop, type ControlLoopOptions } from './control-loop.ts';
import { aborted, type StopSchedule, stopSchedule } from './stop-schedule.ts';

export interface ControllersOptions {
  /** What each controller has for as long as the process lives. */
  readonly controllers: readonly Omit<ControlLoopOptions, 'client' | 'recorder' | 'clock'>[];
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
  const { clock, random, name, onEventError } = options;
  const client = term ? options.client.with({ guard: term.assertCurrent, signal: term.signal }) : options.client;
  await using recorder = createEventRecorder({
    client: client.with({ signal: schedule.requests }),
    controller: name,
    clock,
    random,
    onError: onEventError,
  });
  const loops = options.controllers.map((parts) => new ControlLoop({ ...parts, client, recorder, clock }));
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
  const giveUp = () => {
    const names = loops.flatMap((loop) => loop.unsettled);
    const what = names.length === 1 ? 'One pass' : `${names.length} passes`;
    throw new Error(`${what} did not stop although the signal was aborted: ${names.join(', ')}.`);
  };
  try {
    const finished = Promise.all(loops.map((loop) => loop.run(end.signal)));
    const patience = [aborted(schedule.patience), ...(lost ? [aborted(lost.patience)] : [])];
    await Promise.race([finished, Promise.race(patience).then(giveUp)]);
  } finally {
    signal.removeEventListener('abort', onEnd);
    schedule.passes.removeEventListener('abort', onTimeUp);
    term?.signal.removeEventListener('abort', onLost);
  }
}
