/** Quantities such as `100m` and `1Gi`. */
import { one, perCharacter, type Sized, scaled } from '../cost.ts';
import { type Library, overload } from '../environment.ts';
import { struct } from '../types.ts';
import { CelError, OpaqueValue, sizeOf, type Value } from '../values.ts';

const suffixes: ReadonlyMap<string, readonly [base: bigint, exponent: number]> = new Map([
  ['n', [10n, -9]],
  ['u', [10n, -6]],
  ['m', [10n, -3]],
  ['', [10n, 0]],
  ['k', [10n, 3]],
  ['M', [10n, 6]],
  ['G', [10n, 9]],
  ['T', [10n, 12]],
  ['P', [10n, 15]],
  ['E', [10n, 18]],
  ['Ki', [2n, 10]],
  ['Mi', [2n, 20]],
  ['Gi', [2n, 30]],
  ['Ti', [2n, 40]],
  ['Pi', [2n, 50]],
  ['Ei', [2n, 60]],
]);

/** Nothing smaller is kept: what is less is rounded up, away from zero. */
const nano = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * nano;

class Quantity extends OpaqueValue {
  readonly type = struct('kubernetes.Quantity');
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

/** In billionths; undefined when it is no quantity. */
function parseQuantity(text: string): bigint | undefined {
  const [, sign, whole = '', fraction = '', suffix = ''] = /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/.exec(text) ?? [];
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix);
  const scale = exponent === null ? suffixes.get(suffix) : ([10n, Number(exponent[1])] as const);
  if (whole + fraction === '' || scale === undefined || Math.abs(scale[1]) > 1000) return undefined;
  const digits = BigInt(whole + fraction) * nano;
  const [base, power] = scale;
  const numerator = power >= 0 ? digits * base ** BigInt(power) : digits;
  const denominator = 10n ** BigInt(fraction.length) * (power < 0 ? base ** BigInt(-power) : 1n);
  const rounded = (numerator + denominator - 1n) / denominator;
  const capped = rounded > largest && base === 2n ? largest : rounded;
  return sign === '-' ? -capped : capped;
}

function quantity(value: Value): Value {
  const nanos = parseQuantity(value as string);
  if (nanos !== undefined) return new Quantity(nanos);
  const why =
    value === ''
      ? "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
      : /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/.test(value as string)
        ? "unable to parse quantity's suffix"
        : "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  return new CelError(why);
}

const nanosOf = (value: Value): bigint => (typeof value === 'bigint' ? value * nano : (value as Quantity).nanos);
const order = (a: Value, b: Value): number => (nanosOf(a) < nanosOf(b) ? -1 : nanosOf(a) > nanosOf(b) ? 1 : 0);
const isWhole = (value: Value): boolean =>
  nanosOf(value) % nano === 0n && BigInt.asIntN(64, nanosOf(value) / nano) === nanosOf(value) / nano;

const read = {
  cost: (args: readonly Value[]) => Math.ceil(sizeOf(args[0] ?? null) * perCharacter),
  estimate: (text: Sized) => ({ cost: scaled(text.size, perCharacter) }),
};
const nominal = { cost: () => 1, estimate: () => ({ cost: one }) };
const q = 'kubernetes.Quantity';

export const quantities: Library = [
  overload(`quantity(string): ${q}`, quantity, read),
  overload('isQuantity(string): bool', (value) => parseQuantity(value as string) !== undefined, read),
  // A function, unlike the others.
  overload(`sign(${q}): int`, (value) => BigInt(order(value, 0n)), nominal),
  overload(`${q}.isGreaterThan(${q}): bool`, (a, b) => order(a, b) > 0, nominal),
  overload(`${q}.isLessThan(${q}): bool`, (a, b) => order(a, b) < 0, nominal),
  overload(`${q}.compareTo(${q}): int`, (a, b) => BigInt(order(a, b)), nominal),
  overload(`${q}.asApproximateFloat(): double`, (value) => Number(nanosOf(value)) / 1e9, nominal),
  overload(
    `${q}.asInteger(): int`,
    (value) => (isWhole(value) ? nanosOf(value) / nano : new CelError('cannot convert value to integer')),
    nominal,
  ),
  overload(`${q}.isInteger(): bool`, isWhole, nominal),
  ...[q, 'int'].flatMap((type) => [
    overload(`${q}.add(${type}): ${q}`, (a, b) => new Quantity(nanosOf(a) + nanosOf(b)), nominal),
    overload(`${q}.sub(${type}): ${q}`, (a, b) => new Quantity(nanosOf(a) - nanosOf(b)), nominal),
  ]),
];
