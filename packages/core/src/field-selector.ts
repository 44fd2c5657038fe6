/**
 * Field selectors: parse, print, match.
 *
 * Which fields of a kind select is known to the server alone; a text is read here as there, and matching follows what
 * the server does with the fields that it knows.
 */
import { quoted } from './names.ts';

/** One term of a field selector: `status.phase!=Running`. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Reads a field selector: `metadata.name=x,status.phase!=Running`. In a value a backslash must stand before a comma, an
 * equals sign or a backslash that belongs to it. Space is not skipped.
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  const terms = text.match(/(?:\\.|\\$|[^,\\])+/gs) ?? []; // empty ones are skipped, and so is `=` alone
  return terms.flatMap((term) => {
    const [, field = '', operator, value = ''] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
    const refuse = (why: string) => new TypeError(`field selector ${quoted(text)}: ${why}`);
    if (operator === undefined) throw refuse(`${quoted(term)} has no '=' or '!='`);
    if (field === '' && value !== '') throw refuse(`${quoted(term)} names no field`);
    if (field === '') return [];
    return [{ field, operator: operator === '!=' ? '!=' : '=', value: unescaped(value, refuse) }];
  });
}

function unescaped(value: string, refuse: (why: string) => TypeError): string {
  return value.replace(/\\(.?)|=/gs, (found, escaped?: string) => {
    if (escaped === undefined) throw refuse(`in ${quoted(value)} a '=' needs a '\\' before it`);
    if (!['\\', ',', '='].includes(escaped))
      throw refuse(`'${found}' stands for nothing; only ',', '=' and '\\' are escaped`);
    return escaped;
  });
}

/** The text of a field selector, as the server reads it. */
export function printFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',');
}

/** Whether an object has the fields; an absent one counts as empty, as it does to the server. */
export function matchesFields(requirements: readonly FieldRequirement[], object: object): boolean {
  return requirements.every(({ field, operator, value }) => (textAt(object, field) === value) === (operator === '='));
}

type Reader = (object: object) => string;

/** Fields that are not what their path says: Go's zero value where there is nothing, and names of old. */
const peculiar = new Map<string, ReadonlyMap<string, Reader>>([
  [
    'v1 Pod',
    new Map<string, Reader>([
      ['spec.host', (object) => at(object, 'spec.nodeName')],
      ['spec.hostNetwork', (object) => at(object, 'spec.hostNetwork') || 'false'],
    ]),
  ],
  ['v1 Node', new Map([['spec.unschedulable', (object) => at(object, 'spec.unschedulable') || 'false']])],
  ['v1 ReplicationController', new Map([['status.replicas', (object) => at(object, 'status.replicas') || '0']])],
  ['v1 Event', new Map([['source', (object) => at(object, 'source.component') || at(object, 'reportingComponent')]])],
  ['batch/v1 Job', new Map([['status.successful', (object) => at(object, 'status.succeeded') || '0']])],
]);

function textAt(object: object, field: string): string {
  const { apiVersion, kind } = object as { readonly apiVersion?: unknown; readonly kind?: unknown };
  return peculiar.get(`${apiVersion} ${kind}`)?.get(field)?.(object) ?? at(object, field);
}

/** Only text, numbers and booleans select. */
function at(object: object, field: string): string {
  let value: unknown = object;
  for (const step of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return '';
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value === null || typeof value === 'object' ? '' : String(value ?? '');
}
