/** allOf, anyOf, oneOf and not. */
import type { Findings } from './findings.ts';
import type { ValueSchema } from './value-schema.ts';

/** What is found when the value is checked against one alternative. */
export type Check = (alternative: ValueSchema) => Findings;

export function checkAlternatives(schema: ValueSchema, check: Check, path: string, findings: Findings): void {
  if (schema.anyOf.length > 0) checkAnyOf(schema.anyOf, check, path, findings);
  if (schema.oneOf.length > 0) checkOneOf(schema.oneOf, check, path, findings);
  if (schema.allOf.length > 0) checkAllOf(schema.allOf, check, path, findings);
  if (schema.not !== undefined && check(schema.not).causes.length === 0) {
    findings.addWithoutField(`"${path}" must not validate the schema (not)`);
  }
}

function checkAnyOf(schemas: readonly ValueSchema[], check: Check, path: string, findings: Findings): void {
  let best: Findings | undefined;
  for (const schema of schemas) {
    const found = check(schema);
    if (found.causes.length === 0) {
      findings.merge(found);
      return;
    }
    if (best === undefined || found.matches > best.matches) best = found;
  }
  findings.addWithoutField(`"${path}" must validate at least one schema (anyOf)`);
  if (best !== undefined) findings.merge(best);
}

function checkOneOf(schemas: readonly ValueSchema[], check: Check, path: string, findings: Findings): void {
  let best: Findings | undefined;
  const valid: Findings[] = [];
  for (const schema of schemas) {
    const found = check(schema);
    if (found.causes.length === 0) valid.push(found);
    else if (best === undefined || found.matches > best.matches) best = found;
  }
  const [only] = valid;
  if (valid.length === 1 && only !== undefined) {
    findings.merge(only);
    return;
  }
  const count = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  findings.addWithoutField(`"${path}" must validate one and only one schema (oneOf). ${count}`);
  if (valid.length === 0 && best !== undefined) findings.merge(best);
}

function checkAllOf(schemas: readonly ValueSchema[], check: Check, path: string, findings: Findings): void {
  let valid = 0;
  for (const schema of schemas) {
    const found = check(schema);
    if (found.causes.length === 0) valid++;
    findings.merge(found);
  }
  if (valid === schemas.length) return;
  findings.addWithoutField(`"${path}" must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
}
