/**
 * Event recorder: tells people what a controller did to an object, where `kubectl describe` shows it.
 *
 * Promises: recording returns at once and never throws; memory is bounded, however many events there are and whatever
 * the server does. The same event about the same object within six minutes becomes one event with a count, and so does
 * what differs in its message alone, from the tenth message in ten minutes on. An object that causes more than 25
 * different events has the rest dropped, but for one every five minutes.
 * Does not: promise that an event arrives. Status is for what must be known.
 */
import {
  type Clock,
  isAlreadyExists,
  isApiError,
  isNotFound,
  isServerError,
  isTransportError,
  type Random,
} from '@keelson/core';
import { Event } from '@keelson/core/events/v1';
import { systemClock, systemRandom } from '@keelson/core/system';
import { callObserver } from '../client/call-observer.ts';
import type { Client } from '../client/client.ts';
import { TokenBucket } from '../limits/token-bucket.ts';
import { BoundedMap } from './bounded-map.ts';
import {
  type EventSubject,
  eventName,
  eventNamespace,
  eventObject,
  eventSeries,
  type NewEvent,
  withoutBallast,
} from './event-object.ts';
import { SimilarEvents } from './similar-events.ts';

/** Tells people what happens to an object. Disposing it sends what still waits. */
export interface EventRecorder extends AsyncDisposable {
  /** Returns at once, never throws. The event is sent later, or dropped and reported when too many wait. */
  event(regarding: EventSubject, event: NewEvent): void;
  /** Resolves when everything that waits to be sent now was sent or given up. */
  flush(): Promise<void>;
}

/** Who speaks, and how much may wait. */
export interface EventRecorderOptions {
  readonly client: Client;
  /** Which controller speaks, such as `cache.example.com/memcached-operator`. */
  readonly controller: string;
  /** Which copy of it: the pod's name. @default the controller */
  readonly instance?: string | undefined;
  /** Events that may wait to be sent. @default 1000 */
  readonly maxPending?: number | undefined;
  /** Gets what could not be recorded, and why. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default systemRandom */
  readonly random?: Random | undefined;
}

/**
 * A recorder of Events, which people see in `kubectl describe`. Repetitions become one Event with a count.
 *
 * @example
 * await using recorder = createEventRecorder({ client, controller: 'example.com/scaler' });
 * recorder.event(deployment, { type: 'Normal', reason: 'Scaled', action: 'Scale', message: 'from 1 to 3' });
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new SeriesRecorder(options);
}

/** One event and its repetitions. */
interface Series {
  readonly regarding: EventSubject;
  readonly event: NewEvent;
  readonly name: string;
  readonly firstAt: number;
  /** Wall time, for people. */
  lastAt: number;
  /** Monotonic time, for us. */
  lastSeen: number;
  count: number;
  /** The count that the server has; 0 before the event exists. */
  sentCount: number;
  sentAt: number;
  /** Until what has to be written now is written or given up; at most one, so writes of a series keep their order. */
  task: Task | undefined;
  /** Rings when its count may be written again. */
  timer: Disposable | undefined;
  /** Nothing will be added to it any more. */
  isOver: boolean;
}

/** Something to write, for as long as it is neither written nor given up. */
interface Task {
  readonly series: Series;
  tries: number;
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

/** client-go's figures: a series ends after six quiet minutes; 4096 are remembered; 12 tries, 10 s apart. */
const seriesEndMs = 6 * 60_000;
const maxSeries = 4096;
const maxTries = 12;
const retryMs = 10_000;
/** client-go's spam filter for one object. */
const objectLimit = { qps: 1 / 300, burst: 25 };
/** How often a growing count is written. */
const seriesPatchMs = 30_000;
/** How long leaving may take. */
const farewellMs = 5_000;

class SeriesRecorder implements EventRecorder {
  readonly #client: Client;
  readonly #source: { readonly controller: string; readonly instance: string };
  readonly #maxPending: number;
  readonly #onError: (error: Error) => void;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #series = new BoundedMap<string, Series>({
    limit: maxSeries,
    isIdle: (series) => this.#isOver(series),
    onEvicted: (series) => this.#finish(series),
  });
  readonly #similar: SimilarEvents;
  readonly #limits = new BoundedMap<string, TokenBucket>({ limit: maxSeries, isIdle: (bucket) => bucket.isFull });
  /** All there are. */
  readonly #tasks = new Set<Task>();
  /** To be sent as soon as those before are. */
  readonly #ready: Task[] = [];
  /** Those that failed, with the timers that bring them back to the end of the line. */
  readonly #resting = new Map<Task, Disposable>();
  readonly #leaving = new AbortController();
  readonly #left = new AbortController();
  #isSending = false;

  constructor(options: EventRecorderOptions) {
    const { client, controller, instance = controller, maxPending = 1000, onError = () => {} } = options;
    const { clock = systemClock, random = systemRandom } = options;
    this.#source = { controller, instance };
    this.#maxPending = maxPending;
    this.#onError = onError;
    this.#clock = clock;
    this.#random = random;
    this.#similar = new SimilarEvents(clock, maxSeries);
    this.#client = client.with({ signal: this.#left.signal });
  }

  event(regarding: EventSubject, event: NewEvent): void {
    try {
      if (this.#leaving.signal.aborted) throw new Error('the recorder is closed');
      const series = this.#seriesOf(...withoutBallast(regarding, event));
      if (series) this.#send(series);
    } catch (error) {
      this.#report(regarding, event, error);
    }
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#tasks].map(({ settled }) => settled));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#leaving.signal.aborted) return this.flush();
    this.#leaving.abort();
    for (const series of this.#series.values()) {
      series.timer?.[Symbol.dispose]();
      if (series.count > series.sentCount) this.#enqueue(series);
    }
    for (const task of [...this.#resting.keys()]) this.#lineUp(task);
    using _ = this.#clock.setTimer(farewellMs, () => this.#left.abort(new Error('the recorder is closed')));
    await this.flush();
  }

  /** The series that this event continues or begins; nothing when the object has caused too many. */
  #seriesOf(regarding: EventSubject, said: NewEvent): Series | undefined {
    const subject = [...objectId(regarding), said.fieldPath];
    const event = this.#similar.combine([...subject, said.type, said.reason, said.action, said.related], said);
    const id = JSON.stringify([...subject, event.type, event.reason, event.action, event.message, event.related]);
    const now = this.#clock.monotonic();
    const known = this.#series.get(id);
    if (known && !this.#isOver(known)) {
      known.count += 1;
      known.lastAt = this.#clock.now();
      known.lastSeen = now;
      return known;
    }
    if (!this.#mayBegin(regarding)) return undefined;
    if (known) this.#finish(known);
    const unique = this.#random.uuid().replaceAll('-', '').slice(0, 16);
    const series: Series = {
      regarding,
      event,
      name: eventName(regarding, unique),
      firstAt: this.#clock.now(),
      lastAt: this.#clock.now(),
      lastSeen: now,
      count: 1,
      sentCount: 0,
      sentAt: Number.NEGATIVE_INFINITY,
      task: undefined,
      timer: undefined,
      isOver: false,
    };
    this.#series.set(id, series);
    return series;
  }

  #isOver({ lastSeen }: Series): boolean {
    return this.#clock.monotonic() - lastSeen >= seriesEndMs;
  }

  #mayBegin(regarding: EventSubject): boolean {
    const id = JSON.stringify(objectId(regarding));
    let limit = this.#limits.get(id);
    if (!limit) {
      limit = new TokenBucket(objectLimit, this.#clock);
      this.#limits.set(id, limit);
    }
    return limit.tryTake();
  }

  /** A new event goes at once, its growing count now and then. */
  #send(series: Series): void {
    if (series.task || series.timer) return;
    const waitMs = series.sentCount === 0 ? 0 : series.sentAt + seriesPatchMs - this.#clock.monotonic();
    if (waitMs <= 0) {
      this.#enqueue(series);
      return;
    }
    const timer = this.#clock.setTimer(waitMs, () => {
      series.timer = undefined;
      this.#enqueue(series);
    });
    timer.unref();
    series.timer = timer;
  }

  /** Its last count goes now or never. */
  #finish(series: Series): void {
    series.isOver = true;
    series.timer?.[Symbol.dispose]();
    series.timer = undefined;
    if (series.sentCount > 0 && series.count > series.sentCount) this.#enqueue(series);
  }

  #enqueue(series: Series): void {
    if (series.task) return;
    if (this.#ready.length + this.#resting.size >= this.#maxPending) {
      this.#report(series.regarding, series.event, new Error(`${this.#maxPending} others wait to be sent`));
      return;
    }
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const task = { series, tries: 0, settled, settle };
    series.task = task;
    this.#tasks.add(task);
    this.#lineUp(task);
  }

  #lineUp(task: Task): void {
    this.#resting.get(task)?.[Symbol.dispose]();
    this.#resting.delete(task);
    this.#ready.push(task);
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    await Promise.resolve(); // so that `event` never runs the client's code
    for (let task = this.#ready.shift(); task; task = this.#ready.shift()) await this.#try(task);
    this.#isSending = false;
  }

  /** What fails goes behind the others, and does not hold them up. */
  async #try(task: Task): Promise<void> {
    const { series } = task;
    task.tries += 1;
    try {
      do await this.#write(series);
      while (series.count > series.sentCount && (series.isOver || this.#leaving.signal.aborted));
    } catch (error) {
      const mayPass = isTransportError(error) || isServerError(error);
      if (mayPass && task.tries < maxTries && !this.#leaving.signal.aborted) {
        const waitMs = retryMs * (0.5 + this.#random.next());
        this.#resting.set(
          task,
          this.#clock.setTimer(waitMs, () => this.#lineUp(task)),
        );
        return;
      }
      this.#settle(task);
      if (!isNamespaceTerminating(error)) this.#report(series.regarding, series.event, error); // else the namespace goes anyway
      return;
    }
    this.#settle(task);
    if (series.count > series.sentCount) this.#send(series); // it was seen again while it was being sent
  }

  #settle(task: Task): void {
    task.series.task = undefined;
    this.#tasks.delete(task);
    task.settle();
  }

  async #write(series: Series): Promise<void> {
    const { regarding, event, name, firstAt, count, lastAt, sentCount } = series;
    const seen = { count, lastAt };
    if (sentCount > 0) {
      const key = `${eventNamespace(regarding)}/${name}`;
      try {
        await this.#client.patch(Event, key, { series: eventSeries(seen) });
        this.#noteSent(series, count);
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error; // the server forgets events after an hour: write it anew
      }
    }
    try {
      await this.#client.create(Event, eventObject(regarding, event, this.#source, { name, firstAt, seen }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error; // an earlier try arrived, only its answer did not
    }
    this.#noteSent(series, count);
  }

  #noteSent(series: Series, count: number): void {
    series.sentCount = count;
    series.sentAt = this.#clock.monotonic();
  }

  #report(regarding: Partial<EventSubject> | undefined, event: NewEvent | undefined, cause: unknown): void {
    const what = `event ${event?.reason} for ${regarding?.kind} ${regarding?.metadata?.name}`;
    const why = cause instanceof Error ? cause.message : String(cause);
    callObserver(() => this.#onError(new Error(`${what} was not recorded: ${why}`, { cause })));
  }
}

function objectId({ apiVersion, kind, metadata: { namespace, name, uid } }: EventSubject): readonly unknown[] {
  return [apiVersion, kind, namespace, name, uid];
}

function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiError(error) && (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}
