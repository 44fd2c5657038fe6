/** A rule in CEL; see https://kubernetes.io/docs/reference/using-api/cel/. */
export interface ValidationRule {
  /** True for what is accepted; `self` is the value that carries the rule. */
  readonly rule: string;
  /** What the API server answers when the rule is false. */
  readonly message?: string;
  /** A message that is computed, in CEL. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** The field to blame, relative to the value that carries the rule: `.size`. */
  readonly fieldPath?: string;
  /** Lets `oldSelf` be absent, so that a transition rule also sees a create. */
  readonly optionalOldSelf?: boolean;
}
