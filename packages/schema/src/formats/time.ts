/** Times as Go reads them: RFC 3339 with Go's leniency, and its words for what is wrong. */

/** A point in time, to the nanosecond. */
export interface Instant {
  /** Whole seconds since 1970, rounded down. */
  readonly seconds: number;
  readonly nanos: number;
}

const layout = '2006-01-02T15:04:05Z07:00';

/** `time.Parse(time.RFC3339, text)`: an hour of one digit and a comma before the fraction are accepted there. */
export function parseTime(text: string): Instant | { readonly problem: string } {
  let rest = text;
  const quoted = JSON.stringify(text);
  const unread = (element: string) => ({
    problem: `parsing time ${quoted} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${element}"`,
  });
  const outOfRange = (what: string) => ({ problem: `parsing time ${quoted}: ${what} out of range` });
  const take = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0];
    if (found !== undefined) rest = rest.slice(found.length);
    return found;
  };
  const numbers: number[] = [];
  const elements: readonly (readonly [string, RegExp, boolean])[] = [
    ['2006', /^\d{4}/, true],
    ['-', /^-/, false],
    ['01', /^\d{2}/, true],
    ['-', /^-/, false],
    ['02', /^\d{2}/, true],
    ['T', /^T/, false],
    ['15', /^\d{1,2}/, true],
    [':', /^:/, false],
    ['04', /^\d{2}/, true],
    [':', /^:/, false],
    ['05', /^\d{2}/, true],
  ];
  for (const [element, pattern, isNumber] of elements) {
    const found = take(pattern);
    if (found === undefined) return unread(element);
    if (!isNumber) continue;
    numbers.push(Number(found));
    const late = rangeProblem(numbers);
    if (late !== undefined && late !== 'day') return outOfRange(late);
  }
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  const fraction = take(/^[.,]\d+/)?.slice(1) ?? '';
  const zone = take(/^Z|^[+-]\d{2}:\d{2}/);
  if (zone === undefined) return unread('Z07:00');
  if (rest !== '') return { problem: `parsing time ${quoted}: extra text: ${JSON.stringify(rest)}` };
  if (rangeProblem(numbers) === 'day') return outOfRange('day');
  const offset = zone === 'Z' ? 0 : Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4)) * 60;
  if (Number(zone.slice(1, 3)) > 24) return outOfRange('time zone offset hour');
  if (Number(zone.slice(4)) > 60) return outOfRange('time zone offset minute');
  const utc = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
  return {
    seconds: zone.startsWith('-') ? utc + offset : utc - offset,
    nanos: Number(fraction.slice(0, 9).padEnd(9, '0')),
  };
}

/** The number read last, when no time has it. */
function rangeProblem(numbers: readonly number[]): string | undefined {
  const [year = 0, month = 1, day, hour, minute, second] = numbers;
  if (month < 1 || month > 12) return 'month';
  if (day !== undefined && (day < 1 || day > daysIn(year, month))) return 'day';
  if (hour !== undefined && hour > 23) return 'hour';
  if (minute !== undefined && minute > 59) return 'minute';
  if (second !== undefined && second > 59) return 'second';
  return undefined;
}

/** A full date, `2006-01-02`. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !('problem' in parseTime(`${text}T00:00:00Z`));
}

/**
 * Anything that holds a date, a "t" and a time passes, a fraction may begin with any character, and the first "t"
 * after the time ends it: so does the real server.
 */
export function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const parts = /^(\d{2}):(\d{2}):(\d{2})([^\n]\d+)?(z|[+-]\d{2}:\d{2})$/u.exec(time);
  return parts !== null && Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}

/** As metadata has it: `2020-01-01T00:00:00Z`. */
export function utcSeconds({ seconds }: Instant): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;
}

function daysIn(year: number, month: number): number {
  return daysFromCivil(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1) - daysFromCivil(year, month, 1);
}

// Date.UTC takes years before 100 for years of the twentieth century.
function daysFromCivil(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 86_400_000;
}
