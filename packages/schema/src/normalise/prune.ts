/**
 * Pruning: fields that the schema does not know are dropped.
 *
 * Promises: apiVersion, kind and metadata of resources stay; below x-kubernetes-preserve-unknown-fields only what has
 * a schema is pruned again; a null where the schema allows none and has no default is dropped without a word.
 */
import { isObject } from '@keelson/core';
import { type Part, workOut } from '@keelson/core/fields';
import { changeFields, changeItems } from '../tree/change.ts';
import { asResource, fieldNode, type SchemaNode } from '../tree/schema-node.ts';
import { compareBytes } from '../wording/go-text.ts';
import { dropNull } from './drop-nulls.ts';
import { coerceEmbedded } from './embedded.ts';

/** A value without unknown fields. */
export interface Pruned {
  /** The value without the fields that the schema does not know. */
  readonly value: unknown;
  /** Their paths, as warnings name them: `spec.foo`, `spec.list[1].foo`. */
  readonly pruned: readonly string[];
  /**
   * Why the object cannot be decoded at all: an embedded resource has metadata of a wrong form. The API server answers
   * 400, with `<Kind> in version "v1" cannot be handled as a <Kind>: ` before this text.
   */
  readonly malformed?: string;
}

const ofResource = new Set(['apiVersion', 'kind', 'metadata']);

/** Prunes a whole object, which is a resource. */
export function pruneObject(node: SchemaNode, object: unknown): Pruned {
  const pruned: string[] = [];
  const known = prune(asResource(node), object, '', pruned);
  const filled = isObject(known)
    ? changeFields(known, (value, name) => (ofResource.has(name) ? value : dropNull(node, value, name)))
    : known;
  const embedded = node.has.embedded ? coerceEmbedded(node, filled) : { value: filled, unknown: [] };
  return {
    value: embedded.value,
    pruned: [...pruned.sort(compareBytes), ...embedded.unknown],
    ...(embedded.malformed !== undefined && { malformed: embedded.malformed }),
  };
}

/** Whether pruning leaves a default value as it is. */
export function isPruned(node: SchemaNode, value: unknown): boolean {
  return prune(node, value, '', []) === value;
}

function prune(node: SchemaNode | undefined, value: unknown, path: string, pruned: string[]): unknown {
  if (node?.preservesUnknown) return pruneKnown(node, value, path, pruned);
  if (Array.isArray(value)) {
    if (node === undefined) return workOut(new UnknownList(value, path, pruned));
    return changeItems(value, (item, index) => prune(node.items, item, `${path}[${index}]`, pruned));
  }
  if (!isObject(value)) return value;
  return changeFields(value, (field, name) => {
    if (node?.isEmbedded && ofResource.has(name)) return field;
    const place = path === '' ? name : `${path}.${name}`;
    if (node !== undefined && (node.properties.has(name) || node.additional !== undefined)) {
      return prune(fieldNode(node, name), field, place, pruned);
    }
    pruned.push(place);
    return undefined;
  });
}

/** A list of which no schema says anything: the objects in it lose their fields, through lists of any depth. */
class UnknownList implements Part<unknown> {
  readonly #list: readonly unknown[];
  readonly #path: string;
  readonly #pruned: string[];
  readonly #items: unknown[] = [];

  constructor(list: readonly unknown[], path: string, pruned: string[]) {
    this.#list = list;
    this.#path = path;
    this.#pruned = pruned;
  }

  next(): UnknownList | undefined {
    while (this.#items.length < this.#list.length) {
      const index = this.#items.length;
      const item = this.#list[index];
      const place = `${this.#path}[${index}]`;
      if (Array.isArray(item)) return new UnknownList(item, place, this.#pruned);
      this.take(prune(undefined, item, place, this.#pruned));
    }
    return undefined;
  }

  take(item: unknown): void {
    this.#items.push(item);
  }

  result(): readonly unknown[] {
    return this.#items.some((item, index) => item !== this.#list[index]) ? this.#items : this.#list;
  }
}

function pruneKnown(node: SchemaNode | undefined, value: unknown, path: string, pruned: string[]): unknown {
  if (node === undefined) return value;
  if (Array.isArray(value)) {
    return changeItems(value, (item, index) => pruneKnown(node.items, item, `${path}[${index}]`, pruned));
  }
  if (!isObject(value)) return value;
  return changeFields(value, (field, name) => {
    if (node.isEmbedded && ofResource.has(name)) return field;
    if (!node.properties.has(name) && node.additional === undefined) return field;
    return prune(fieldNode(node, name), field, path === '' ? name : `${path}.${name}`, pruned);
  });
}
