/** The parts of which tables are made: columns, ages, and cells that several kinds have. */
import { printLabelSelector, requirementsOf } from '@keelson/core';
import type { PodSpec } from '@keelson/core/v1';
import type { ApiObject } from '../object.ts';
import type { Column, TableRules } from '../resource/resource.ts';

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const createdDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

export const column = (name: string, description: string, more: Partial<Column> = {}): Column => ({
  name,
  type: 'string',
  format: '',
  description,
  priority: 0,
  ...more,
});

/** Only shown with `-o wide`. */
export const wide = (name: string, description: string): Column => column(name, description, { priority: 1 });
export const integer = (name: string, description: string): Column => column(name, description, { type: 'integer' });

export const nameColumn = column('Name', nameDescription, { format: 'name' });
export const ageColumn = column('Age', createdDescription);

/** How long ago, as briefly as a reader needs it: `45s`, `3m20s`, `5h`, `3d4h`. */
export function duration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  const both = (a: number, unitA: string, b: number, unitB: string) =>
    b === 0 ? `${a}${unitA}` : `${a}${unitA}${b}${unitB}`;
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return both(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return both(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  if (days < 2920) return both(Math.trunc(days / 365), 'y', days % 365, 'd');
  return `${Math.trunc(days / 365)}y`;
}

/** The age of a timestamp; a wall clock stands between whole seconds and shows none that has not passed. */
export function since(timestamp: string | null | undefined, now: number): string {
  return timestamp ? duration(now - Date.parse(timestamp)) : '<unknown>';
}

export const age = ({ metadata }: ApiObject, now: number): string => since(metadata.creationTimestamp, now);

export const named = (cells: TableRules['cells'], ...columns: readonly Column[]): TableRules => ({
  columns: [nameColumn, ...columns],
  cells: (object, now) => [object.metadata.name ?? '', ...cells(object, now)],
});

export const containerColumns: readonly Column[] = [
  wide('Containers', 'Names of each container in the template.'),
  wide('Images', 'Images referenced by each container in the template.'),
];

export const containerCells = (spec: PodSpec | undefined): readonly string[] => [
  (spec?.containers ?? []).map(({ name }) => name).join(','),
  (spec?.containers ?? []).map(({ image }) => image ?? '').join(','),
];

export function selectorText(selector: Parameters<typeof requirementsOf>[0] | undefined): string {
  if (selector === undefined) return '<none>';
  try {
    return printLabelSelector(requirementsOf(selector)) || '<none>';
  } catch {
    return '<invalid>';
  }
}

export const labelsText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '<none>';

/** CustomResourceDefinitions have no columns of their own. */
export const plainTable: TableRules = {
  columns: [nameColumn, column('Created At', createdDescription, { type: 'date' })],
  cells: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? null],
};

/** Most kinds show their age and nothing else. */
export const agedTable: TableRules = named((object, now) => [age(object, now)], ageColumn);
