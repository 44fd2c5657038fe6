/**
 * Tells news from the echo of our own writes, so that a failing pass cannot overtake its own backoff.
 *
 * A status that is applied comes back as a change of the reconciled object. After a pass that went well that is a reason
 * to look again, as for any change. After one that failed it is not: the retry is planned already, and an error text that
 * differs each time would otherwise wake the next pass at once, for ever.
 *
 * Two writes are never news: the finalizer that a pass begins with, since it works on what came of it, and a status that
 * is reported, since it follows from what the pass has seen.
 *
 * A change is our own only if it leads from the very state that we wrote over to the one that we got back; where a list
 * has joined several changes into one, it is news.
 */
import type { KubernetesObject, NamespacedName } from '@keelson/core';
import { isSameWish } from './same-wish.ts';

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
  /** Writes that are no news, in their order, until they come. */
  readonly #marks = new Map<NamespacedName, readonly Change[]>();

  begin(key: NamespacedName): void {
    this.#passes.set(key, { writes: new Map(), held: [], isOver: false });
  }

  wrote(key: NamespacedName, before: KubernetesObject, after: KubernetesObject): void {
    this.#passes.get(key)?.writes.set(after.metadata.resourceVersion, before.metadata.resourceVersion);
  }

  /** This write of ours is no news when it comes. */
  marked(key: NamespacedName, before: KubernetesObject, after: KubernetesObject): void {
    const mark = { before: before.metadata.resourceVersion, after: after.metadata.resourceVersion };
    if (mark.before === mark.after) return;
    const held = this.#passes.get(key)?.held ?? [];
    const came = held.findIndex((change) => isSame(change, mark));
    if (came >= 0) held.splice(came, 1);
    else this.#marks.set(key, [...(this.#marks.get(key) ?? []), mark].slice(-mostMarks));
  }

  /** A status that was reported: no news, unless the answer shows that somebody has changed what we had not seen yet. */
  reported(key: NamespacedName, before: KubernetesObject, after: KubernetesObject): void {
    if (isSameWish(before, after)) this.marked(key, before, after);
  }

  /** Calls `wake` now, at the end of the running pass, or never. */
  changed(key: NamespacedName, previous: KubernetesObject, object: KubernetesObject, wake: () => void): void {
    const pass = this.#passes.get(key);
    const change = { before: previous.metadata.resourceVersion, after: object.metadata.resourceVersion, wake };
    if (this.#isMarked(key, change)) return;
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

  /** Whether the change is one of these writes, or several that lead on from each other. */
  #isMarked(key: NamespacedName, { before, after }: Change): boolean {
    const marks = this.#marks.get(key) ?? [];
    let at = marks.findIndex((mark) => mark.before === before);
    while (at >= 0 && marks[at]?.after !== after) at = marks[at + 1]?.before === marks[at]?.after ? at + 1 : -1;
    // What is news may stand for a write of ours as well, which will not come by itself then.
    const left = at >= 0 ? marks.slice(at + 1) : marks.filter((mark) => mark.before !== before && mark.after !== after);
    if (left.length > 0) this.#marks.set(key, left);
    else this.#marks.delete(key);
    return at >= 0;
  }
}

/** What never comes, since the watch is down or has joined it with other changes, is not kept for ever. */
const mostMarks = 8;

const isOwn = (pass: Pass, { before, after }: Change): boolean => pass.writes.get(after) === before;
const isSame = (a: Change, b: Change): boolean => a.before === b.before && a.after === b.after;
