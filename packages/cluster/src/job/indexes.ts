/**
 * Completion indexes of an Indexed Job: ordered intervals, and their text as a Job's status has it (`0,2-5,7`).
 *
 * Two neighbours stand side by side (`4,5`); three or more are a range. What lies beyond the completions, or cannot be
 * read, is left out.
 */
interface Interval {
  readonly first: number;
  readonly last: number;
}

/** In rising order, without overlaps. */
export type Indexes = readonly Interval[];

export function parseIndexes(text: string, completions: number): Indexes {
  const intervals = text.split(',').flatMap((part) => {
    const limits = part.split('-');
    const [first = completions, last = first] = limits.map(Number);
    if (!limits.every((limit) => /^\d+$/.test(limit)) || first >= completions) return [];
    return { first, last: Math.min(last, completions - 1) };
  });
  return union(intervals, []);
}

export function printIndexes(indexes: Indexes): string {
  return indexes
    .map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',');
}

export const indexesOf = (numbers: Iterable<number>): Indexes =>
  union(
    [...numbers].map((index) => ({ first: index, last: index })),
    [],
  );

export function union(a: Indexes, b: Indexes): Indexes {
  const result: { readonly first: number; last: number }[] = [];
  for (const { first, last } of [...a, ...b].sort((left, right) => left.first - right.first)) {
    const previous = result.at(-1);
    if (previous && first <= previous.last + 1) previous.last = Math.max(previous.last, last);
    else result.push({ first, last });
  }
  return result;
}

export const countOf = (indexes: Indexes): number =>
  indexes.reduce((count, { first, last }) => count + last - first + 1, 0);

export const includes = (indexes: Indexes, index: number): boolean =>
  indexes.some(({ first, last }) => first <= index && index <= last);

/** The lowest indexes below `completions` that are not taken, at most `count` of them. */
export function lowestFree(taken: Indexes, count: number, completions: number): readonly number[] {
  const free: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && free.length < count; candidate += 1) free.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return free;
}
