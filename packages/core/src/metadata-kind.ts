/**
 * The metadata of a kind as a kind of its own: its objects come without spec, status and data.
 *
 * For watching many objects of which only names, labels or versions matter, or kinds of which nothing else is known.
 */
import type { Kind, ObjectOf } from './kind.ts';

/** A registered symbol, so that it holds when two copies of this package are loaded. */
const marker: unique symbol = Symbol.for('keelson.metadataOnly') as never;

/** An object of which only the metadata was asked for. */
export type MetadataObject<K extends Kind> = Pick<ObjectOf<K>, 'apiVersion' | 'kind' | 'metadata'>;

/** A kind that is read by its metadata alone; nothing can be written through it. */
export interface MetadataKind<K extends Kind = Kind> extends Kind<MetadataObject<K>, never, never> {
  readonly [marker]: K['kind'];
}

/**
 * The kind with nothing but its metadata, for the client, informers and `watches`.
 *
 * @example
 * for (const { metadata } of (await client.list(metadataOf(Secret))).items) console.log(metadata.name);
 */
export function metadataOf<K extends Kind>(kind: K): MetadataKind<K> {
  const { group, version, kind: name, resource, scope } = kind;
  return { group, version, kind: name, resource, scope, [marker]: name };
}

/** Whether a kind was made by `metadataOf`. */
export function isMetadataOnly(kind: Kind): boolean {
  return marker in kind;
}
