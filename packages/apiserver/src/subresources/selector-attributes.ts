/** The selectors in a question about access: rules know none, so that they are checked and have no effect. */

import { parseFieldSelector, parseLabelSelector } from '@keelson/core';
import {
  forbiddenField,
  invalidValue,
  labelValueProblems,
  type Problem,
  qualifiedNameProblems,
  required,
} from '@keelson/schema/validation';
import type { JsonObject } from '../object.ts';

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[];
}

const members = ['fieldSelector', 'labelSelector'] as const;
type Member = (typeof members)[number];

const selectorOf = (attributes: JsonObject, member: Member) => attributes[member] as Selector | undefined;

export const selectorAttributeProblems = (attributes: JsonObject, field: string): readonly Problem[] =>
  members.flatMap((member) => {
    const selector = selectorOf(attributes, member);
    if (selector === undefined) return [];
    const { rawSelector = '', requirements = [] } = selector;
    const at = `${field}.${member}`;
    return [
      ...(rawSelector !== '' && requirements.length > 0
        ? [invalidValue(`${at}.rawSelector`, rawSelector, 'may not specified at the same time as requirements')]
        : []),
      ...(rawSelector === '' && requirements.length === 0
        ? [required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`)]
        : []),
      ...requirements.flatMap((each, index) => requirementProblems(member, each, `${at}.requirements[${index}]`)),
    ];
  });

/** Unknown operators are of a newer client, and no mistake. */
function requirementProblems(member: Member, requirement: Requirement, field: string): readonly Problem[] {
  const { key = '', operator = '', values = [] } = requirement;
  const causes: Problem[] = [];
  if (member === 'fieldSelector' && key === '') causes.push(required(`${field}.key`, 'must be specified'));
  if (['In', 'NotIn'].includes(operator) && values.length === 0) {
    causes.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if (['Exists', 'DoesNotExist'].includes(operator) && values.length > 0) {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    causes.push(forbiddenField(`${field}.values`, why));
  }
  if (member === 'fieldSelector') return causes;
  return [
    ...causes,
    ...qualifiedNameProblems(key).map((problem) => invalidValue(`${field}.key`, key, problem)),
    ...values.flatMap((value, index) =>
      labelValueProblems(value).map((problem) => invalidValue(`${field}.values[${index}]`, value, problem)),
    ),
  ];
}

/** Which selectors could not be read. */
export const ignoredSelectors = (attributes: JsonObject, field: string): string =>
  members
    .flatMap((member) => {
      const selector = selectorOf(attributes, member);
      const ignored = selector === undefined ? '' : ignoredPart(member, selector);
      return ignored === '' ? [] : [`${field}.${member} ${ignored} due to parse error`];
    })
    .join('; ');

function ignoredPart(member: Member, { rawSelector = '', requirements = [] }: Selector): string {
  if (rawSelector !== '') return isReadable(member, rawSelector) ? '' : 'ignored';
  const understood = requirements.filter(({ operator = '', values = [] }) =>
    member === 'labelSelector'
      ? ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator)
      : ['In', 'NotIn'].includes(operator) && values.length === 1,
  );
  if (understood.length === requirements.length) return '';
  return understood.length > 0 ? 'partially ignored' : 'ignored';
}

function isReadable(member: Member, text: string): boolean {
  try {
    if (member === 'labelSelector') parseLabelSelector(text);
    else parseFieldSelector(text);
    return true;
  } catch {
    return false;
  }
}
