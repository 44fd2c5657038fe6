/** The table of a custom resource: its name, and the columns that its definition asks for. */
import type { CustomResourceColumnDefinition } from '@keelson/core/apiextensions/v1';
import { compilePath } from '../../encode/json-path.ts';
import { ageColumn, column, duration, nameColumn } from '../../encode/table-columns.ts';
import { jsonText } from '../../json-text.ts';
import type { TableRules } from '../../resource/resource.ts';

const defaultColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: ageColumn.description },
];

export function printerTable(columns: readonly CustomResourceColumnDefinition[] | undefined): TableRules {
  const shown = columns === undefined || columns.length === 0 ? defaultColumns : columns;
  const cells = shown.map(({ type, jsonPath }) => ({ type, find: findOrNothing(jsonPath) }));
  return {
    columns: [
      nameColumn,
      ...shown.map(({ name, type, format = '', description, jsonPath, priority = 0 }) =>
        column(name, description || `Custom resource definition column (in JSONPath format): ${jsonPath}`, {
          type,
          format,
          priority,
        }),
      ),
    ],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...cells.map(({ type, find }) => {
        const [first, ...others] = find(object);
        if (first === undefined) return null;
        return type === 'string' && others.length > 0 ? [first, ...others].map(text).join(' ') : cell(type, first, now);
      }),
    ],
  };
}

/** A path that cannot be read shows nothing; the definition was refused or warned of elsewhere. */
function findOrNothing(path: string): (value: unknown) => readonly unknown[] {
  try {
    return compilePath(path);
  } catch {
    return () => [];
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));

function cell(type: string, value: unknown, now: number): unknown {
  switch (type) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) ? value : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date': {
      if (typeof value !== 'string') return null;
      const wallMs = Date.parse(value);
      return Number.isNaN(wallMs) ? '<invalid>' : duration(now - wallMs);
    }
    default:
      return text(value);
  }
}
