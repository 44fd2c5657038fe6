/**
 * What `validate` has to say of a request, and the Status that the server makes an answer of.
 *
 * A cause refuses the request: with fields it is worded as the API server words what it refuses itself (422 Invalid, each
 * field with its value), without any field as something forbidden (403). A warning is shown, and refuses nothing.
 */
import { isObject, type JsonObject, type Kind, type Status } from '@keelson/core';
import type { ArrivingObject } from './admission-request.ts';

/** Why a field is refused: the reasons that Kubernetes has for it. */
export type CauseReason =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotSupported';

/** Why a request is refused. */
export interface Cause<K extends Kind = Kind> {
  /**
   * Which field: as text (`spec.size`), or by a function that the compiler checks (`({ spec }) => spec.size`).
   * @default none: it is the request that is forbidden
   */
  readonly field?: string | ((object: ArrivingObject<K>) => unknown) | undefined;
  /** What is wrong, after the value in question: `must be odd`. */
  readonly message: string;
  /** @default FieldValueInvalid */
  readonly reason?: CauseReason | undefined;
}

/** What the user should know although the request goes through. kubectl shows it. */
export interface Warning {
  /** At most some 120 characters, on one line. */
  readonly warning: string;
}

/** What `validate` returns a list of. */
export type Finding<K extends Kind = Kind> = Cause<K> | Warning;

const words: Readonly<Record<CauseReason, string>> = {
  FieldValueInvalid: 'Invalid value',
  FieldValueRequired: 'Required value',
  FieldValueForbidden: 'Forbidden',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueNotSupported: 'Unsupported value',
};

/** Whose value says nothing. */
const withoutValue: ReadonlySet<CauseReason> = new Set(['FieldValueRequired', 'FieldValueForbidden']);

/** Whatever has a message refuses, also with a warning beside it. */
export const isCause = (finding: Finding<never>): finding is Cause<never> =>
  'message' in finding && finding.message !== undefined;

export const isWarning = (finding: Finding<never>): finding is Warning =>
  'warning' in finding && finding.warning !== undefined;

/** What the causes are about. */
export interface Refused {
  readonly kind: Pick<Kind, 'group' | 'kind'>;
  /** Empty where the server shall make one. */
  readonly name: string;
  /** The new object, or the one that is to be deleted. */
  readonly object: JsonObject;
}

/** The Status of a refusal. */
export function refusal({ kind, name, object }: Refused, causes: readonly Cause<never>[]): Status {
  const base = { metadata: {}, status: 'Failure' } as const;
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  if (causes.every(({ field }) => field === undefined)) {
    const message = causes.map((cause) => cause.message).join('; ');
    return { ...base, reason: 'Forbidden', code: 403, message };
  }
  const worded = causes.map((cause) => wordedCause(cause, object));
  const texts = [...new Set(worded.map(({ field, message }) => `${field}: ${message}`))];
  return {
    ...base,
    reason: 'Invalid',
    code: 422,
    message: `${qualified} ${JSON.stringify(name)} is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    details: { name, group: kind.group, kind: kind.kind, causes: worded },
  };
}

function wordedCause({ field, message, reason = 'FieldValueInvalid' }: Cause<never>, object: JsonObject) {
  const segments = segmentsOf(field);
  const value = valueAt(object, segments);
  const isShown = !withoutValue.has(reason) && segments.length > 0;
  const shown = isShown ? `${words[reason]}: ${valueText(value)}` : words[reason];
  return { reason, field: pathText(segments), message: message === '' ? shown : `${shown}: ${message}` };
}

/** The members on the way to a field. */
function segmentsOf(field: Cause<never>['field']): readonly string[] {
  if (field === undefined) return [];
  if (typeof field === 'string')
    return field
      .split(/\.(?![^[]*\])|\[|\]/)
      .filter((segment) => segment !== '')
      .map(unquoted);
  return recordedBy(field as (object: unknown) => unknown);
}

const unquoted = (segment: string): string => segment.replace(/^(['"])(.*)\1$/, '$2');

const recorded = Symbol('path');

/** Has the function walk over something that remembers the way. */
function recordedBy(field: (object: unknown) => unknown): readonly string[] {
  const at = (path: readonly string[]): object =>
    new Proxy({}, { get: (_, name) => (name === recorded ? path : at([...path, String(name)])) });
  const path = (field(at([])) as { readonly [recorded]?: readonly string[] } | null | undefined)?.[recorded];
  if (path !== undefined) return path;
  throw new TypeError('the field of a cause must be one member of the object, as in ({ spec }) => spec.size');
}

/** `spec.ports[0].name`, `metadata.labels[example.com/a]`; `<nil>` for the whole object, as the server has it. */
function pathText(segments: readonly string[]): string {
  if (segments.length === 0) return '<nil>';
  return segments
    .map((name, i) => (/^[A-Za-z_]\w*$/.test(name) ? `${i === 0 ? '' : '.'}${name}` : `[${name}]`))
    .join('');
}

function valueAt(object: unknown, segments: readonly string[]): unknown {
  let value = object;
  for (const name of segments) {
    if (!isObject(value) && !Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
  }
  return value;
}

const maxShown = 1000;

function valueText(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
