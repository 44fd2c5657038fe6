/**
 * `@keelson/schema/rules`: rules in CEL for kinds.
 *
 * An entry of its own, because it loads CEL, which kinds without rules do not need.
 */
export type { ValidationRule } from './from-zod/validation-rule.ts';
export { admissionPolicy, type PolicyDefinition, type PolicyScope } from './rule-judge/admission-policy.ts';
export { rule } from './rule-judge/rule.ts';
export type { AnyRuleField, RuleField } from './rule-judge/rule-field.ts';
export { atLeastOneOf, atMostOneOf, exactlyOneOf, immutable, withRules } from './rule-judge/with-rules.ts';
