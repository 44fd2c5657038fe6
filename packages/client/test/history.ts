/** What one handler heard, checked against what it must hear: added, then updates, then deleted, for each object once. */
import assert from 'node:assert/strict';
import { compareResourceVersions, type KubernetesObject, keyOf } from '@keelson/core';
import type { InformerEvent } from '../src/index.ts';

export class History {
  /** The last that was heard of each object that is alive, by key. */
  readonly #alive = new Map<string, KubernetesObject>();
  readonly #violations: string[] = [];
  events = 0;

  note(event: InformerEvent): void {
    this.events += 1;
    const { type, object } = event;
    const key = keyOf(object);
    const { uid, resourceVersion } = object.metadata;
    const known = this.#alive.get(key);
    const complain = (what: string) =>
      this.#violations.push(`${type} of ${key} (${uid} at ${resourceVersion}): ${what}`);
    if (type === 'added') {
      if (known) complain(`it is there already as ${known.metadata.uid}`);
    } else if (!known) complain('it is not there');
    else if (known.metadata.uid !== uid) complain(`it is another than ${known.metadata.uid}`);
    if (type === 'updated') {
      if (event.previous !== known) complain('previous is not what was heard last');
      if (known && compareResourceVersions(resourceVersion, known.metadata.resourceVersion) <= 0) {
        complain(`it is not newer than ${known.metadata.resourceVersion}`);
      }
    }
    if (type === 'deleted') this.#alive.delete(key);
    else this.#alive.set(key, object);
  }

  /** Nothing illegal was heard, and what was heard adds up to what is there. */
  assertLegal(present: readonly KubernetesObject[]): void {
    assert.deepEqual(this.#violations, []);
    const versions = (objects: Iterable<KubernetesObject>) =>
      [...objects].map((object) => `${keyOf(object)} ${object.metadata.uid} ${object.metadata.resourceVersion}`).sort();
    assert.deepEqual(versions(this.#alive.values()), versions(present));
  }
}
