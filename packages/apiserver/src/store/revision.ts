/**
 * One state of one object: its bytes, and the object while it is in use.
 *
 * Where memory goes, measured with pods: 4.0 kB of JSON are 8.4 kB as an object, 5.0 of them managedFields, and over
 * 10 kB with what is decoded of these. Lists, reads and watches send bytes and need no object, so the bytes stay and the
 * object goes, unless it was used lately; whoever needs it next parses it again. Labels stay as they are, since to
 * select by them is what else is done to objects by the thousand.
 *
 * All readers and watchers share the bytes, so a change that a thousand watchers see is stringified once. A past state
 * keeps the object instead: it shares most of it with the states before and after, and is seldom read.
 */
import { encodeObject } from '../json-text.ts';
import { type ApiObject, freeze } from '../object.ts';
import type { Coolable, RecentObjects } from './recent-objects.ts';

export class Revision implements Coolable {
  /** `namespace/name`, or `name` for a cluster-scoped object. */
  readonly key: string;
  /** The store's counter when this state was written; `metadata.resourceVersion` has it as text. */
  readonly number: number;
  /** This or the bytes are there, or both. */
  #object: ApiObject | undefined;
  /** The stored object as JSON. */
  #bytes: Buffer | undefined;
  /** The form that shows the object as it is stored. */
  #form: string | undefined;
  /** The bytes of other forms. */
  #others: Map<string, Buffer> | undefined;
  #labels: ApiObject['metadata']['labels'];
  #used = true;
  #isPast = false;
  readonly #recent: RecentObjects | undefined;

  /** Without `recent` the object is held as long as the revision is. */
  constructor(key: string, number: number, object: ApiObject, recent?: RecentObjects) {
    this.key = key;
    this.number = number;
    this.#object = object;
    this.#recent = recent;
    recent?.add(this);
  }

  get object(): ApiObject {
    this.#used = true;
    if (this.#object !== undefined) return this.#object;
    const object = freeze(JSON.parse(String(this.#bytes)) as ApiObject);
    this.#object = object;
    this.#recent?.add(this);
    return object;
  }

  get labels(): ApiObject['metadata']['labels'] {
    return this.#object === undefined ? this.#labels : this.#object.metadata.labels;
  }

  /** Empty for a cluster-scoped object. */
  get namespace(): string {
    return this.key.slice(0, Math.max(this.key.indexOf('/'), 0));
  }

  get name(): string {
    return this.key.slice(this.key.indexOf('/') + 1);
  }

  /** The bytes in the form called `form`, which shows what `view` makes of the object. */
  encoded(form: string, view: (object: ApiObject) => ApiObject): Buffer {
    if (form === this.#form) return this.#stored();
    const known = this.#others?.get(form);
    if (known !== undefined) return known;
    const { object } = this;
    const shown = view(object);
    if (shown === object) {
      this.#form = form;
      return this.#stored();
    }
    const bytes = encodeObject(shown);
    if (this.#isPast) return bytes;
    this.#others ??= new Map();
    const own = alone(bytes);
    this.#others.set(form, own);
    return own;
  }

  #stored(): Buffer {
    if (this.#isPast) return encodeObject(this.object);
    this.#bytes ??= alone(encodeObject(this.object));
    return this.#bytes;
  }

  cool(): boolean {
    const wasUsed = this.#used;
    this.#used = false;
    if (wasUsed) return false;
    this.#stored();
    this.#labels = this.labels;
    this.#object = undefined;
    this.#others = undefined;
    return true;
  }

  /** Another state has taken its place, and all who watch have been told. */
  pass(): void {
    this.#object = this.object;
    this.#recent?.delete(this);
    this.#isPast = true;
    this.#bytes = undefined;
    this.#others = undefined;
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
