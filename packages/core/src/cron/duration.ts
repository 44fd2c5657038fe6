/** Durations as Go writes them: `90s`, `1h30m`, `1.5h`. */
import { CronError } from './cron-error.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // the micro sign
  μs: 1e-3, // the Greek letter
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** In milliseconds; throws with Go's own words. */
export function parseDuration(text: string): number {
  const invalid = () => new CronError(`time: invalid duration ${JSON.stringify(text)}`);
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return 0;
  if (unsigned === '') throw invalid();
  let [rest, total] = [unsigned, 0];
  while (rest !== '') {
    const [, number = '', unit = ''] = /^(\d*\.?\d*)([^\d.]*)/.exec(rest) ?? [];
    if (!/\d/.test(number)) throw invalid();
    if (unit === '') throw new CronError(`time: missing unit in duration ${JSON.stringify(text)}`);
    const factor = Object.hasOwn(unitMs, unit) ? unitMs[unit] : undefined;
    if (factor === undefined) {
      throw new CronError(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
    }
    total += Number(number) * factor;
    rest = rest.slice(number.length + unit.length);
  }
  if (total * 1e6 >= 2 ** 63) throw invalid();
  return text.startsWith('-') ? -total : total;
}
