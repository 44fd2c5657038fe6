/**
 * `@keelson/schema/validation`: what an API server does with names, metadata and the schemas of CRDs, in its words.
 *
 * For servers and for tools that stand in for one; those who define kinds need `@keelson/schema` alone.
 */
export {
  configKeyProblems,
  formatError,
  label1035Problems,
  labelProblems,
  labelValueProblems,
  orPrefix,
  pathSegmentProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from './metadata/name-rules.ts';
export {
  labelMapProblems,
  managerProblems,
  objectMetaProblems,
  objectMetaUpdateProblems,
} from './metadata/object-meta-problems.ts';
export { compileStructural } from './rule-judge/compile-structural.ts';
export { structuralProblems } from './rule-judge/structural-problems.ts';
export { structuralWarnings } from './structural/structural-problems.ts';
export type { StructuralSchema } from './validation/structural-schema.ts';
export { fieldsInOrder, goNumber } from './wording/go-text.ts';
export {
  duplicateValue,
  forbiddenField,
  internalError,
  invalidValue,
  omitted,
  type Problem,
  problemsText,
  required,
  tooLong,
  tooMany,
  unsupportedValue,
} from './wording/problem.ts';
