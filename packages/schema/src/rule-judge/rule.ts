/** `rule`: a rule in CEL that the API server will enforce, and that is judged as the server would when a kind is defined. */
import { judgedBy, type RuleOptions, type ValidationRule } from '../from-zod/validation-rule.ts';
import { celJudge } from './judge.ts';
import { type AnyRuleField, fieldPathOf } from './rule-field.ts';

/**
 * A rule in CEL for `.meta({ 'x-kubernetes-validations': [rule(…)] })` or the `rules` of a kind. `defineKind` refuses
 * it when the API server would: because it does not compile, does not fit the types of the schema, or may cost too much.
 * `withRules` has the names of fields checked by the compiler, too.
 *
 * @example
 * const Cache = defineKind({
 *   …
 *   rules: [rule('self.metadata.name.size() <= 63', { message: 'the name becomes the value of a label' })],
 * });
 *
 * @example
 * z.int32().meta({ 'x-kubernetes-validations': [rule('self >= oldSelf', { message: 'it may only grow' })] })
 */
export function rule(
  expression: string,
  { fieldPath, ...options }: Omit<RuleOptions, 'fieldPath'> & { readonly fieldPath?: string | AnyRuleField } = {},
): ValidationRule {
  const path = typeof fieldPath === 'object' ? fieldPathOf(fieldPath) : fieldPath;
  const made = { rule: expression, ...options, ...(path !== undefined && { fieldPath: path }) };
  // Not enumerable: to all that reads, compares or copies data, a rule is plain.
  return Object.defineProperty(made, judgedBy, { value: celJudge }) as ValidationRule;
}
