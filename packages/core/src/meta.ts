/** Object metadata in its three situations: inside a template, stored by the server, about to be written. */
import type { ObjectMeta } from './generated/meta/v1.ts';

export type { ObjectMeta };

/** Metadata of an object that the API server has stored. */
export interface StoredObjectMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

/** Metadata of a stored object that lives in a namespace. */
export interface NamespacedObjectMeta extends StoredObjectMeta {
  readonly namespace: string;
}

/** Metadata of an object about to be written: it has a name, or asks the server to make one. */
export type NewObjectMeta = ObjectMeta & ({ readonly name: string } | { readonly generateName: string });
