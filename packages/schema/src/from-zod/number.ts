/** Numbers: bounds, multiples and formats of a zod number as the API server enforces them. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { CheckDef } from './checks.ts';
import type { DefinitionField } from './definition-field.ts';

interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

// The API server enforces the ranges of these formats. A safe integer is an int64 to it: bounds at 2^53 would say
// nothing about the field, and stand in every explanation of it.
const formats = {
  int32: { type: 'integer', format: 'int32' },
  uint32: { type: 'integer', format: 'int64' },
  safeint: { type: 'integer', format: 'int64' },
  float32: { type: 'number', format: 'float' },
  float64: { type: 'number', format: 'double' },
} as const;

const narrowness = ['float64', 'float32', 'safeint', 'uint32', 'int32'] as const;

/** The schema of a number with these checks. */
export function numberSchema(checks: readonly CheckDef[], at: DefinitionField): JSONSchemaProps {
  let lower: Bound | undefined;
  let upper: Bound | undefined;
  let format: keyof typeof formats | undefined;
  const divisors: number[] = [];
  const raise = (value: number, exclusive: boolean) => {
    if (lower === undefined || value > lower.value || (value === lower.value && exclusive))
      lower = { value, exclusive };
  };
  const reduce = (value: number, exclusive: boolean) => {
    if (upper === undefined || value < upper.value || (value === upper.value && exclusive))
      upper = { value, exclusive };
  };
  for (const def of checks) {
    switch (def.check) {
      case 'greater_than':
        if (Number.isFinite(def.value)) raise(Number(def.value), !def.inclusive);
        break;
      case 'less_than':
        if (Number.isFinite(def.value)) reduce(Number(def.value), !def.inclusive);
        break;
      case 'multiple_of':
        if (Number(def.value) > 0) divisors.push(Number(def.value));
        else at.refuse(`multiples of ${def.value} cannot be checked: the API server asks for a number above 0`);
        break;
      case 'number_format':
        if (format === undefined || narrowness.indexOf(def.format) > narrowness.indexOf(format)) format = def.format;
        if (def.format === 'uint32') {
          raise(0, false);
          reduce(2 ** 32 - 1, false);
        }
        break;
    }
  }
  const [divisor, ...further] = divisors;
  return {
    ...(format === undefined ? { type: 'number' } : formats[format]),
    ...boundSchema('minimum', 'exclusiveMinimum', lower),
    ...boundSchema('maximum', 'exclusiveMaximum', upper),
    ...(divisor !== undefined && { multipleOf: divisor }),
    ...(further.length > 0 && { allOf: further.map((multipleOf) => ({ multipleOf })) }),
  };
}

function boundSchema(bound: string, exclusive: string, at: Bound | undefined): JSONSchemaProps {
  return at === undefined ? {} : { [bound]: at.value, ...(at.exclusive && { [exclusive]: true }) };
}
