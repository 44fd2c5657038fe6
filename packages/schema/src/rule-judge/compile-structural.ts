/** A structural schema with its rules in CEL, compiled as the API server does it. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { compileStructuralBy, type StructuralSchema } from '../validation/structural-schema.ts';
import { celJudge } from './judge.ts';

/** For schemas in which `structuralProblems` finds nothing. */
export function compileStructural(schema: JSONSchemaProps): StructuralSchema {
  return compileStructuralBy(celJudge, schema);
}
