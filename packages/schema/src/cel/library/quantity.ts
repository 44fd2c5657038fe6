/** Quantities such as `100m` and `1Gi`. */
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityToNumber,
  subtractQuantities,
  unitsOf,
} from '@keelson/core';
import { one, perCharacter, type Sized, scaled } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { struct } from '../language/types.ts';
import { CelError, OpaqueValue, sizeOf, type Value } from '../language/values.ts';

class QuantityValue extends OpaqueValue {
  readonly type = struct('kubernetes.Quantity');
  readonly quantity: Quantity;
  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && compareQuantities(other.quantity, this.quantity) === 0;
  }
}

function quantity(text: Value): Value {
  try {
    return new QuantityValue(parseQuantity(text as string));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.problem);
    throw error;
  }
}

const quantityOf = (value: Value): Quantity =>
  typeof value === 'bigint'
    ? { digits: value, exponent: 0, format: 'DecimalExponent', isShort: true }
    : (value as QuantityValue).quantity;
const order = (a: Value, b: Value): number => compareQuantities(quantityOf(a), quantityOf(b));

/** Only what is in 64 bits and was written without a fraction is an integer: `1000m`, `0.5Ki` and `1Pi` are not. */
function integerOf(value: Value): bigint | undefined {
  const { digits, exponent, isShort } = quantityOf(value);
  if (!isShort || exponent < 0) return undefined;
  if (digits === 0n) return 0n;
  const integer = exponent > 18 ? undefined : unitsOf(quantityOf(value));
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

const computed =
  (compute: typeof addQuantities) =>
  (a: Value, b: Value): Value => {
    try {
      return new QuantityValue(compute(quantityOf(a), quantityOf(b)));
    } catch (error) {
      if (error instanceof RangeError) return new CelError(error.message);
      throw error;
    }
  };

const read = {
  cost: (args: readonly Value[]) => Math.ceil(sizeOf(args[0] ?? null) * perCharacter),
  estimate: (text: Sized) => ({ cost: scaled(text.size, perCharacter) }),
};
const nominal = { cost: () => 1, estimate: () => ({ cost: one }) };
const q = 'kubernetes.Quantity';

/** `quantity` and its methods. */
export const quantities: Library = [
  overload(`quantity(string): ${q}`, quantity, read),
  overload('isQuantity(string): bool', (value) => quantity(value) instanceof QuantityValue, read),
  // A function, unlike the others.
  overload(`sign(${q}): int`, (value) => BigInt(order(value, 0n)), nominal),
  overload(`${q}.isGreaterThan(${q}): bool`, (a, b) => order(a, b) > 0, nominal),
  overload(`${q}.isLessThan(${q}): bool`, (a, b) => order(a, b) < 0, nominal),
  overload(`${q}.compareTo(${q}): int`, (a, b) => BigInt(order(a, b)), nominal),
  overload(`${q}.asApproximateFloat(): double`, (value) => quantityToNumber(quantityOf(value)), nominal),
  overload(
    `${q}.asInteger(): int`,
    (value) => integerOf(value) ?? new CelError('cannot convert value to integer'),
    nominal,
  ),
  overload(`${q}.isInteger(): bool`, (value) => integerOf(value) !== undefined, nominal),
  ...[q, 'int'].flatMap((type) => [
    overload(`${q}.add(${type}): ${q}`, computed(addQuantities), nominal),
    overload(`${q}.sub(${type}): ${q}`, computed(subtractQuantities), nominal),
  ]),
];
