/**
 * Quantities in the one form in which the server shows them: `0.1` is `100m`, `1024Mi` is `1Gi`.
 *
 * Values are whole numbers of 10⁻⁹; smaller parts are rounded up, as Kubernetes does.
 */

const decimal: readonly (readonly [string, number])[] = [
  ['E', 18],
  ['P', 15],
  ['T', 12],
  ['G', 9],
  ['M', 6],
  ['k', 3],
  ['', 0],
  ['m', -3],
  ['u', -6],
  ['n', -9],
];
const binary: readonly (readonly [string, number])[] = [
  ['Ei', 6],
  ['Pi', 5],
  ['Ti', 4],
  ['Gi', 3],
  ['Mi', 2],
  ['Ki', 1],
];

const nano = 1_000_000_000n;

export const quantityProblem =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

interface Quantity {
  /** In units of 10⁻⁹. */
  readonly nanos: bigint;
  readonly format: 'decimal' | 'binary' | 'exponent';
}

/** Reads a quantity; `undefined` when the text is none. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<part>\d*))?(?<suffix>[a-zA-Z]*|[eE][-+]?\d+)$/.exec(text);
  const groups = match?.groups;
  if (groups === undefined || (!groups.whole && !groups.part)) return undefined;
  const { sign, whole = '', part = '', suffix = '' } = groups;
  const digits = BigInt(`${whole}${part}` || '0');
  const exponent = /^[eE](?<power>[-+]?\d+)$/.exec(suffix)?.groups?.power;
  const ten = exponent === undefined ? decimal.find(([name]) => name === suffix)?.[1] : Number(exponent);
  const two = binary.find(([name]) => name === suffix)?.[1];
  if (ten === undefined && two === undefined) return undefined;
  const multiplied = two === undefined ? digits * nano : digits * nano * 1024n ** BigInt(two);
  const power = (two === undefined ? (ten ?? 0) : 0) - part.length;
  const nanos = power >= 0 ? multiplied * 10n ** BigInt(power) : roundedUp(multiplied, 10n ** BigInt(-power));
  return {
    nanos: sign === '-' ? -nanos : nanos,
    format: two !== undefined ? 'binary' : exponent !== undefined ? 'exponent' : 'decimal',
  };
}

const roundedUp = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

/** The canonical text of a quantity; `undefined` when the text is none. */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parseQuantity(text);
  if (quantity === undefined) return undefined;
  const { nanos, format } = quantity;
  if (nanos === 0n) return '0';
  const size = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? '-' : '';
  if (format === 'binary' && size >= 1024n * nano && size % nano === 0n) {
    const found = binary.find(([, power]) => (size / nano) % 1024n ** BigInt(power) === 0n);
    return found === undefined
      ? `${sign}${size / nano}`
      : `${sign}${size / nano / 1024n ** BigInt(found[1])}${found[0]}`;
  }
  for (const [name, power] of decimal) {
    const unit = 10n ** BigInt(power + 9);
    if (size % unit !== 0n) continue;
    const suffix = format === 'exponent' && power !== 0 ? `e${power}` : name;
    return `${sign}${size / unit}${suffix}`;
  }
  return undefined;
}
