/** Causes of a refusal, worded as Kubernetes' field package words them. */
import type { Cause, CauseReason } from '@keelson/schema';

const shown = (value: unknown): string => JSON.stringify(value) ?? 'null';

const cause = (reason: CauseReason, field: string, ...parts: readonly string[]): Cause => ({
  reason,
  field,
  message: parts.filter((part) => part !== '').join(': '),
});

export const required = (field: string, detail = ''): Cause =>
  cause('FieldValueRequired', field, 'Required value', detail);

export const invalidValue = (field: string, value: unknown, detail: string): Cause =>
  cause('FieldValueInvalid', field, 'Invalid value', shown(value), detail);

export const unsupportedValue = (field: string, value: unknown, supported: readonly string[]): Cause =>
  cause(
    'FieldValueNotSupported',
    field,
    'Unsupported value',
    shown(value),
    `supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
  );

export const forbiddenField = (field: string, detail: string): Cause =>
  cause('FieldValueForbidden', field, 'Forbidden', detail);

export const duplicateValue = (field: string, value: unknown): Cause =>
  cause('FieldValueDuplicate', field, 'Duplicate value', shown(value));

export const tooLong = (field: string, maxBytes: number): Cause =>
  cause(
    'FieldValueTooLong',
    field,
    'Too long',
    `may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`,
  );
