/**
 * Trees whose result is made of the results below: worked out from the leaves up, with a list in place of recursion, so
 * that no depth of nesting is too much.
 */

/** A part of a tree that is being worked out. */
export interface Part<T> {
  /** The next part below that has to be worked out before this one; `undefined` when there is none left. */
  next(): Part<T> | undefined;
  /** What became of the part that `next` gave. */
  take(result: T): void;
  /** What became of this one, when all below it has been taken. */
  result(): T;
}

/** What becomes of a tree. */
export function workOut<T>(root: Part<T>): T {
  const open: Part<T>[] = [];
  let part = root;
  for (;;) {
    const below = part.next();
    if (below !== undefined) {
      open.push(part);
      part = below;
      continue;
    }
    const result = part.result();
    const above = open.pop();
    if (above === undefined) return result;
    above.take(result);
    part = above;
  }
}
