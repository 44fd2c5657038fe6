/** A double as a decimal number with a fixed number of digits after the point, as the API server's `%.3f` writes it. */

/** How many digits stand after the point. */
export interface Digits {
  /** Zeros are added up to so many. */
  readonly min: number;
  /** Rounded to so many, halves to the even neighbour. */
  readonly max: number;
}

/** The exact value, with commas between thousands. */
export function fixedDecimal(value: number, { min, max }: Digits): string {
  const { units, places } = exactDecimal(Math.abs(value));
  const kept = Math.min(places, max);
  const rounded = roundHalfEven(units, 10n ** BigInt(places - kept));
  const text = rounded.toString().padStart(kept + 1, '0');
  const whole = text.slice(0, text.length - kept).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = trimZeros(text.slice(text.length - kept), min).padEnd(min, '0');
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The value as `units` divided by ten to the power of `places`. */
function exactDecimal(value: number): { readonly units: bigint; readonly places: number } {
  const bits = new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n;
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & (2n ** 52n - 1n)) | (exponent === 0 ? 0n : 2n ** 52n);
  const power = Math.max(exponent, 1) - 1075;
  if (power >= 0) return { units: mantissa << BigInt(power), places: 0 };
  return { units: mantissa * 5n ** BigInt(-power), places: -power };
}

function roundHalfEven(units: bigint, by: bigint): bigint {
  const [quotient, rest] = [units / by, units % by];
  const isUp = rest * 2n > by || (rest * 2n === by && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

function trimZeros(fraction: string, min: number): string {
  let end = fraction.length;
  while (end > min && fraction[end - 1] === '0') end--;
  return fraction.slice(0, end);
}
