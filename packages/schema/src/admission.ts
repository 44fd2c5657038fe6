/**
 * `@keelson/schema/admission`: expressions of admission policies and match conditions, compiled and run.
 *
 * For servers and for tools that stand in for one.
 */
export {
  AdmissionCompiler,
  type AdmissionExpression,
  type AdmissionProblem,
  type Declared,
  objectDeclaration,
} from './cel/admission/admission-compiler.ts';
export {
  type AdmissionInput,
  AdmissionRun,
  type Evaluated,
  matchConditionsBudget,
  OutOfBudget,
  policyBudget,
} from './cel/admission/admission-run.ts';
export type { Authorize, AuthorizerAnswer, AuthorizerQuestion } from './cel/admission/authorizer.ts';
export { jsonOf, NotJson } from './cel/admission/dynamic-value.ts';
export { typeNameProblems } from './cel/admission/patch-types.ts';
export type { Value as AdmissionValue } from './cel/language/values.ts';
