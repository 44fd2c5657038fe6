/**
 * Tells news from the echo of our own status writes, so that a failing pass cannot overtake its own backoff.
 *
 * A status write comes back as a change of the reconciled object. After a pass that went well that is a reason to look
 * again, as for any change. After one that failed it is not: the retry is planned already, and an error text that
 * differs each time would otherwise wake the next pass at once, for ever.
 *
 * The finalizer that a pass begins with is never news: the pass itself works on what came of it.
 *
 * A change is our own only if it leads from the very state that we wrote over to the one that we got back; where a list
 * has joined several changes into one, it is news.
 */
import type { KubernetesObject, NamespacedName } from '@keelson/core';

/** From which resourceVersion to which. */
interface Change {
  readonly before: string;
  readonly after: string;
}

interface Pass {
  /** What we got back, and what we had seen before we wrote. */
  readonly writes: Map<string, string>;
  /** Changes that came meanwhile. The object is in work, so they can wait for the end. */
  readonly held: (Change & { readonly wake: () => void })[];
  isOver: boolean;
}

export class StatusEchoes {
  readonly #passes = new Map<NamespacedName, Pass>();
  /** Writes that a pass began with, and whose result it saw: from which state to which. */
  readonly #marks = new Map<NamespacedName, Change>();

  begin(key: NamespacedName): void {
    this.#passes.set(key, { writes: new Map(), held: [], isOver: false });
  }

  wrote(key: NamespacedName, before: KubernetesObject, after: KubernetesObject): void {
    this.#passes.get(key)?.writes.set(after.metadata.resourceVersion, before.metadata.resourceVersion);
  }

  /** The pass that runs works on `after`, so it is no news when that comes. */
  marked(key: NamespacedName, before: KubernetesObject, after: KubernetesObject): void {
    const mark = { before: before.metadata.resourceVersion, after: after.metadata.resourceVersion };
    if (mark.before === mark.after) return;
    const held = this.#passes.get(key)?.held ?? [];
    const came = held.findIndex((change) => isSame(change, mark));
    if (came >= 0) held.splice(came, 1);
    else this.#marks.set(key, mark);
  }

  /** Calls `wake` now, at the end of the running pass, or never. */
  changed(key: NamespacedName, previous: KubernetesObject, object: KubernetesObject, wake: () => void): void {
    const pass = this.#passes.get(key);
    const change = { before: previous.metadata.resourceVersion, after: object.metadata.resourceVersion, wake };
    const mark = this.#marks.get(key);
    this.#marks.delete(key);
    if (mark !== undefined && isSame(mark, change)) return;
    if (pass === undefined) wake();
    else if (!pass.isOver) pass.held.push(change);
    else if (!isOwn(pass, change)) wake();
  }

  /** The pass went well: whatever came meanwhile is a reason to look again. */
  succeeded(key: NamespacedName): void {
    const pass = this.#passes.get(key);
    this.#passes.delete(key);
    for (const { wake } of pass?.held ?? []) wake();
  }

  /** The pass failed: its own echoes are dropped, now and until the next one begins. */
  failed(key: NamespacedName): void {
    const pass = this.#passes.get(key);
    if (pass === undefined) return;
    pass.isOver = true;
    for (const change of pass.held.splice(0)) if (!isOwn(pass, change)) change.wake();
  }

  forget(key: NamespacedName): void {
    this.#passes.delete(key);
    this.#marks.delete(key);
  }
}

const isOwn = (pass: Pass, { before, after }: Change): boolean => pass.writes.get(after) === before;
const isSame = (a: Change, b: Change): boolean => a.before === b.before && a.after === b.after;
