/** Problems: what is wrong with which field, in the words of the API server, which calls them causes of a `Status`. */
import { goQuote, goValue } from './go-text.ts';

/** Why a field is refused; the values of `StatusCause.reason`. */
type ProblemReason =
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
export interface Problem {
  readonly reason: ProblemReason;
  /** Such as `spec.ports[0].name` or `spec.labels[a.b/c]`; `<nil>` for the whole object. */
  readonly field: string;
  /** Without the field: `Invalid value: 6: spec.size in body should be less than or equal to 5`. */
  readonly message: string;
  /** The message without its beginning, where there is more: `spec.size in body should be less than or equal to 5`. */
  readonly detail: string;
}

/** The problems as one text, which follows `… is invalid: ` in a Status: each once, in brackets when there are several. */
export function problemsText(problems: readonly Pick<Problem, 'field' | 'message'>[]): string {
  const texts = [...new Set(problems.map(problemText))];
  return texts.length === 1 ? `${texts[0]}` : `[${texts.join(', ')}]`;
}

/** Field and message: `spec.size: Invalid value: 6: …`. */
export function problemText({ field, message }: Pick<Problem, 'field' | 'message'>): string {
  return `${field}: ${message}`;
}

/** How the API server names the whole object. */
export const wholeObject = '<nil>';

/** Stands for a value that is too large to be shown. */
export const omitted: unique symbol = Symbol('omitted');

function problem(reason: ProblemReason, field: string, kind: string, value: unknown, detail: string): Problem {
  const shown = value === omitted ? kind : `${kind}: ${goValue(value)}`;
  return { reason, field, message: detail === '' ? shown : `${shown}: ${detail}`, detail };
}

/** The value is not what it should be. */
export function invalidValue(field: string, value: unknown, detail: string): Problem {
  return problem('FieldValueInvalid', field, 'Invalid value', value, detail);
}

/** The value has another type than it should have. */
export function typeInvalid(field: string, value: unknown, detail: string): Problem {
  return problem('FieldValueTypeInvalid', field, 'Invalid value', value, detail);
}

/** There is no value, and there should be one. */
export function required(field: string, detail = ''): Problem {
  return problem('FieldValueRequired', field, 'Required value', omitted, detail);
}

/** There is a value, and there should be none. */
export function forbiddenField(field: string, detail: string): Problem {
  return problem('FieldValueForbidden', field, 'Forbidden', omitted, detail);
}

/** The value is there for the second time. */
export function duplicateValue(field: string, value: unknown): Problem {
  return problem('FieldValueDuplicate', field, 'Duplicate value', value, '');
}

/** The value is none of those that are known. */
export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): Problem {
  const detail = supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : '';
  return problem('FieldValueNotSupported', field, 'Unsupported value', value, detail);
}

/** The text is too long. In schemas the limit counts characters, and the message says bytes: so does the real server. */
export function tooLong(field: string, max: number): Problem {
  const detail = `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return problem('FieldValueTooLong', field, 'Too long', omitted, detail);
}

/** The list or map has too many items. */
export function tooMany(field: string, actual: number, max: number): Problem {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return problem('FieldValueTooMany', field, 'Too many', actual, detail);
}

/** The server itself cannot make sense of the field. */
export function internalError(field: string, detail: string): Problem {
  return problem('InternalError', field, 'Internal error', omitted, detail);
}
