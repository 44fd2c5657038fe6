/** Whether a value has one of the types that its schema allows. */
import { typeInvalid } from '../wording/cause.ts';
import { isInteger } from '../wording/go-text.ts';
import type { Findings } from './findings.ts';
import type { ValueSchema } from './value-schema.ts';

export function checkType(schema: ValueSchema, value: unknown, path: string, findings: Findings): void {
  const { types, format } = schema;
  if (value === null) {
    if (types.length > 0 && !schema.isNullable) refuse(types.join(','), 'null', path, findings);
    else findings.matches++;
    return;
  }
  const type = typeOf(value);
  const isNumber = types.includes('number') || types.includes('integer');
  const isText = type === 'string' || type === 'array';
  // A number without a fraction that is too large for an integer type is still taken for one by the server's check.
  const isWhole = type === 'number' && types.includes('integer') && Number.isSafeInteger(value);
  const fits = types.includes(type) || isWhole || (type === 'integer' && types.includes('number'));
  if (!isText && format !== '' && !fits && goFormat(type) !== format) {
    refuse(format, goFormat(type), path, findings);
    return;
  }
  // A list passes where a string with a format is wanted: so does the real server.
  if ((format !== '' && isText && !isNumber) || fits) findings.matches++;
  else refuse(types.join(','), type, path, findings);
}

function refuse(wanted: string, found: string, path: string, findings: Findings): void {
  const text = `${path} in body must be of type ${wanted}: "${found}"`;
  findings.add(text, typeInvalid(findings.field(path), found, text));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isInteger(value)) return 'integer';
  return typeof value;
}

function goFormat(type: string): string {
  return type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
}
