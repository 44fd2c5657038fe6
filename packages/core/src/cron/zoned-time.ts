/**
 * Wall clocks of the world: what time it is somewhere, and when it is that time there. By Intl, which knows the zones.
 *
 * Around a change of the clocks it does what Go does: of a time that comes twice it takes one, and of one that never
 * comes it makes one that lies as far after the change.
 */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Whether Kubernetes knows a zone of this name. It minds the case of letters, which Intl does not, and offsets are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z]/.test(name)) return false;
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function offsetAt(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

/** What a clock in the zone shows, as a Date whose UTC fields are to be read. */
export const wallClock = (ms: number, timeZone: string): Date => new Date(ms + offsetAt(ms, timeZone));

/** The moment at which a clock in the zone shows this. Days and months may overflow, as in `Date.UTC`. */
export function momentOf(timeZone: string, year: number, month: number, day: number, hour = 0): number {
  const shown = Date.UTC(year, month, day, hour);
  const offset = offsetAt(shown, timeZone);
  const isRight = offsetAt(shown - offset, timeZone) === offset;
  return shown - (isRight ? offset : offsetAt(shown - offset, timeZone));
}

/** RFC 3339 in whole seconds, with the offset of the zone: `2026-07-01T09:00:00+02:00`. */
export function zonedTimestamp(ms: number, timeZone: string): string {
  const minutes = Math.round(offsetAt(ms, timeZone) / 60_000);
  const text = wallClock(ms, timeZone).toISOString().slice(0, 19);
  if (minutes === 0) return `${text}Z`;
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${text}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}
