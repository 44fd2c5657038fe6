/**
 * Schedules exactly as Kubernetes reads those of CronJobs: five fields, `@hourly` and its like, `@every 1h30m`.
 *
 * Promises: what Kubernetes refuses is refused, in its words; the next time is Kubernetes', around changes of the clocks
 * too. Pure: the time is given.
 */
import { CronError } from './cron-error.ts';
import { parseDuration } from './duration.ts';
import { type Bounds, type Field, parseField } from './field.ts';
import { isTimeZone, momentOf, wallClock } from './zoned-time.ts';

/** When something is due. */
export interface CronSchedule {
  /** The first time after `afterMs`, in milliseconds; `undefined` when there is none within five years. */
  next(afterMs: number): number | undefined;
}

/**
 * Reads a schedule of a CronJob; throws a `CronError`. Without a zone, times are those of UTC, as where Kubernetes'
 * controllers usually run.
 *
 * @example
 * const weekdays = parseCron('30 9 * * MON-FRI', 'Europe/Berlin');
 * weekdays.next(clock.now());
 */
export function parseCron(schedule: string, timeZone = 'UTC'): CronSchedule {
  if (schedule === '') throw new CronError('empty spec string');
  const prefix = /^(?:CRON_)?TZ=/.exec(schedule)?.[0];
  if (prefix === undefined) return parseSpec(schedule, timeZone);
  const space = schedule.indexOf(' ');
  // Go's parser fails in just this way, and the server passes it on.
  if (space === -1) throw new CronError('invalid schedule format: runtime error: slice bounds out of range [:-1]');
  const zone = schedule.slice(prefix.length, space) || 'UTC';
  if (!isTimeZone(zone)) throw new CronError(`provided bad location ${zone}: unknown time zone ${zone}`);
  return parseSpec(schedule.slice(space).trim(), zone);
}

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const minutes: Bounds = { min: 0, max: 59 };
const hours: Bounds = { min: 0, max: 23 };
const days: Bounds = { min: 1, max: 31 };
const months: Bounds = {
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const weekdays: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

function parseSpec(spec: string, timeZone: string): CronSchedule {
  const known = Object.hasOwn(descriptors, spec) ? descriptors[spec] : undefined;
  if (spec.startsWith('@every ')) return every(spec);
  if (spec.startsWith('@') && known === undefined) throw new CronError(`unrecognized descriptor: ${spec}`);
  const fields = (known ?? spec).split(/\s+/u).filter((field) => field !== '');
  if (fields.length !== 5) {
    throw new CronError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  return new FieldSchedule(
    {
      minute: parseField(minute, minutes),
      hour: parseField(hour, hours),
      day: parseField(day, days),
      month: parseField(month, months),
      weekday: parseField(weekday, weekdays),
    },
    timeZone,
  );
}

/** In whole seconds, one at least. */
function every(spec: string): CronSchedule {
  try {
    const delayMs = Math.max(1000, Math.floor(parseDuration(spec.slice('@every '.length)) / 1000) * 1000);
    return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + delayMs };
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    throw new CronError(`failed to parse duration ${spec}: ${error.message}`);
  }
}

type Fields = Readonly<Record<'minute' | 'hour' | 'day' | 'month' | 'weekday', Field>>;

const hourMs = 3_600_000;
const minuteMs = 60_000;

class FieldSchedule implements CronSchedule {
  readonly #fields: Fields;
  readonly #timeZone: string;

  constructor(fields: Fields, timeZone: string) {
    this.#fields = fields;
    this.#timeZone = timeZone;
  }

  /** From the largest field to the smallest: what does not fit is raised, and what is smaller begins anew. */
  next(afterMs: number): number | undefined {
    const { minute, hour, month } = this.#fields;
    // A field such as `,` is allowed, and never comes: no need to look at every minute of five years.
    if (minute.values.size === 0 || hour.values.size === 0) return undefined;
    const zone = this.#timeZone;
    let ms = Math.ceil((Math.floor(afterMs / 1000) * 1000 + 1000) / minuteMs) * minuteMs;
    const lastYear = wallClock(ms, zone).getUTCFullYear() + 5;
    for (let isRaised = false; ; isRaised = true) {
      const now = wallClock(ms, zone);
      const [year, monthIndex, day, hours] = [
        now.getUTCFullYear(),
        now.getUTCMonth(),
        now.getUTCDate(),
        now.getUTCHours(),
      ];
      const begin = isRaised ? hours : 0;
      if (year > lastYear) return undefined;
      if (!month.values.has(monthIndex + 1)) ms = momentOf(zone, year, monthIndex + 1, 1, begin);
      else if (!this.#isDay(now)) ms = atMidnight(momentOf(zone, year, monthIndex, day + 1, begin), zone);
      else if (!hour.values.has(hours)) ms = (isRaised ? ms : momentOf(zone, year, monthIndex, day, hours)) + hourMs;
      else if (!minute.values.has(now.getUTCMinutes())) ms += minuteMs;
      else return ms;
    }
  }

  /** A day fits when both of its fields do, or one of them if neither says "any". */
  #isDay(now: Date): boolean {
    const { day, weekday } = this.#fields;
    const [fitsDay, fitsWeekday] = [day.values.has(now.getUTCDate()), weekday.values.has(now.getUTCDay())];
    return day.isAny || weekday.isAny ? fitsDay && fitsWeekday : fitsDay || fitsWeekday;
  }
}

/** The clocks may have changed overnight. */
function atMidnight(ms: number, timeZone: string): number {
  const hour = wallClock(ms, timeZone).getUTCHours();
  return hour === 0 ? ms : ms + (hour > 12 ? 24 - hour : -hour) * hourMs;
}
