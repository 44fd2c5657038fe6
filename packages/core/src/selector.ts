/**
 * Label and field selectors: parse, print, match.
 *
 * Matching is what a server does: a store filters with the same function by which a watch was asked for, so both see
 * the same objects.
 */
import type { LabelSelector } from './generated/meta/v1.ts';

export type { LabelSelector };

export type Requirement =
  | { readonly key: string; readonly operator: 'In' | 'NotIn'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'Exists' | 'DoesNotExist' };

export type Labels = Readonly<Record<string, string>>;

/** What selects by label: equal pairs, requirements, Kubernetes' LabelSelector, or the text that kubectl takes. */
export type LabelSelection = string | Labels | LabelSelector | readonly Requirement[];

/** A label may be called `matchLabels`, but then its value is a string. */
const isLabelSelector = (selection: Labels | LabelSelector): selection is LabelSelector =>
  ['matchLabels', 'matchExpressions'].some(
    (name) => name in selection && typeof (selection as Labels)[name] !== 'string',
  );

/** The requirements of a selection, all of which must hold. */
export function requirementsOf(selection: LabelSelection): readonly Requirement[] {
  if (typeof selection === 'string') return parseLabelSelector(selection);
  if (Array.isArray(selection)) return selection;
  if (!isLabelSelector(selection as Labels | LabelSelector)) return equalities(selection as Labels);
  const { matchLabels, matchExpressions } = selection as LabelSelector;
  return [
    ...equalities(matchLabels ?? {}),
    ...(matchExpressions ?? []).map(({ key, operator, values }) => requirement(key, operator, values ?? [])),
  ];
}

const equalities = (labels: Labels): Requirement[] =>
  Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));

function requirement(key: string, operator: string, values: readonly string[]): Requirement {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) throw new TypeError(`label selector: ${operator} on "${key}" needs at least one value`);
      return { key, operator, values };
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) throw new TypeError(`label selector: ${operator} on "${key}" takes no values`);
      return { key, operator };
    default:
      throw new TypeError(`label selector: "${operator}" on "${key}" is not one of In, NotIn, Exists, DoesNotExist`);
  }
}

export function matchesLabels(requirements: readonly Requirement[], labels: Labels | undefined): boolean {
  return requirements.every((wanted) => {
    const value = labels?.[wanted.key];
    switch (wanted.operator) {
      case 'In':
        return value !== undefined && wanted.values.includes(value);
      case 'NotIn':
        return value === undefined || !wanted.values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        return wanted satisfies never;
    }
  });
}

/** The text form, as a `labelSelector` parameter carries it. */
export function printLabelSelector(requirements: readonly Requirement[]): string {
  return requirements
    .map((wanted) => {
      switch (wanted.operator) {
        case 'In':
          return wanted.values.length === 1
            ? `${wanted.key}=${wanted.values[0]}`
            : `${wanted.key} in (${wanted.values.join(',')})`;
        case 'NotIn':
          return wanted.values.length === 1
            ? `${wanted.key}!=${wanted.values[0]}`
            : `${wanted.key} notin (${wanted.values.join(',')})`;
        case 'Exists':
          return wanted.key;
        case 'DoesNotExist':
          return `!${wanted.key}`;
        default:
          return wanted satisfies never;
      }
    })
    .join(',');
}

const labelTerm =
  /^\s*(?:!\s*(?<absent>[\w./-]+)|(?<key>[\w./-]+)\s*(?:(?<operator>==|=|!=)\s*(?<value>[\w.-]*)|(?:\s(?<set>in|notin)\s*\((?<values>[\w.,\s-]*)\))|))\s*(?:,|$)/;

/** Reads the text form: `a=b,c!=d,e in (f,g),h,!i`. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  const requirements: Requirement[] = [];
  let rest = text;
  while (rest.trim() !== '') {
    const match = labelTerm.exec(rest);
    const groups = match?.groups;
    if (match === null || groups === undefined)
      throw new TypeError(`label selector: cannot read "${rest}" in "${text}"`);
    const { absent, key = '', operator, value = '', set, values = '' } = groups;
    if (absent) requirements.push({ key: absent, operator: 'DoesNotExist' });
    else if (operator) requirements.push({ key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] });
    else if (set)
      requirements.push({
        key,
        operator: set === 'in' ? 'In' : 'NotIn',
        values: values.split(',').map((each) => each.trim()),
      });
    else requirements.push({ key, operator: 'Exists' });
    rest = rest.slice(match[0].length);
  }
  return requirements;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Reads a field selector: `metadata.name=x,status.phase!=Running`; a backslash takes the next character as it is. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return (text.match(/(?:\\.|[^,\\])+/g) ?? []).map((term) => {
    const match = /^(?<field>(?:\\.|[^=!\\])+)(?<operator>==|=|!=)(?<value>(?:\\.|[^\\])*)$/.exec(term.trim());
    if (!match?.groups) throw new TypeError(`field selector: cannot read "${term}" in "${text}"`);
    const { field = '', operator, value = '' } = match.groups;
    return { field, operator: operator === '!=' ? '!=' : '=', value: value.replace(/\\(.)/g, '$1') };
  });
}

export function printFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',');
}

/** Whether an object has the fields; an absent one counts as empty, as it does to the server. */
export function matchesFields(requirements: readonly FieldRequirement[], object: object): boolean {
  return requirements.every(({ field, operator, value }) => {
    const found = field
      .split('.')
      .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], object);
    return (String(found ?? '') === value) === (operator === '=');
  });
}
