/** The columns of `kubectl get`: those of the author, or the declared conditions, and the age. */
import type { CustomResourceColumnDefinition, JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { DefinitionField } from '../from-zod/definition-field.ts';
import { declaredConditions } from './conditions.ts';
import type { PrinterColumn, VersionDefinition } from './definition.ts';
import { fieldAt } from './field-path.ts';

const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;

/** The columns of a version, the age among them. */
export function printerColumns(
  version: VersionDefinition,
  schema: JSONSchemaProps,
  at: DefinitionField,
): readonly CustomResourceColumnDefinition[] {
  const columns = (version.printerColumns ?? conditionColumns(version)).map((column) => typed(column, schema, at));
  return columns.some(({ jsonPath }) => jsonPath === age.jsonPath) ? columns : [...columns, age];
}

/** The first declared condition is the one that users ask for; the others are shown by `-o wide`. */
function conditionColumns({ status }: VersionDefinition): readonly PrinterColumn[] {
  return declaredConditions(status?.shape.conditions).map((type, index) => ({
    name: type,
    type: 'string',
    jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
    ...(index > 0 && { priority: 1 }),
  }));
}

function typed(column: PrinterColumn, schema: JSONSchemaProps, at: DefinitionField): CustomResourceColumnDefinition {
  const field = fieldAt(schema, column.jsonPath);
  if (field === undefined) {
    at.refuse(`the column "${column.name}" shows ${column.jsonPath}, which is no field`);
  }
  const type = column.type ?? (typeof field === 'object' ? columnType(field) : undefined) ?? 'string';
  return { ...column, type };
}

function columnType({ type, format }: JSONSchemaProps): string | undefined {
  if (type === 'string') return format === 'date-time' ? 'date' : 'string';
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : undefined;
}
