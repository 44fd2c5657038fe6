/** Defaults: checked at definition, since the API server refuses a CRD whose defaults do not fit their own schema. */
import { equalJson } from '@keelson/core';
import { z } from 'zod';
import type { DefinitionField } from './definition-field.ts';

/** The default, if the API server would take it; refused with a way out if not. */
export function checkedDefault(
  def: z.core.$ZodDefaultDef | z.core.$ZodPrefaultDef,
  at: DefinitionField,
): { readonly default?: unknown } {
  // A getter: a function given to .default() runs at each access.
  const value: unknown = def.defaultValue;
  if (!equalJson(value, def.defaultValue)) {
    at.refuse(
      'its default is a new value each time, and a CRD holds one for all: leave it .optional(), and decide in the controller',
    );
    return {};
  }
  if (value === null || value === undefined) {
    at.refuse(`the API server takes a default of ${value} for none: leave it .optional()`);
    return {};
  }
  const parsed = z.safeParse(def.innerType, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.length ? ` (${issue.path.join('.')})` : '';
    at.refuse(`its default ${JSON.stringify(value)} does not fit${where}: ${issue?.message ?? 'unknown reason'}`);
    return {};
  }
  const lost = unknownField(value, parsed.data);
  if (lost !== undefined) at.refuse(`its default has a field "${lost}" that the schema has not`);
  return { default: value };
}

/** The first field of `value` that parsing dropped. */
function unknownField(value: unknown, kept: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || typeof kept !== 'object' || kept === null) return undefined;
  for (const [name, field] of Object.entries(value)) {
    if (!(name in kept)) return name;
    const inner = unknownField(field, (kept as Readonly<Record<string, unknown>>)[name]);
    if (inner !== undefined) return Array.isArray(value) ? inner : `${name}.${inner}`;
  }
  return undefined;
}
