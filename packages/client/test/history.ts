/** What one handler heard, checked against what it must hear: added, then updates, then deleted, for each object once. */
import assert from 'node:assert/strict';
import { compareResourceVersions, type KubernetesObject, keyOf } from '@keelson/core';
import type { InformerEvent } from '../src/index.ts';

export interface HistoryOptions {
  /** An object that is gone may be back: it left a selection, and entered it again. @default false */
  readonly mayReturn?: boolean;
}

export class History {
  /** The last that was heard of each object that is alive, by key. */
  readonly #alive = new Map<string, KubernetesObject>();
  /** The uids of those that are gone. */
  readonly #gone = new Set<string>();
  readonly #mayReturn: boolean;
  readonly #violations: string[] = [];
  events = 0;

  constructor({ mayReturn = false }: HistoryOptions = {}) {
    this.#mayReturn = mayReturn;
  }

  note(event: InformerEvent): void {
    this.events += 1;
    const { type, object } = event;
    const key = keyOf(object);
    const { uid, resourceVersion } = object.metadata;
    const known = this.#alive.get(key);
    const complain = (what: string) =>
      this.#violations.push(`${type} of ${key} (${uid} at ${resourceVersion}): ${what}`);
    if (this.#gone.has(uid)) complain('it was deleted before');
    if (type === 'added') {
      if (known) complain(`it is there already as ${known.metadata.uid}`);
    } else if (!known) complain('it is not there');
    else if (known.metadata.uid !== uid) complain(`it is another than ${known.metadata.uid}`);
    const order = known ? compareResourceVersions(resourceVersion, known.metadata.resourceVersion) : 1;
    if (type === 'updated') {
      if (event.previous !== known) complain('previous is not what was heard last');
      if (order <= 0) complain(`it is not newer than ${known?.metadata.resourceVersion}`);
    }
    if (type !== 'deleted') {
      this.#alive.set(key, object);
      return;
    }
    if (order < 0) complain(`it is older than ${known?.metadata.resourceVersion}`);
    this.#alive.delete(key);
    if (!this.#mayReturn) this.#gone.add(uid);
  }

  /** Nothing illegal was heard, and what was heard adds up to what is there. */
  assertLegal(present: readonly KubernetesObject[]): void {
    assert.deepEqual(this.#violations, []);
    const versions = (objects: Iterable<KubernetesObject>) =>
      [...objects].map((object) => `${keyOf(object)} ${object.metadata.uid} ${object.metadata.resourceVersion}`).sort();
    assert.deepEqual(versions(this.#alive.values()), versions(present));
  }
}
