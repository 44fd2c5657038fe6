/**
 * Limits and formats of a number.
 *
 * The API server keeps whole numbers as int64 and cuts the limits to the same: 1 is within a maximum of 1.5, 2 is not
 * "less than or equal to 1", and no whole number is a multiple of 0.1. A limit with a fraction on an integer field
 * refuses every value.
 */

import { isCheckedFormat } from '../formats/formats.ts';
import { goFloat, goNumber, isInteger, Verbatim } from '../wording/go-text.ts';
import { invalidValue } from '../wording/problem.ts';
import type { ProblemList } from './problem-list.ts';
import type { ValueSchema } from './value-schema.ts';

type Numeric = number | bigint;

/** Checks a number against its schema. */
export function checkNumber(schema: ValueSchema, value: Numeric, path: string, problems: ProblemList): void {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema.limits;
  isInRange(schema, value, 'Checked', path, problems);
  /** Compares as int64 if the value is one and the limit can be, else as float64; so are both shown. */
  const against = (
    limit: number | undefined,
    name: string,
    refuses: (bound: Numeric, show: Show) => string | undefined,
  ) => {
    if (limit === undefined) return;
    const isWhole = isInRange(schema, limit, name, path, problems) && isInteger(value);
    const show: Show = isWhole ? goNumber : (number) => goFloat(Number(number));
    const bound = isWhole ? cut(limit) : limit;
    const text = refuses(bound, show);
    if (text === undefined) return;
    const shown = text.startsWith('factor') ? bound : value;
    problems.add(text, invalidValue(problems.field(path), new Verbatim(show(shown)), text));
  };
  against(multipleOf, 'MultipleOf', (factor, show) => {
    if (factor <= 0) return `factor MultipleOf declared for ${path} must be positive: ${show(factor)}`;
    return isMultiple(value, factor) ? undefined : `${path} in body should be a multiple of ${show(factor)}`;
  });
  against(minimum, 'Minimum boundary', (bound, show) => {
    if (exclusiveMinimum ? value > bound : value >= bound) return undefined;
    return `${path} in body should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${show(bound)}`;
  });
  against(maximum, 'Maximum boundary', (bound, show) => {
    if (exclusiveMaximum ? value < bound : value <= bound) return undefined;
    return `${path} in body should be less than ${exclusiveMaximum ? '' : 'or equal to '}${show(bound)}`;
  });
  problems.matches += 2;
}

type Show = (number: Numeric) => string;

/** Whether the type and format can hold a number; reports it when they cannot. */
function isInRange(schema: ValueSchema, value: Numeric, name: string, path: string, problems: ProblemList): boolean {
  const type = schema.types.length === 1 ? schema.types[0] : undefined;
  const isOfNumbers = type !== undefined && isCheckedFormat(schema.format, type) && type !== 'string';
  const format = isOfNumbers ? schema.format : '';
  const fits =
    type === 'integer'
      ? isInteger(value) && (format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31))
      : format !== 'float' || Number.isFinite(Math.fround(Number(value)));
  if (fits) return true;
  const wanted = format === '' ? `${type} (default format)` : `${type} with format ${format}`;
  problems.addWithoutField(`${name} value must be of type ${wanted} in ${path}`);
  return false;
}

// What lies outside of int64 becomes its smallest value on the machines that API servers run on.
function cut(limit: number): Numeric {
  const whole = Math.trunc(limit);
  return Math.abs(whole) < 2 ** 63 ? whole : -(2n ** 63n);
}

function isMultiple(value: Numeric, factor: Numeric): boolean {
  if (isInteger(value) && isInteger(factor)) return BigInt(value) % BigInt(factor) === 0n;
  return isNearlyWhole(Number(factor) < 1 ? (1 / Number(factor)) * Number(value) : Number(value) / Number(factor));
}

/** Whether the server takes a number for a whole one. */
export function isNearlyWhole(quotient: number): boolean {
  if (!(Math.abs(quotient) <= Number.MAX_SAFE_INTEGER)) return false;
  if (Number.isInteger(quotient)) return true;
  // Cut to an unsigned number, as the server does, which makes something huge of a negative one.
  const whole = quotient < 0 ? Number(BigInt.asUintN(64, BigInt(Math.trunc(quotient)))) : Math.trunc(quotient);
  if (whole === 0) return false;
  return Math.abs(quotient - whole) / (Math.abs(quotient) + whole) < 1e-9;
}
