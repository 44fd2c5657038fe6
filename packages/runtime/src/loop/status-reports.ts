/**
 * Statuses that passes report, until they are written.
 *
 * Promises: what a pass reports counts when that pass has succeeded; the last word about an object does, and what was held
 * before stands until something newer is written, or the server refuses it for good.
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

  /** The pass failed, or has said otherwise. */
  unsay(key: NamespacedName): void {
    this.#said.delete(key);
  }

  /** The last word about this object, and whether one was held since an earlier pass. */
  last(
    key: NamespacedName,
    { metadata }: KubernetesObject,
  ): (StatusReport & { readonly wasHeld: boolean }) | undefined {
    const held = this.#held.get(key);
    const isNamesake = held !== undefined && held.object.metadata.uid !== metadata.uid;
    if (isNamesake) this.#held.delete(key);
    const report = this.#said.get(key) ?? (isNamesake ? undefined : held);
    return report && { ...report, wasHeld: held !== undefined && !isNamesake };
  }

  /** Leaves what was said to the next pass. */
  hold(key: NamespacedName, { object, status }: StatusReport): void {
    this.#said.delete(key);
    this.#held.set(key, { object, status });
  }

  /** Something newer than what was held is written. */
  written(key: NamespacedName): void {
    this.#held.delete(key);
  }

  /** The server will never have it. */
  refused(key: NamespacedName, { status }: StatusReport): void {
    if (this.#held.get(key)?.status === status) this.#held.delete(key);
  }

  /** It is written, or the object is gone. */
  forget(key: NamespacedName): void {
    this.#said.delete(key);
    this.#held.delete(key);
  }
}
