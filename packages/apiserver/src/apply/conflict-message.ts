/** Conflicts of an apply, in the words of the real server; whether there are any, `apply-conflict.ts` says. */

import { compareText, type PathSet, printPaths } from '@keelson/core/fields';
import type { Managers } from './ownership/managed-fields.ts';

export interface ApplyConflict {
  /** As the server prints it: `"kubectl" using apps/v1`. */
  readonly manager: string;
  /** `.spec.template.spec.containers[name="x"].image` */
  readonly field: string;
}

export interface ConflictCause {
  readonly reason: 'FieldManagerConflict';
  readonly message: string;
  readonly field: string;
}

/** By manager, then in the order of fields. */
export function conflictsOf(taken: ReadonlyMap<string, PathSet>, managers: Managers): ApplyConflict[] {
  return Array.from(taken)
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([id, fields]) => {
      const manager = printManager(id, managers);
      return printPaths(fields).map((field) => ({ manager, field }));
    });
}

export function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.field}`;
  }
  const lines: string[] = [];
  let previous: string | undefined;
  for (const { manager, field } of conflicts) {
    if (manager !== previous) lines.push(`conflicts with ${manager}:`);
    lines.push(`- ${field}`);
    previous = manager;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

export function conflictCauses(conflicts: readonly ApplyConflict[]): ConflictCause[] {
  return conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field,
  }));
}

function printManager(id: string, managers: Managers): string {
  const owner = managers.get(id);
  if (owner === undefined) return JSON.stringify(id);
  const { manager, subresource, operation, apiVersion } = owner;
  const name = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
