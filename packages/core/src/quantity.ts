/**
 * Quantities such as `100m` and `1Gi`: read, compared, added and shown exactly as Kubernetes does it.
 *
 * A quantity is a decimal number of any size with at most nine places, and the family of suffixes that it was written
 * in, in which it is shown again. What is smaller than a billionth is rounded up, away from zero: who asks for something
 * gets something. Beyond 2⁶³-1 binary quantities are capped, decimal ones are not. More than ten
 * thousand digits are refused: Go would read them, in a time that grows with their square.
 */
import { OperatorError } from './errors.ts';

/** `1500m`, `1536Mi`, `15e2`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** The value is `digits` times ten to the power of `exponent`. */
export interface Quantity {
  readonly digits: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** Kubernetes has it in 64 bits, and not as a big number. It shows in nothing but CEL's `isInteger`. */
  readonly isShort: boolean;
  /** The text that was read, when Kubernetes takes it for canonical: also `+1`, `01` and `1.500`, which are not. */
  readonly text?: string | undefined;
}

/** The text is not a quantity. */
export class QuantityError extends OperatorError {
  override readonly name = 'QuantityError';
  readonly code = 'ERR_QUANTITY';
  /** What is wrong, in the API server's words. */
  readonly problem: string;

  constructor(text: string, problem: string) {
    const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
    super(`${JSON.stringify(shown)} is not a quantity: ${problem}`);
    this.problem = problem;
  }
}

const suffixes: ReadonlyMap<string, readonly [base: 2 | 10, exponent: number]> = new Map([
  ['n', [10, -9]],
  ['u', [10, -6]],
  ['m', [10, -3]],
  ['', [10, 0]],
  ['k', [10, 3]],
  ['M', [10, 6]],
  ['G', [10, 9]],
  ['T', [10, 12]],
  ['P', [10, 15]],
  ['E', [10, 18]],
  ['Ki', [2, 10]],
  ['Mi', [2, 20]],
  ['Gi', [2, 30]],
  ['Ti', [2, 40]],
  ['Pi', [2, 50]],
  ['Ei', [2, 60]],
]);
const suffixOf = new Map([...suffixes].map(([suffix, [base, exponent]]) => [`${base}^${exponent}`, suffix]));

const pattern = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
const badFormat = `quantities must match the regular expression '${pattern}'`;
const badNumber = 'unable to parse numeric part of quantity';
const badSuffix = "unable to parse quantity's suffix";
/** Further apart, two quantities would have to be written out in more digits than anybody has a use for. */
const maxPlaces = 10_000;

/** What is really read. The number may be missing altogether: `Ki`, `.` and `+` are zero. */
const parts = /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<part>\d*))?(?<suffix>(?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?$/;

const nano = -9;
const largest = 2n ** 63n - 1n;
const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** Reads a quantity, such as `1.5Gi` or `100m`. Throws a `QuantityError` for what Kubernetes would refuse. */
export function parseQuantity(text: string): Quantity {
  const groups = text === '' ? undefined : parts.exec(text)?.groups;
  if (groups === undefined) throw new QuantityError(text, badFormat);
  const { sign, part = '', suffix = '' } = groups;
  const whole = significant(groups.whole ?? '') || '0';
  const { base, exponent, format } = scaleOf(text, suffix);
  const number = whole + part;
  if (number.length > maxPlaces && significant(number).length > maxPlaces) {
    throw new QuantityError(text, `it has more than ${maxPlaces} digits`);
  }
  const signed = (digits: bigint): bigint => (sign === '-' ? -digits : digits);

  if (base === 10) {
    const power = exponent - part.length;
    if (number.length <= 18 && power >= nano) {
      const isShownAsRead = power % 3 === 0 && !number.endsWith('000') && !number.startsWith('0');
      const digits = signed(BigInt(number));
      return { digits, exponent: power, format, isShort: true, ...(isShownAsRead && { text }) };
    }
  } else if (part === '' && whole.length <= 14 - (exponent * 3) / 10) {
    const isShownAsRead = BigInt(number) % 8n !== 0n;
    const digits = signed(BigInt(number) << BigInt(exponent));
    return { digits, exponent: 0, format, isShort: true, ...(isShownAsRead && { text }) };
  }

  if (!/\d/.test(text.slice(0, text.length - suffix.length))) throw new QuantityError(text, badNumber);
  const power = (base === 10 ? exponent : 0) - part.length;
  const multiplied = base === 10 ? BigInt(number) : BigInt(number) << BigInt(exponent);
  const value: Quantity =
    power >= nano
      ? { digits: multiplied, exponent: power, format, isShort: false }
      : { digits: dividedUp(multiplied, nano - power), exponent: nano, format, isShort: false };
  if (base === 10) return { ...value, digits: signed(value.digits) };
  if (compareQuantities(value, units(largest)) > 0) return { ...value, digits: signed(largest), exponent: 0 };
  const isFraction = value.digits > 0n && compareQuantities(value, units(1n)) < 0;
  return { ...value, digits: signed(value.digits), format: isFraction ? 'DecimalSI' : format };
}

function scaleOf(text: string, suffix: string): { base: 2 | 10; exponent: number; format: QuantityFormat } {
  const known = suffixes.get(suffix);
  if (known !== undefined)
    return { base: known[0], exponent: known[1], format: known[0] === 2 ? 'BinarySI' : 'DecimalSI' };
  const [, written] = /^[eE]([+-]?\d+)$/.exec(suffix) ?? [];
  // 19 digits are more than 64 bits hold, and a long number takes long to read.
  const isLong = written !== undefined && significant(written.replace(/^[+-]/, '')).length > 19;
  if (written === undefined || isLong || !isInt64(BigInt(written))) throw new QuantityError(text, badSuffix);
  // Go keeps the lower half without a word: `1e4294967296` is 1.
  return { base: 10, exponent: Number(BigInt.asIntN(32, BigInt(written))), format: 'DecimalExponent' };
}

/** Without the zeros in front. */
function significant(digits: string): string {
  return digits.replace(/^0+/, '');
}

/** The quantity of whole units that Go calls a decimal exponent, as CEL adds them. */
const units = (digits: bigint): Quantity => ({ digits, exponent: 0, format: 'DecimalExponent', isShort: true });

/** `digits` without the last `places` of them; anything that is lost makes it one larger. */
function dividedUp(digits: bigint, places: number): bigint {
  if (digits < 0n) return -dividedUp(-digits, places);
  if (digits === 0n || places >= String(digits).length) return digits === 0n ? 0n : 1n;
  const divisor = 10n ** BigInt(places);
  return (digits + divisor - 1n) / divisor;
}

/** How many times ten to the power of `exponent` it is; `exponent` is not above its own. */
function digitsAt({ digits, exponent: own }: Quantity, exponent: number): bigint {
  if (digits === 0n) return 0n;
  if (own - exponent > maxPlaces)
    throw new RangeError(`a quantity of ${String(digits).length + own} digits is too large`);
  return digits * 10n ** BigInt(own - exponent);
}

/** Negative when `a` is less than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const signs = signOf(a.digits) - signOf(b.digits);
  if (signs !== 0 || a.digits === 0n) return Math.sign(signs);
  const places = placesOf(a) - placesOf(b);
  if (places !== 0) return Math.sign(places) * signOf(a.digits);
  const exponent = Math.min(a.exponent, b.exponent);
  return signOf(digitsAt(a, exponent) - digitsAt(b, exponent));
}

const signOf = (value: bigint): number => (value > 0n ? 1 : value < 0n ? -1 : 0);

/** How many digits stand before the point; negative for what begins further down. */
const placesOf = ({ digits, exponent }: Quantity): number => String(digits < 0n ? -digits : digits).length + exponent;

/** The sum is shown in the family of `a`, unless `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const format = a.digits === 0n ? b.format : a.format;
  const isShort = a.isShort && b.isShort;
  if (isShort && b.digits === 0n) return { digits: a.digits, exponent: a.exponent, format, isShort };
  if (isShort && a.digits === 0n) return { digits: b.digits, exponent: b.exponent, format, isShort };
  const exponent = Math.min(a.exponent, b.exponent);
  const [left, right] = [digitsAt(a, exponent), digitsAt(b, exponent)];
  const digits = left + right;
  return { digits, exponent, format, isShort: isShort && isInt64(left) && isInt64(right) && isInt64(digits) };
}

/** The difference is shown in the family of `a`, unless `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { ...b, digits: -b.digits });
}

/** The next quantity, away from zero, that needs no digit below ten to the power of `exponent`: -3 for thousandths. */
export function roundUpQuantity(quantity: Quantity, exponent: number): Quantity {
  if (quantity.exponent >= exponent) return quantity;
  const { digits, format, isShort } = quantity;
  return { digits: dividedUp(digits, exponent - quantity.exponent), exponent, format, isShort };
}

/** How many units it is, rounded up: bytes by itself, thousandths of a processor with -3. */
export function unitsOf(quantity: Quantity, exponent = 0): bigint {
  return digitsAt(roundUpQuantity(quantity, exponent), exponent);
}

/** As a floating point number, which may lose digits. */
export function quantityToNumber(quantity: Quantity): number {
  // A big number is one of billionths to Kubernetes, and what is lost is lost there.
  const { digits, exponent } =
    quantity.isShort || quantity.exponent <= nano || placesOf(quantity) > 310
      ? quantity
      : { digits: digitsAt(quantity, nano), exponent: nano };
  return exponent === 0 ? Number(digits) : Number(digits) * Number(`1e${exponent}`);
}

/**
 * The form in which the server shows it: `0.1` is `100m`, `1024Mi` is `1Gi`. The largest suffix is used that leaves no
 * fraction. From a thousand `E` on there is none, and the server shows none: its `1000E` is `1`.
 */
export function printQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.digits === 0n) return '0';
  const { format } = quantity;
  if (format === 'BinarySI' && placesOf(quantity) >= 4) {
    const whole = unitsOf(quantity);
    const isExact = compareQuantities(quantity, units(whole)) === 0;
    if (isExact && (whole <= -1024n || whole >= 1024n)) return printBinary(whole);
  }
  let { digits, exponent } = quantity;
  const zeros = zerosAtEnd(digits);
  digits /= 10n ** BigInt(zeros);
  exponent += zeros;
  for (; exponent % 3 !== 0; exponent -= 1) digits *= 10n;
  if (format === 'DecimalExponent') return exponent === 0 ? `${digits}` : `${digits}e${exponent}`;
  return `${digits}${suffixOf.get(`10^${exponent}`) ?? ''}`;
}

/** Counted in the text: to divide by ten again and again takes the square of the time. */
function zerosAtEnd(digits: bigint): number {
  const text = String(digits);
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  return text.length - end;
}

function printBinary(whole: bigint): string {
  let [digits, exponent] = [whole, 0];
  for (; digits % 1024n === 0n; exponent += 10) digits /= 1024n;
  return `${digits}${suffixOf.get(`2^${exponent}`) ?? ''}`;
}
