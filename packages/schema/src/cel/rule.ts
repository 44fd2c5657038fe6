/** A rule of a schema, compiled: what it demands, and what it says when that is not so. */
import type { JSONSchemaProps, ValidationRule } from '@keelson/core/apiextensions/v1';
import { fieldPath } from '../tree/field-path.ts';
import { duplicateValue, forbiddenField, invalidValue, omitted, type Problem, required } from '../wording/problem.ts';
import type { DeclaredType } from './declared-type.ts';
import { type Compiled, compileExpression, type Expression } from './expression.ts';
import type { Budget } from './language/budget.ts';
import type { Value } from './language/values.ts';

/** A rule that compiled. */
export interface Rule {
  readonly rule: ValidationRule;
  readonly expression: Expression;
  readonly message: Expression | undefined;
  /** Where failures are reported, below the schema's own place. */
  readonly fieldPath: string;
}

/** The condition of a rule. */
export function compileCondition(rule: ValidationRule, self: DeclaredType): Compiled {
  return compileExpression(rule.rule, self, rule.optionalOldSelf === true, {
    type: 'bool',
    problem: 'cel expression must evaluate to a bool',
  });
}

/** Undefined when the rule has no messageExpression. */
export function compileMessage(rule: ValidationRule, self: DeclaredType): Compiled | undefined {
  if (rule.messageExpression === undefined || rule.messageExpression === '') return undefined;
  const compiled = compileExpression(rule.messageExpression, self, rule.optionalOldSelf === true, {
    type: 'string',
    problem: 'messageExpression must evaluate to a string',
  });
  if (!('problem' in compiled)) return compiled;
  const problem = compiled.problem.replace(/^compilation failed/, 'messageExpression compilation failed');
  return { problem: problem.replace(/^program instantiation/, 'messageExpression instantiation') };
}

/** Undefined for a rule that does not compile, which no CRD can have. */
export function compileRule(rule: ValidationRule, self: DeclaredType, schema: JSONSchemaProps): Rule | undefined {
  const expression = compileCondition(rule, self);
  const message = compileMessage(rule, self);
  if ('problem' in expression) return undefined;
  const path = rule.fieldPath === undefined ? undefined : fieldPath(rule.fieldPath, schema);
  return {
    rule,
    expression,
    message: message === undefined || 'problem' in message ? undefined : message,
    fieldPath: path === undefined || 'problem' in path ? '' : path.field,
  };
}

/** How errors name a rule: by its message, or else by itself. */
export function ruleText({ message, rule }: ValidationRule): string {
  return (message !== undefined && message !== '' ? message : rule).trim();
}

const maxMessageBytes = 5 * 1024;

/** What the rule says of these values; undefined where its expression gives nothing that can be shown. */
export function messageOf(
  message: Expression,
  variables: ReadonlyMap<string, Value>,
  budget: Budget,
): string | undefined {
  const value = message.program(variables, budget);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? undefined : text;
}

/** The problem that a false rule is. */
export function failure(
  rule: ValidationRule,
  field: string,
  value: unknown,
  type: string,
  message: string | undefined,
): Problem {
  const { message: fixed } = rule;
  const detail = message ?? (fixed === undefined || fixed === '' ? `failed rule: ${ruleText(rule)}` : fixed.trim());
  const shown = type === 'object' || type === 'array' ? omitted : value;
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return duplicateValue(field, shown);
    default:
      return invalidValue(field, shown, detail);
  }
}
