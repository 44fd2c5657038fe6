/**
 * One state of one object: frozen, and serialised at most once for each form in which it is asked for.
 *
 * All readers and watchers share the bytes, so a change that a thousand watchers see is stringified once.
 */
import type { ApiObject } from '../object.ts';

export class Revision {
  /** `namespace/name`, or `name` for a cluster-scoped object. */
  readonly key: string;
  /** The store's counter when this state was written; `metadata.resourceVersion` has it as text. */
  readonly number: number;
  readonly object: ApiObject;
  #encodings: Map<string, Buffer> | undefined;

  constructor(key: string, number: number, object: ApiObject) {
    this.key = key;
    this.number = number;
    this.object = object;
  }

  /** The bytes in the form called `form`, made by `encode` on first use. */
  encoded(form: string, encode: (object: ApiObject) => Buffer): Buffer {
    this.#encodings ??= new Map();
    let bytes = this.#encodings.get(form);
    if (bytes === undefined) {
      bytes = encode(this.object);
      this.#encodings.set(form, bytes);
    }
    return bytes;
  }
}

/** What one write did to one key. */
export type Change =
  | { readonly type: 'ADDED'; readonly revision: Revision; readonly previous: undefined }
  | { readonly type: 'MODIFIED'; readonly revision: Revision; readonly previous: Revision }
  /** `revision` has the content of `previous` under the number of the deletion, as watchers are shown it. */
  | { readonly type: 'DELETED'; readonly revision: Revision; readonly previous: Revision };
