/**
 * All objects of one resource, in the order of their keys, with the recent changes to them.
 *
 * Promises: lists are in key order and belong to one instant; a list once handed out never changes; any state since the
 * oldest kept change can be had again.
 * Does not: number revisions or notify of changes; that is the store's part.
 */
import { RecentObjects } from './recent-objects.ts';
import type { Change, Revision } from './revision.ts';

/** The state that was asked for is no longer kept. */
export const compacted = Symbol('compacted');

/** How many past states are kept whole, so that the pages of a list do not rebuild theirs. */
const keptSnapshots = 8;

export class Collection {
  readonly name: string;
  readonly recent: RecentObjects;
  #entries: Revision[] = [];
  /** The array has been handed out: the next write copies it. */
  #lent = false;
  #changes: Change[] = [];
  /** The state of this revision and of later ones can be had. */
  #oldest: number;
  readonly #keep: number;
  readonly #snapshots = new Map<number, readonly Revision[]>();

  /** `keep` changes are kept, and `recent` objects as such; `since` is the store's revision when the collection came to be. */
  constructor(name: string, keep: number, recent: number, since: number) {
    this.name = name;
    this.recent = new RecentObjects(recent);
    this.#keep = keep;
    this.#oldest = since;
  }

  get size(): number {
    return this.#entries.length;
  }

  get oldest(): number {
    return this.#oldest;
  }

  get(key: string): Revision | undefined {
    const found = this.#entries[firstNotBefore(this.#entries, key)];
    return found?.key === key ? found : undefined;
  }

  /** All objects, in key order. */
  list(): readonly Revision[] {
    this.#lent = true;
    return this.#entries;
  }

  /** All objects as they were at a revision. */
  listAt(revision: number): readonly Revision[] | typeof compacted {
    if (revision < this.#oldest) return compacted;
    const newest = this.#changes.at(-1)?.revision.number ?? 0;
    if (revision >= newest) return this.list();
    const kept = this.#snapshots.get(revision);
    if (kept !== undefined) return kept;
    const state = this.#rebuild(revision);
    if (this.#snapshots.size >= keptSnapshots) {
      const [first] = this.#snapshots.keys();
      if (first !== undefined) this.#snapshots.delete(first);
    }
    this.#snapshots.set(revision, state);
    return state;
  }

  /** The changes after a revision, oldest first. */
  changesAfter(revision: number): readonly Change[] | typeof compacted {
    if (revision < this.#oldest) return compacted;
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision.number ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#changes.slice(low);
  }

  record(change: Change): void {
    if (this.#lent) {
      this.#entries = [...this.#entries];
      this.#lent = false;
    }
    const index = firstNotBefore(this.#entries, change.revision.key);
    switch (change.type) {
      case 'ADDED':
        this.#entries.splice(index, 0, change.revision);
        break;
      case 'MODIFIED':
        this.#entries[index] = change.revision;
        break;
      case 'DELETED':
        this.#entries.splice(index, 1);
        break;
      default:
        change satisfies never;
    }
    this.#changes.push(change);
    // Dropped by halves, so that a full history costs nothing per change.
    if (this.#changes.length > 2 * this.#keep) {
      const dropped = this.#changes.splice(0, this.#changes.length - this.#keep);
      this.#forgetUntil(dropped.at(-1)?.revision.number ?? 0);
    }
  }

  /** Forgets the states before a revision. */
  compact(revision: number): void {
    this.#changes = this.#changes.filter((change) => change.revision.number > revision);
    this.#forgetUntil(revision);
  }

  #forgetUntil(revision: number): void {
    this.#oldest = Math.max(this.#oldest, revision);
    for (const kept of this.#snapshots.keys()) if (kept < this.#oldest) this.#snapshots.delete(kept);
  }

  /** Takes the changes since then back: of each key, the first of them knows what was before. */
  #rebuild(revision: number): readonly Revision[] {
    const before = new Map<string, Revision | undefined>();
    for (const change of this.#changes) {
      const { key, number } = change.revision;
      if (number > revision && !before.has(key)) before.set(key, change.previous);
    }
    const state = this.#entries.filter(({ key }) => !before.has(key));
    for (const previous of before.values()) {
      if (previous !== undefined) state.splice(firstNotBefore(state, previous.key), 0, previous);
    }
    return state;
  }
}

/** The part of a list whose keys begin with `prefix`; keys are ASCII, so code units are in the order of bytes. */
export function withPrefix(entries: readonly Revision[], prefix: string): readonly Revision[] {
  if (prefix === '') return entries;
  return entries.slice(firstNotBefore(entries, prefix), firstNotBefore(entries, `${prefix}\uffff`));
}

/** Where the key is, or would be. */
export function firstNotBefore(entries: readonly Revision[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.key ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
