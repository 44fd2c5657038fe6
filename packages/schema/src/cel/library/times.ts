/** Parts of times and durations, in UTC or a time zone that is given. */
import { type Library, overload } from '../language/environment.ts';
import { CelError, type Duration, type Timestamp, type Value } from '../language/values.ts';

/** Shifts a time by its zone's offset, so that its parts in UTC are those of the zone. */
function inZone({ seconds }: Timestamp, zone: Value | undefined): Date | CelError {
  const milliseconds = seconds * 1000;
  if (zone === undefined) return new Date(milliseconds);
  const name = zone as string;
  const fixed = /^([+-])?(\d{2}):(\d{2})$/.exec(name);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return new Date(milliseconds + (fixed[1] === '-' ? -minutes : minutes) * 60_000);
  }
  try {
    const offset = new Intl.DateTimeFormat('en-US', { timeZone: name || 'UTC', timeZoneName: 'longOffset' })
      .formatToParts(milliseconds)
      .find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign = '+', hours = '0', minutes = '0', rest = '0'] =
      /GMT([+-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(offset ?? '') ?? [];
    const shift = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
    return new Date(milliseconds + (sign === '-' ? -shift : shift) * 1000);
  } catch {
    return new CelError(`unknown time zone ${name}`);
  }
}

type Part = (date: Date, time: Timestamp) => number;

function part(name: string, read: Part): Library {
  const run = (time: Value, zone?: Value): Value => {
    const date = inZone(time as Timestamp, zone);
    return date instanceof CelError ? date : BigInt(read(date, time as Timestamp));
  };
  return [overload(`timestamp.${name}(): int`, run), overload(`timestamp.${name}(string): int`, run)];
}

function dayOfYear(date: Date): number {
  const first = new Date(0);
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - first.getTime()) / 86_400_000);
}

/** Parts of a duration are the whole of it in that unit. */
function whole(name: string, nanos: bigint): Library {
  return [overload(`duration.${name}(): int`, (value) => (value as Duration).nanos / nanos)];
}

/** Parts of points in time, and of spans. */
export const times: Library = [
  ...part('getFullYear', (date) => date.getUTCFullYear()),
  ...part('getMonth', (date) => date.getUTCMonth()),
  ...part('getDayOfYear', dayOfYear),
  ...part('getDayOfMonth', (date) => date.getUTCDate() - 1),
  ...part('getDate', (date) => date.getUTCDate()),
  ...part('getDayOfWeek', (date) => date.getUTCDay()),
  ...part('getHours', (date) => date.getUTCHours()),
  ...whole('getHours', 3_600_000_000_000n),
  ...part('getMinutes', (date) => date.getUTCMinutes()),
  ...whole('getMinutes', 60_000_000_000n),
  ...part('getSeconds', (date) => date.getUTCSeconds()),
  ...whole('getSeconds', 1_000_000_000n),
  ...part('getMilliseconds', (_, { nanos }) => Math.floor(nanos / 1_000_000)),
  overload('duration.getMilliseconds(): int', (value) => (value as Duration).nanos / 1_000_000n),
];
