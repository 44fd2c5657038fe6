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

/** What is wrong with a term of a field selector, for those who have words of their own for it. */
export type FieldSelectorProblem =
  /** It has no operator. */
  | { readonly type: 'operator'; readonly term: string }
  /** A backslash stands before something that needs none. */
  | { readonly type: 'escape'; readonly term: string; readonly sequence: string }
  /** A character of the value needs a backslash before it. */
  | { readonly type: 'unescaped'; readonly term: string; readonly value: string; readonly character: string }
  /** It names no field; a server finds that out after the others. */
  | { readonly type: 'field'; readonly term: string };

/** A selector that a server would refuse; `problem` says why, `message` for people. */
export class FieldSelectorError extends TypeError {
  readonly code = 'ERR_FIELD_SELECTOR';
  readonly problem: FieldSelectorProblem;

  constructor(problem: FieldSelectorProblem, text: string) {
    super(`field selector ${quoted(text)}: ${printProblem(problem)}`);
    this.problem = problem;
  }
}

function printProblem(problem: FieldSelectorProblem): string {
  switch (problem.type) {
    case 'operator':
      return `${quoted(problem.term)} has no '=' or '!='`;
    case 'escape':
      return `'${problem.sequence}' stands for nothing; only ',', '=' and '\\' are escaped`;
    case 'unescaped':
      return `in ${quoted(problem.value)} a '${problem.character}' needs a '\\' before it`;
    case 'field':
      return `${quoted(problem.term)} names no field`;
    default:
      return problem satisfies never;
  }
}

/**
 * Reads a field selector: `metadata.name=x,status.phase!=Running`. In a value a backslash must stand before a comma, an
 * equals sign or a backslash that belongs to it. Space is not skipped. Throws a `FieldSelectorError` for what a server
 * would refuse; of several problems, the one that a server names.
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  const terms = text.match(/(?:\\.|\\$|[^,\\])+/gs) ?? []; // empty ones are skipped, and so is `=` alone
  const requirements: FieldRequirement[] = [];
  const problems: FieldSelectorProblem[] = [];
  for (const term of terms) {
    const read = readTerm(term);
    if ('type' in read) problems.push(read);
    else if (read.field !== '') requirements.push(read);
  }
  const [first] = problems.sort((a, b) => rank(a) - rank(b) || (a.term < b.term ? -1 : 1));
  if (first !== undefined) throw new FieldSelectorError(first, text);
  return requirements;
}

const rank = ({ type }: FieldSelectorProblem): number => (type === 'field' ? 1 : 0);

function readTerm(term: string): FieldRequirement | FieldSelectorProblem {
  const [, field = '', operator, escaped = ''] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
  if (operator === undefined) return { type: 'operator', term };
  for (const [found, after] of escaped.matchAll(/\\(.?)|=/gsu)) {
    if (after === undefined) return { type: 'unescaped', term, value: escaped, character: found };
    if (!['\\', ',', '='].includes(after)) return { type: 'escape', term, sequence: found };
  }
  if (field === '' && escaped !== '') return { type: 'field', term };
  return { field, operator: operator === '!=' ? '!=' : '=', value: escaped.replace(/\\(.)/gs, '$1') };
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
