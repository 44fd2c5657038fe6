/** What the rules of a schema may cost, one by one and together. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { forbiddenField, type Problem } from '../wording/problem.ts';

/** The most that one expression may cost, by the estimate. */
export const perExpression = 10_000_000;
const perSchema = 100_000_000;

/** How often a schema's values can occur at most; undefined where nothing bounds it. */
export type Cardinality = number | undefined;

/** What the rules of a schema cost together. */
export class TotalCost {
  #total = 0;
  #expensive: { readonly field: string; readonly cost: number }[] = [];

  add(field: string, cost: number): void {
    this.#total = Math.min(this.#total + cost, 2 ** 64);
    if (cost < perSchema / 100) return;
    this.#expensive.push({ field, cost });
    this.#expensive = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  problems(field: string): readonly Problem[] {
    if (this.#total <= perSchema) return [];
    const share = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((each) => forbiddenField(each.field, share)),
      forbiddenField(field, tooExpensive(name, this.#total, perSchema)),
    ];
  }
}

/** How the server words an estimate beyond its limit. */
export function tooExpensive(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** By how much a schema multiplies the values below it. */
export function childCardinality(schema: JSONSchemaProps, cardinality: Cardinality): Cardinality {
  if (cardinality === undefined) return undefined;
  if (schema.type === 'array')
    return schema.maxItems === undefined ? undefined : cardinality * Math.max(0, schema.maxItems);
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return cardinality;
  return schema.maxProperties === undefined ? undefined : cardinality * Math.max(0, schema.maxProperties);
}
