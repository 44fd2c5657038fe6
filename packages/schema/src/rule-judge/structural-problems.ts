/** What the API server refuses in the schemas of a CustomResourceDefinition, rules included. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { type StructuralOptions, structuralProblemsBy } from '../structural/structural-problems.ts';
import type { Problem } from '../wording/problem.ts';
import { celJudge } from './judge.ts';

/**
 * Problems of a schema in a CRD that is created. `field` is where it stands: `spec.versions[0].schema.openAPIV3Schema`,
 * or `spec.validation.openAPIV3Schema` when all versions of the CRD have the same schema (one alone has).
 */
export function structuralProblems(
  schema: JSONSchemaProps,
  field: string,
  options?: StructuralOptions,
): readonly Problem[] {
  return structuralProblemsBy(celJudge, schema, field, options);
}
