/**
 * How the time of a function grows with its input, as a ratio. Time is that of the processor, so that a busy machine
 * changes nothing.
 *
 * The least of several runs is taken, and what looks steep is measured again: only what is steep every time is. What
 * takes seconds is not tried twice.
 */

/** Below this nothing is concluded. What is linear stays below it at the sizes of these tests; what is not is above it. */
const tooShortMs = 25;
/** A hundred times what any of them takes. */
const hopelessMs = 2000;
const attempts = 4;

function leastMs(run: () => unknown, times: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** The time of the larger input divided by that of the smaller one, if it is above `limit`, else something below it. */
export function growth(smaller: () => unknown, larger: () => unknown, limit: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < attempts && least >= limit; i++) {
    const long = leastMs(larger, 1);
    if (long < tooShortMs) return 0;
    if (long > hopelessMs) return Number.POSITIVE_INFINITY;
    least = Math.min(least, long / leastMs(smaller, 3));
  }
  return least;
}

/** Texts that have made readers slow: what nearly matches everywhere, what never ends, what nests. */
export const hostileTexts: readonly ((size: number) => string)[] = [
  ...['a', 'A', '1', '0', ' ', '-', '.', '/', ':', '%', '(', '"', '\\', '@', '\u00e9', '\u{1f600}'].map(
    (unit) => (size: number) => unit.repeat(size / unit.length),
  ),
  ...['ab', 'a.', '1.', 'a-', '1:', 'a@', '1s', '1 ', '%s', '()', '"a'].map(
    (unit) => (size: number) => unit.repeat(size / unit.length),
  ),
  (size) => `${' '.repeat(size)}x`,
  (size) => `x${' '.repeat(size)}x`,
  (size) => `${'1'.repeat(size)}x`,
  (size) => `1.${'1'.repeat(size)}`,
  (size) => `1.0.0-${'1'.repeat(size)}`,
  (size) => `1.0.0-${'a.'.repeat(size / 2)}a`,
  (size) => `${'1'.repeat(size)}s`,
  (size) => `0.${'1'.repeat(size)}s`,
  (size) => `"${'a'.repeat(size)}`,
  (size) => `http://${'a'.repeat(size)}`,
  (size) => `http://a/${'%41'.repeat(size / 3)}`,
  (size) => `2020-01-01T00:00:00.${'1'.repeat(size)}Z`,
  (size) => `%.${'1'.repeat(size)}f`,
  (size) => `a@${'a.'.repeat(size / 2)}a`,
  (size) => `${'('.repeat(size / 2)}${')'.repeat(size / 2)}a@b`,
];
