/** Whether a value has one of the types that its schema allows. */

import { isInteger } from '../wording/go-text.ts';
import { typeInvalid } from '../wording/problem.ts';
import { isNearlyWhole } from './check-number.ts';
import type { ProblemList } from './problem-list.ts';
import type { ValueSchema } from './value-schema.ts';

/** Checks the type of a value. */
export function checkType(schema: ValueSchema, value: unknown, path: string, problems: ProblemList): void {
  const { types, format } = schema;
  if (value === null) {
    if (types.length > 0 && !schema.isNullable) refuse(types.join(','), 'null', path, problems);
    else problems.matches++;
    return;
  }
  const type = typeOf(value);
  const isNumber = types.includes('number') || types.includes('integer');
  const isText = type === 'string' || type === 'array';
  // A number whose fraction is small beside it is taken for an integer by the server's check.
  const isWhole = type === 'number' && types.includes('integer') && isNearlyWhole(value as number);
  const fits = types.includes(type) || isWhole || (type === 'integer' && types.includes('number'));
  if (!isText && format !== '' && !fits && goFormat(type) !== format) {
    refuse(format, goFormat(type), path, problems);
    return;
  }
  // A list passes where a string with a format is wanted: so does the real server.
  if ((format !== '' && isText && !isNumber) || fits) problems.matches++;
  else refuse(types.join(','), type, path, problems);
}

function refuse(wanted: string, found: string, path: string, problems: ProblemList): void {
  const text = `${path} in body must be of type ${wanted}: "${found}"`;
  problems.add(text, typeInvalid(problems.field(path), found, text));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isInteger(value)) return 'integer';
  return typeof value;
}

function goFormat(type: string): string {
  return type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
}
