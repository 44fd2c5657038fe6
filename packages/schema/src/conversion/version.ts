/** One version of a kind, as conversions need it: its schema, and the author's functions to and from the hub. */
import type { JsonObject } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { RuleJudge } from '../structural/rule-judge.ts';
import { compileNode, type SchemaNode } from '../tree/schema-node.ts';
import { compileStructuralBy, type StructuralSchema } from '../validation/structural-schema.ts';
import { problemText } from '../wording/problem.ts';
import { sharedFields, withChanges } from './shared-fields.ts';

/** What differs between a version and the hub: given spec and status, the fields that are not the same there. */
export interface ConversionFunctions {
  readonly toHub?: ((fields: never) => unknown) | undefined;
  readonly fromHub?: ((fields: never) => unknown) | undefined;
}

/** What an object has beside apiVersion, kind and metadata. */
export type Fields = JsonObject;

export interface VersionOptions {
  readonly name: string;
  readonly schema: JSONSchemaProps;
  /** Of the rules in the schema. */
  readonly judge: RuleJudge | undefined;
  readonly isStored: boolean;
  /** None of the hub. */
  readonly functions: ConversionFunctions;
}

export class Version {
  readonly name: string;
  readonly isStored: boolean;
  readonly functions: ConversionFunctions;
  readonly node: SchemaNode;
  readonly #structural: StructuralSchema;

  constructor({ name, schema, judge, isStored, functions }: VersionOptions) {
    this.name = name;
    this.isStored = isStored;
    this.functions = functions;
    this.node = compileNode(schema);
    this.#structural = compileStructuralBy(judge, schema);
  }

  /** The fields with this version's defaults: the API server fills in those of the stored version alone. */
  withDefaults(fields: unknown): Fields {
    return this.#structural.default(fields) as Fields;
  }

  /** Without what the schema does not know; what every object has is none of its fields. */
  pruned(fields: Fields): Fields {
    const { apiVersion: _, kind: __, metadata: ___, ...own } = this.#structural.prune(fields).value as Fields;
    return own;
  }

  /** What is wrong with an object in this version. */
  problems(envelope: JsonObject, fields: Fields): readonly string[] {
    const object = { ...envelope, ...fields };
    const { malformed } = this.#structural.prune(object);
    return [...(malformed === undefined ? [] : [malformed]), ...this.#structural.validate(object).map(problemText)];
  }
}

/** The fields of an object of `from`, as `to` lets them be inferred: one of the two is the hub. */
export function inferred(from: Version, to: Version, fields: Fields): Fields {
  const shared = sharedFields(from.node, to.node, fields);
  return to.withDefaults(withChanges(shared, changes(from, to, fields)));
}

function changes({ name, functions: { toHub } }: Version, to: Version, fields: Fields): unknown {
  const convert = toHub ?? to.functions.fromHub;
  try {
    return convert?.(fields as never) ?? {};
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const what = toHub === undefined ? `fromHub of ${to.name}` : `toHub of ${name}`;
    throw new Error(`${what}: ${reason}`, { cause: error });
  }
}
