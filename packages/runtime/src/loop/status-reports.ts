/**
 * Statuses that passes report, until they are written.
 *
 * Promises: what a pass reports counts when that pass has succeeded; the last word about an object does, and a status that
 * is applied is one, too.
 * Does not: outlive the process, any more than what waits in the queue. Whoever runs next looks at everything.
 */
import type { KubernetesObject, NamespacedName } from '@keelson/core';

/** A status, and the object as the pass saw it that reported it. */
export interface StatusReport {
  readonly object: KubernetesObject;
  readonly status: object;
}

export class StatusReports {
  /** Of passes that run. */
  readonly #said = new Map<NamespacedName, StatusReport>();
  /** Of passes that have succeeded. */
  readonly #held = new Map<NamespacedName, StatusReport>();

  say(key: NamespacedName, report: StatusReport): void {
    this.#said.set(key, report);
  }

  /** The pass failed, and so what it reported is void. */
  unsay(key: NamespacedName): void {
    this.#said.delete(key);
  }

  /** The last word about this object, and whether it was held since an earlier pass, or another one was. */
  take(
    key: NamespacedName,
    { metadata }: KubernetesObject,
  ): (StatusReport & { readonly wasHeld: boolean }) | undefined {
    const held = this.#held.get(key);
    const isOfThisOne = held?.object.metadata.uid === metadata.uid;
    const report = this.#said.get(key) ?? (isOfThisOne ? held : undefined);
    this.forget(key);
    return report && { ...report, wasHeld: isOfThisOne };
  }

  /** Leaves it to the next pass. */
  hold(key: NamespacedName, { object, status }: StatusReport): void {
    this.#held.set(key, { object, status });
  }

  /** A newer status was applied, or the object is gone. */
  forget(key: NamespacedName): void {
    this.#said.delete(key);
    this.#held.delete(key);
  }
}
