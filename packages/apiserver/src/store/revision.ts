/**
 * One state of one object: frozen, and serialised at most once for each form in which it is asked for.
 *
 * All readers and watchers share the bytes, so a change that a thousand watchers see is stringified once. A past state
 * keeps none: history is long, and is seldom read.
 */
import type { ApiObject } from '../object.ts';

export class Revision {
  /** `namespace/name`, or `name` for a cluster-scoped object. */
  readonly key: string;
  /** The store's counter when this state was written; `metadata.resourceVersion` has it as text. */
  readonly number: number;
  readonly object: ApiObject;
  #encodings: Map<string, Buffer> | undefined;
  #isPast = false;

  constructor(key: string, number: number, object: ApiObject) {
    this.key = key;
    this.number = number;
    this.object = object;
  }

  /** The bytes in the form called `form`, made by `encode` on first use. */
  encoded(form: string, encode: (object: ApiObject) => Buffer): Buffer {
    if (this.#isPast) return encode(this.object);
    this.#encodings ??= new Map();
    let bytes = this.#encodings.get(form);
    if (bytes === undefined) {
      bytes = alone(encode(this.object));
      this.#encodings.set(form, bytes);
    }
    return bytes;
  }

  /** Another state has taken its place, and all who watch have been told. */
  pass(): void {
    this.#isPast = true;
    this.#encodings = undefined;
  }
}

/** Small buffers are cut out of larger ones, all of which would be held with the one. */
function alone(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** What one write did to one key. */
export type Change =
  | { readonly type: 'ADDED'; readonly revision: Revision; readonly previous: undefined }
  | { readonly type: 'MODIFIED'; readonly revision: Revision; readonly previous: Revision }
  /** `revision` has the content of `previous` under the number of the deletion, as watchers are shown it. */
  | { readonly type: 'DELETED'; readonly revision: Revision; readonly previous: Revision };
