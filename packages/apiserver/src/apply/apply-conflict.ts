/**
 * Whether an apply is a conflict: it is when it would change fields that others own, and does not force it.
 *
 * `kubectl` is not in conflict with what it applied itself before it applied on the server.
 */
import { difference, type PathSet } from '@keelson/core/fields';
import type { JsonObject } from '../object.ts';
import { type ApplyConflict, conflictsOf } from './conflict-message.ts';
import { lastAppliedFields } from './ownership/last-applied.ts';
import type { Managers } from './ownership/managed-fields.ts';
import type { ObjectType } from './schemas/object-type.ts';

export interface Apply {
  readonly live: JsonObject;
  readonly type: ObjectType;
  readonly manager: string;
  readonly force: boolean;
}

/** `taken` is what each of the other managers would lose; empty when the apply may go on. */
export function applyConflicts(
  { live, type, manager, force }: Apply,
  taken: ReadonlyMap<string, PathSet>,
  managers: Managers,
): readonly ApplyConflict[] {
  if (force || taken.size === 0) return [];
  return conflictsOf(manager === 'kubectl' ? withoutOwn(taken, live, type) : taken, managers);
}

function withoutOwn(taken: ReadonlyMap<string, PathSet>, live: JsonObject, type: ObjectType): Map<string, PathSet> {
  const own = lastAppliedFields(live, type);
  return new Map(Array.from(taken, ([id, fields]) => [id, difference(fields, own)]));
}
