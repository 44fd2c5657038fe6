/**
 * Recognises an apply that would change nothing, so that it need not be sent.
 *
 * The server notes which fields a manager applied. Projecting the live object onto them gives what was applied, as the
 * server writes it; when that equals what is wanted, an apply is a no-op. Where the server writes a value in another
 * way (`cpu: '0.1'` becomes `100m`), the two never become equal, so the pair of what was sent and what came of it is
 * remembered: the same wish over the same outcome is a no-op too.
 *
 * Does not: survive a restart. A wish that the server rewrites is then sent once more, and changes nothing there.
 */
import { createHash } from 'node:crypto';
import { appliedEntryOf, equalJson, type FieldSet, isObject, type KubernetesObject, project } from '@keelson/core';
import { differingPaths, type FieldPath, managersOf } from '../field-diff.ts';
import { suspiciousItems } from './foreign-items.ts';

export class NoOpApplies {
  readonly manager: string;
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
    for (const subresource of ['', 'status']) this.#outcomes.delete(`${uid} ${subresource}`);
  }

  #projection(object: KubernetesObject, subresource: string): unknown {
    const fields = appliedEntryOf(object, this.manager, subresource)?.fieldsV1;
    return fields === undefined ? undefined : project(object, fields as FieldSet);
  }
}

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
  return createHash('sha256').update(canonical).digest('base64');
}
