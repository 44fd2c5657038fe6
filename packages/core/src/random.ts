/** Randomness as a value that is passed in: jitter and generated names repeat when the seed repeats. */

/** Where chance comes from: jitter, generated names, uids. Never for secrets. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
  /** A version 4 UUID. */
  uuid(): string;
}

/** `value` stretched by up to `factor` of itself, as client-go's `wait.Jitter` does. */
export function jitter(random: Random, value: number, factor: number): number {
  return value + random.next() * factor * value;
}
