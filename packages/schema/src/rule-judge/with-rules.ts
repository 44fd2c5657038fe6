/** Schemas with rules on their own fields, whose names the compiler checks. */
import type { z } from 'zod';
import type { ValidationRule } from '../from-zod/validation-rule.ts';
import { rule } from './rule.ts';
import { type AnyRuleField, nameOf, type RuleField, ruleField } from './rule-field.ts';

/**
 * The schema with further rules. `self` and `oldSelf` have the fields of the value: in a template they are the CEL that
 * names them, so that a wrong name does not compile.
 *
 * @example
 * withRules(z.object({ min: z.int32(), max: z.int32() }), (self) => [
 *   rule(`${self.min} <= ${self.max}`, { message: 'min is above max', fieldPath: self.min }),
 * ])
 */
export function withRules<Schema extends z.ZodType>(
  schema: Schema,
  rules: (self: RuleField<z.output<Schema>>, oldSelf: RuleField<z.output<Schema>>) => readonly ValidationRule[],
): Schema {
  const before = schema.meta()?.['x-kubernetes-validations'] ?? [];
  return schema.meta({ 'x-kubernetes-validations': [...before, ...rules(ruleField('self'), ruleField('oldSelf'))] });
}

/**
 * The schema for a value that cannot be changed. An optional field may still be set once, and be removed; so may a field
 * inside an optional one.
 *
 * @example
 * storageClass: immutable(z.string().max(63))
 */
export function immutable<Schema extends z.ZodType>(schema: Schema): Schema {
  return withRules(schema, () => [rule('self == oldSelf', { message: 'field is immutable' })]);
}

type Fields = readonly [AnyRuleField, AnyRuleField, ...AnyRuleField[]];

/**
 * One of these optional fields is set, and no other.
 *
 * @example
 * withRules(z.object({ http: Http.optional(), grpc: Grpc.optional() }), (self) => [exactlyOneOf(self.http, self.grpc)])
 */
export function exactlyOneOf(...fields: Fields): ValidationRule {
  return rule(`${count(fields)} == 1`, { message: `exactly one of ${names(fields)} must be set` });
}

/** None of these optional fields is set, or one of them. */
export function atMostOneOf(...fields: Fields): ValidationRule {
  return rule(`${count(fields)} <= 1`, { message: `at most one of ${names(fields)} may be set` });
}

/** One of these optional fields is set, or several are. */
export function atLeastOneOf(...fields: Fields): ValidationRule {
  return rule(fields.map(has).join(' || '), { message: `at least one of ${names(fields)} must be set` });
}

function has(field: AnyRuleField): string {
  return `has(${field})`;
}

function count(fields: Fields): string {
  return fields.map((field) => `(${has(field)} ? 1 : 0)`).join(' + ');
}

function names(fields: Fields): string {
  return fields.map(nameOf).join(', ');
}
