/**
 * Recognises an apply that would change nothing, so that it need not be sent.
 *
 * The server notes which fields a manager applied. Projecting the live object onto them gives what was applied, as the
 * server writes it; when that equals what is wanted, an apply is a no-op. Where the server writes a value in another
 * way (`cpu: '0.1'` becomes `100m`), the two never become equal, so the pair of what was sent and what came of it is
 * remembered: the same wish over the same outcome is a no-op too.
 *
 * Projecting is the dearest part of a pass that finds nothing to do. So what was settled is remembered as well: a cache
 * takes the parts of an object that did not change from its state before, so where the same parts meet the same wish
 * again, the answer is known.
 *
 * Does not: survive a restart. A wish that the server rewrites is then sent once more, and changes nothing there.
 */
import { hash } from 'node:crypto';
import { appliedEntryOf, equalJson, type FieldSet, isObject, type KubernetesObject, project } from '@keelson/core';
import { differingPaths, type FieldPath, managersOf } from '../field-diff.ts';
import { suspiciousItems } from './foreign-items.ts';

/** A wish of which nothing was left to do, and what it was compared with. */
interface Settled {
  readonly wanted: string;
  readonly fields: FieldSet;
  readonly parts: readonly unknown[];
}

export class NoOpApplies {
  readonly manager: string;
  readonly #settled = new Map<string, Settled>();
  readonly #innocent = new Map<string, string>();
  readonly #outcomes = new Map<string, { readonly wanted: string; readonly outcome: string }>();

  constructor(manager: string) {
    this.manager = manager;
  }

  /** Whether applying `wanted` over `live` would leave it as it is. */
  wouldChangeNothing(live: KubernetesObject, wanted: object, subresource = ''): boolean {
    const projection = this.#projection(live, subresource);
    if (projection === undefined) return false;
    const content = contentOf(wanted);
    if (equalJson(content, projection)) return true;
    const known = this.#outcomes.get(`${live.metadata.uid} ${subresource}`);
    return known !== undefined && known.wanted === digest(content) && known.outcome === digest(projection);
  }

  /** Whether `settle` was told the same wish for an object whose parts have been the same ever since. */
  isSettled(live: KubernetesObject, wanted: object, shared: readonly string[]): boolean {
    const { uid } = live.metadata;
    const known = this.#settled.get(uid);
    if (known === undefined) return false;
    const parts = partsIn(live, known.fields);
    if (known.fields === this.fieldsOf(live) && known.parts.every((part, i) => part === parts[i])) {
      return known.wanted === wishOf(wanted, shared);
    }
    this.#settled.delete(uid); // it would keep what the cache has let go
    return false;
  }

  /** Nothing is left to do for `wanted`: no item of it is in the hands of others, and an apply would change nothing. */
  settle(live: KubernetesObject, wanted: object, shared: readonly string[]): void {
    const fields = this.fieldsOf(live);
    if (fields === undefined) return;
    this.#settled.set(live.metadata.uid, { wanted: wishOf(wanted, shared), fields, parts: partsIn(live, fields) });
  }

  /** The fields in which `wanted` differs from what this manager has in `live`. */
  differences(live: KubernetesObject, wanted: object, subresource = ''): readonly FieldPath[] {
    return differingPaths(this.#projection(live, subresource) ?? {}, contentOf(wanted));
  }

  /** Who else manages the fields, by the object as the server has it. */
  othersAt(live: KubernetesObject, fields: readonly FieldPath[]): readonly string[] {
    return [...new Set(fields.flatMap((field) => managersOf(live, field, this.manager)))];
  }

  /** Notes what became of `wanted`. */
  remember(result: KubernetesObject, wanted: object, subresource = ''): void {
    const projection = this.#projection(result, subresource);
    const content = contentOf(wanted);
    const id = `${result.metadata.uid} ${subresource}`;
    if (projection === undefined || equalJson(content, projection)) this.#outcomes.delete(id);
    else this.#outcomes.set(id, { wanted: digest(content), outcome: digest(projection) });
  }

  /** Items of described lists that are not ours, unless the server was asked about just these before. */
  suspects(live: KubernetesObject, wanted: object, shared: readonly string[]): readonly unknown[] {
    const items = suspiciousItems(live, this.fieldsOf(live), wanted, shared);
    return items.length > 0 && this.#innocent.get(live.metadata.uid) !== digest(items) ? items : [];
  }

  /** These items belong to no manager: defaults, or what admission added. */
  acquit({ metadata }: KubernetesObject, items: readonly unknown[]): void {
    this.#innocent.set(metadata.uid, digest(items));
  }

  /** What this manager has applied. */
  fieldsOf(object: KubernetesObject): FieldSet | undefined {
    return appliedEntryOf(object, this.manager)?.fieldsV1 as FieldSet | undefined;
  }

  /** The object is gone. */
  forget(uid: string): void {
    this.#innocent.delete(uid);
    this.#settled.delete(uid);
    for (const subresource of ['', 'status']) this.#outcomes.delete(`${uid} ${subresource}`);
  }

  #projection(object: KubernetesObject, subresource: string): unknown {
    const fields = appliedEntryOf(object, this.manager, subresource)?.fieldsV1;
    return fields === undefined ? undefined : project(object, fields as FieldSet);
  }
}

/** What of an object decides about a wish: its spec, where others may add items, and what our field set is about. */
function partsIn(object: KubernetesObject, fields: FieldSet): readonly unknown[] {
  const members = object as unknown as Readonly<Record<string, unknown>>;
  const metadata = object.metadata as unknown as Readonly<Record<string, unknown>>;
  const parts = [members.spec];
  for (const step of Object.keys(fields)) {
    if (step !== 'f:metadata') parts.push(members[step.slice(2)]);
    else for (const below of Object.keys(fields[step] ?? {})) parts.push(metadata[below.slice(2)]);
  }
  return parts;
}

/** The same for the same wish, as long as its author names the members in the same order. */
const wishOf = (wanted: object, shared: readonly string[]): string =>
  hash('sha256', JSON.stringify([wanted, shared]), 'base64');

/** What an applied object says beyond which object it is; a field set does not hold the identity. */
function contentOf(wanted: object): object {
  const { apiVersion: _, kind: __, metadata, ...content } = wanted as Record<string, unknown>;
  const { name, namespace, uid, ...rest } = (metadata ?? {}) as Record<string, unknown>;
  return Object.keys(rest).length > 0 ? { metadata: rest, ...content } : content;
}

/** The same for equal JSON values, whatever the order of their members. */
function digest(value: unknown): string {
  const canonical = JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
  return hash('sha256', canonical, 'base64');
}
