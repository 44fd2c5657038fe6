/** allOf, anyOf, oneOf and not. */
import type { ProblemList } from './problem-list.ts';
import type { ValueSchema } from './value-schema.ts';

/** What is found when the value is checked against one alternative. */
export type Check = (alternative: ValueSchema) => ProblemList;

/** Checks a value against all alternatives of its schema. */
export function checkAlternatives(schema: ValueSchema, check: Check, path: string, problems: ProblemList): void {
  if (schema.anyOf.length > 0) checkAnyOf(schema.anyOf, check, path, problems);
  if (schema.oneOf.length > 0) checkOneOf(schema.oneOf, check, path, problems);
  if (schema.allOf.length > 0) checkAllOf(schema.allOf, check, path, problems);
  if (schema.not !== undefined && check(schema.not).all.length === 0) {
    problems.addWithoutField(`"${path}" must not validate the schema (not)`);
  }
}

function checkAnyOf(schemas: readonly ValueSchema[], check: Check, path: string, problems: ProblemList): void {
  let best: ProblemList | undefined;
  for (const schema of schemas) {
    const found = check(schema);
    if (found.all.length === 0) {
      problems.merge(found);
      return;
    }
    if (best === undefined || found.matches > best.matches) best = found;
  }
  problems.addWithoutField(`"${path}" must validate at least one schema (anyOf)`);
  if (best !== undefined) problems.merge(best);
}

function checkOneOf(schemas: readonly ValueSchema[], check: Check, path: string, problems: ProblemList): void {
  let best: ProblemList | undefined;
  const valid: ProblemList[] = [];
  for (const schema of schemas) {
    const found = check(schema);
    if (found.all.length === 0) valid.push(found);
    else if (best === undefined || found.matches > best.matches) best = found;
  }
  const [only] = valid;
  if (valid.length === 1 && only !== undefined) {
    problems.merge(only);
    return;
  }
  const count = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  problems.addWithoutField(`"${path}" must validate one and only one schema (oneOf). ${count}`);
  if (valid.length === 0 && best !== undefined) problems.merge(best);
}

function checkAllOf(schemas: readonly ValueSchema[], check: Check, path: string, problems: ProblemList): void {
  let valid = 0;
  for (const schema of schemas) {
    const found = check(schema);
    if (found.all.length === 0) valid++;
    problems.merge(found);
  }
  if (valid === schemas.length) return;
  problems.addWithoutField(`"${path}" must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
}
