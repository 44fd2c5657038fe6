/** The checks of a zod schema, as data: `.min(1)`, `.regex(…)`, and what a format such as `z.int32()` brings itself. */
import type { z } from 'zod';

/** A check of zod as data. */
export type CheckDef = z.core.$ZodChecks['_zod']['def'] | { readonly check: 'custom' | 'describe' | 'meta' };

/** The checks of a schema, its own first. */
export function checksOf(schema: z.core.$ZodType): readonly CheckDef[] {
  const { def } = schema._zod;
  // A format is a schema and its own first check.
  const own = 'check' in def ? [schema as unknown as z.core.$ZodCheck] : [];
  return [...own, ...(def.checks ?? [])].map((check) => check._zod.def as CheckDef);
}

/** What to say of a check that has no place in a CRD. */
export function checkReason({ check }: CheckDef): string {
  switch (check) {
    case 'custom':
      return "a refinement runs in JavaScript alone, and the API server would not enforce it: state the same in CEL beside it, with .meta({ 'x-kubernetes-validations': [rule(…)] })";
    case 'overwrite':
      return 'the API server stores values as they are sent, so that .trim(), .toLowerCase() and the like would not happen: refuse what is not wanted, with .regex()';
    default:
      return `the check "${check}" has no counterpart in a CRD: state it in CEL, with .meta({ 'x-kubernetes-validations': [rule(…)] })`;
  }
}
