/** Durations as Go reads and writes them, in nanoseconds. */

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const limit = 2n ** 63n;

/** Undefined where 64 bits do not hold the number; a long one is not even read, which would take long. */
function int64(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, '');
  if (significant.length > 19) return undefined;
  const value = BigInt(significant || 0);
  return value < limit ? value : undefined;
}

/** `time.ParseDuration`: `1h30m`, `-1.5s`, `0`; undefined for anything else, and beyond 290 years. */
export function parseDuration(text: string): bigint | undefined {
  const isNegative = text.startsWith('-');
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  let total = 0n;
  while (rest !== '') {
    const part = /^(\d*)(?:\.(\d*))?([^\d.]+)/.exec(rest);
    const [found = '', whole = '', fraction = '', name = ''] = part ?? [];
    const unit = units.get(name);
    if (unit === undefined || whole + fraction === '') return undefined;
    const count = int64(whole);
    if (count === undefined) return undefined;
    // Digits beyond these change less than a nanosecond; Go does not read them either.
    const digits = fraction.slice(0, 18);
    total += count * unit + (BigInt(digits || 0) * unit) / 10n ** BigInt(digits.length);
    if (total > limit || (total === limit && !isNegative)) return undefined;
    rest = rest.slice(found.length);
  }
  return isNegative ? -total : total;
}

const second = 1_000_000_000n;
const words: readonly (readonly [bigint, ...string[]])[] = [
  [1n, 'ns', 'nano'],
  [1_000n, 'us', 'µs', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [second, 's', 'sec'],
  [60n * second, 'm', 'min'],
  [3600n * second, 'h', 'hr', 'hour'],
  [86_400n * second, 'd', 'day'],
  [604_800n * second, 'w', 'wk', 'week'],
];

/**
 * Besides Go's durations, anything that holds a number before a word for a unit, or before a longer one that begins
 * like the unit's last word: `22 ns`, `3 weeks`, and also `x3 daysy`. The real server does so.
 */
export function parseAnyDuration(text: string): bigint | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  // A number that no word follows is looked at once, and not again from each of its digits.
  for (const [, number = '', word = ''] of text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]*)/g)) {
    if (word === '') continue;
    const count = int64(number);
    if (count === undefined) return undefined;
    const name = word.toLowerCase();
    for (const [unit, ...variants] of words) {
      if (!variants.includes(name) && !name.startsWith(variants.at(-1) ?? '')) continue;
      total = BigInt.asIntN(64, (total ?? 0n) + count * unit);
    }
  }
  return total;
}
