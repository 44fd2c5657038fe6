/** Rules in CEL as an author states them: made by `rule` of `@keelson/schema/rules`, which brings the judge along. */

/** What a rule is, beside its expression; see https://kubernetes.io/docs/reference/using-api/cel/. */
export interface RuleOptions {
  /** What the API server answers when the rule is false. */
  readonly message?: string;
  /** A message that is computed, in CEL. */
  readonly messageExpression?: string;
  /** @default 'FieldValueInvalid' */
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** The field to blame, relative to the value that carries the rule: `.size`. */
  readonly fieldPath?: string;
  /** Lets `oldSelf` be absent, so that a transition rule also sees a create. */
  readonly optionalOldSelf?: boolean;
}

/** Where a rule keeps its judge, so that CEL is loaded by those alone who have rules. */
export const judgedBy: unique symbol = Symbol.for('@keelson/schema.judgedBy');

/** A rule in CEL, made by `rule` of `@keelson/schema/rules`. */
export interface ValidationRule extends RuleOptions {
  /** True for what is accepted; `self` is the value that carries the rule. */
  readonly rule: string;
  /** A `RuleJudge`; zod rewrites the types of what `.meta()` takes, and must not rewrite this one. */
  readonly [judgedBy]: unknown;
}
