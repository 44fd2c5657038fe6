/** Causes: what is wrong with which field, in the words of the API server's `Status` details. */
import { goQuote, goValue } from './go-text.ts';

/** Why a field is refused; the values of `StatusCause.reason`. */
export type CauseReason =
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueRequired'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One entry of `status.details.causes`. */
export interface Cause {
  readonly reason: CauseReason;
  /** Such as `spec.ports[0].name` or `spec.labels[a.b/c]`; `<nil>` for the whole object. */
  readonly field: string;
  /** Without the field: `Invalid value: 6: spec.size in body should be less than or equal to 5`. */
  readonly message: string;
}

/** The causes as one text, which follows `… is invalid: ` in a Status: each once, in brackets when there are several. */
export function causesText(causes: readonly Cause[]): string {
  const texts = [...new Set(causes.map(causeText))];
  return texts.length === 1 ? `${texts[0]}` : `[${texts.join(', ')}]`;
}

export function causeText({ field, message }: Cause): string {
  return `${field}: ${message}`;
}

/** How the API server names the whole object. */
export const wholeObject = '<nil>';

/** Stands for a value that is too large to be shown. */
export const omitted: unique symbol = Symbol('omitted');

function body(kind: string, value: unknown, detail: string): string {
  const shown = value === omitted ? kind : `${kind}: ${goValue(value)}`;
  return detail === '' ? shown : `${shown}: ${detail}`;
}

export function invalid(field: string, value: unknown, detail: string): Cause {
  return { reason: 'FieldValueInvalid', field, message: body('Invalid value', value, detail) };
}

export function typeInvalid(field: string, value: unknown, detail: string): Cause {
  return { reason: 'FieldValueTypeInvalid', field, message: body('Invalid value', value, detail) };
}

export function required(field: string, detail = ''): Cause {
  return { reason: 'FieldValueRequired', field, message: body('Required value', omitted, detail) };
}

export function forbidden(field: string, detail: string): Cause {
  return { reason: 'FieldValueForbidden', field, message: body('Forbidden', omitted, detail) };
}

export function duplicate(field: string, value: unknown): Cause {
  return { reason: 'FieldValueDuplicate', field, message: body('Duplicate value', value, '') };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): Cause {
  const detail = supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : '';
  return { reason: 'FieldValueNotSupported', field, message: body('Unsupported value', value, detail) };
}

// The limit counts characters, and the message says bytes: so it comes from the real server.
export function tooLong(field: string, max: number): Cause {
  const detail = `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return { reason: 'FieldValueTooLong', field, message: body('Too long', omitted, detail) };
}

export function tooMany(field: string, actual: number, max: number): Cause {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', field, message: body('Too many', actual, detail) };
}

export function internalError(field: string, detail: string): Cause {
  return { reason: 'InternalError', field, message: body('Internal error', omitted, detail) };
}
