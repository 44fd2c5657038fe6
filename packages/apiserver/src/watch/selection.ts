/** Which objects a list or a watch is about: a namespace, a name, labels and fields. */
import {
  type FieldRequirement,
  FieldSelectorError,
  type FieldSelectorProblem,
  LabelSelectorError,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type Requirement,
} from '@keelson/core';
import type { Resource } from '../resource/resource.ts';
import { badRequest } from '../status.ts';
import type { Revision } from '../store/revision.ts';
import { labelSelectorMessage } from './label-selector-message.ts';

export interface Selection {
  readonly namespace: string;
  /** Equal texts select equally. */
  readonly text: string;
  /** Nothing but the namespace selects. */
  readonly isEverything: boolean;
  /** Whether an object in the namespace is selected. By labels, name and namespace that needs no parsed object. */
  matches(revision: Revision): boolean;
}

const metadataFields: Readonly<Record<string, (revision: Revision) => string>> = {
  'metadata.name': ({ name }) => name,
  'metadata.namespace': ({ namespace }) => namespace,
};

export function selectionOf(resource: Resource, namespace: string, labels: string, fields: string): Selection {
  const { strategy } = resource;
  const labelRequirements = labelsOf(labels);
  const requirements = fieldsOf(fields, (field) => strategy.unknownField(field));
  const getters = requirements.map(({ field, operator, value }) => {
    const inObject = strategy.fields.get(field);
    const get = metadataFields[field] ?? (inObject && (({ object }) => inObject(strategy.fromStorage(object))));
    if (get === undefined) throw badRequest(strategy.unknownField(field));
    return { get, operator, value };
  });
  const named = requirements.find(({ field, operator }) => field === 'metadata.namespace' && operator === '=')?.value;
  return {
    namespace: namespace || (resource.namespaced ? (named ?? '') : ''),
    text: `${strategy.readVersion}\n${labels}\n${fields}`,
    isEverything: labelRequirements.length === 0 && getters.length === 0,
    matches: (revision) =>
      matchesLabels(labelRequirements, revision.labels) &&
      getters.every(({ get, operator, value }) => (get(revision) === value) === (operator === '=')),
  };
}

function labelsOf(text: string): readonly Requirement[] {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (error instanceof LabelSelectorError) throw badRequest(labelSelectorMessage(error.problem));
    throw error;
  }
}

function fieldsOf(text: string, unknownField: (field: string) => string): readonly FieldRequirement[] {
  try {
    return parseFieldSelector(text);
  } catch (error) {
    if (error instanceof FieldSelectorError) throw badRequest(fieldSelectorMessage(error.problem, text, unknownField));
    throw error;
  }
}

/** What is wrong with a field selector, in the words of the real server. */
function fieldSelectorMessage(
  problem: FieldSelectorProblem,
  text: string,
  unknownField: (field: string) => string,
): string {
  switch (problem.type) {
    case 'operator':
      return `invalid selector: '${text}'; can't understand '${problem.term}'`;
    case 'escape':
      return `invalid field selector: invalid escape sequence: ${problem.sequence}`;
    case 'unescaped':
      return `invalid field selector: unescaped character in value: ${problem.character.codePointAt(0)}`;
    case 'field':
      return unknownField('');
    default:
      return problem satisfies never;
  }
}
