/**
 * How the rules of a schema are judged, as an interface: the judge knows CEL, and a schema without rules needs none.
 *
 * Types only, so that a kind without rules does not load CEL.
 */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { RunOptions } from '../cel/rules.ts';
import type { SchemaNode } from '../tree/schema-node.ts';
import type { Problem } from '../wording/problem.ts';
import type { Cardinality, TotalCost } from './rule-cost.ts';

/** Where a schema with rules stands. */
export interface RulesContext {
  readonly field: string;
  readonly isResource: boolean;
  readonly cardinality: Cardinality;
  /** The list around it whose items cannot be told to be the same as before. */
  readonly uncorrelated: string | undefined;
  readonly total: TotalCost;
}

/** Finds what the API server refuses in the rules of schemas, and what the rules say of objects. */
export interface RuleJudge {
  /** Expressions that do not compile, or may cost too much; their cost is added to the total. */
  expressionProblems(schema: JSONSchemaProps, context: RulesContext): readonly Problem[];
  /** What the rules at a node and below say of its default; `field` is where the default stands. */
  defaultProblems(node: SchemaNode, field: string): readonly Problem[];
  /** The rules of a whole object, compiled once; undefined where there are none. */
  objectRules(node: SchemaNode): ObjectRules | undefined;
}

/** What rules say of an object that was `old` before this update. */
export type ObjectRules = (object: unknown, old: unknown, options: RunOptions) => readonly Problem[];
