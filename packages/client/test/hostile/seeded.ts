/** Randomness that can be had again: the seed is in `KEELSON_SEED`, or always the same, and told with what it brought. */

export interface Seeded {
  readonly seed: number;
  readonly random: () => number;
}

export const defaultSeed = Number(process.env.KEELSON_SEED ?? 1);

/** `name` gives each test a sequence of its own from one seed. */
export function seeded(name: string, seed = defaultSeed): Seeded {
  let state = [...name].reduce((hash, sign) => Math.imul(hash ^ sign.charCodeAt(0), 16_777_619), seed ^ 2_166_136_261);
  const random = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { seed, random };
}
