/** Lists of completion indexes (`0,2-5,7`) as the API server checks them. */

type Interval = readonly [number, number];

/** An interval, or what is wrong with it. */
function intervalOf(text: string, completions: number): Interval | string {
  const parts = text.split('-');
  if (parts.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const part of parts) {
    if (!/^[-+]?\d+$/.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
    if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`;
    numbers.push(Number(part));
  }
  const [first = 0, last = first] = numbers;
  return numbers.length === 2 && first >= last ? outOfOrder(first, last) : [first, last];
}

const outOfOrder = (previous: number, current: number): string =>
  `non-increasing order, previous: ${previous}, current: ${current}`;

const intervalsOf = (text: string, completions: number): readonly (Interval | string)[] =>
  text === '' ? [] : text.split(',').map((part) => intervalOf(part, completions));

/** What is wrong with the list; `undefined` when it is fine. */
export function indexesProblem(text: string, completions: number): string | undefined {
  let previous = -1;
  for (const interval of intervalsOf(text, completions)) {
    if (typeof interval === 'string') return interval;
    if (previous >= interval[0]) return outOfOrder(previous, interval[0]);
    previous = interval[1];
  }
  return undefined;
}

/** How many indexes the list has; none, if something is wrong with it. */
export function totalIndexes(text: string, completions: number): number {
  if (indexesProblem(text, completions) !== undefined) return 0;
  return intervalsOf(text, completions).reduce(
    (total, interval) => (typeof interval === 'string' ? total : total + interval[1] - interval[0] + 1),
    0,
  );
}

/** The first index that is in both lists; what cannot be read is in none. */
export function sharedIndex(a: string, b: string, completions: number): number | undefined {
  for (const left of intervalsOf(a, completions)) {
    for (const right of intervalsOf(b, completions)) {
      if (typeof left === 'string' || typeof right === 'string') continue;
      if (left[0] <= right[1] && right[0] <= left[1]) return Math.max(left[0], right[0]);
    }
  }
  return undefined;
}
