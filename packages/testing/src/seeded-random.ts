/** Randomness that repeats: the same seed gives the same numbers and the same UUIDs. */
import type { Random } from '@keelson/core';

/** The 32-bit generator known as mulberry32: small, fast, and good enough for jitter and names. Never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    uuid: () =>
      'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => {
        const nibble = Math.floor(next() * 16);
        return (place === 'x' ? nibble : (nibble & 0x3) | 0x8).toString(16);
      }),
  };
}
