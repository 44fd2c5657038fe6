/** What is wrong with whom an admission policy or a binding concerns. */
import type { MatchResources } from '@keelson/core/admissionregistration/v1';
import {
  duplicateValue,
  invalidValue,
  type Problem,
  pathSegmentProblems,
  required,
  unsupportedValue,
} from '@keelson/schema/validation';
import { selectorProblems } from '../../../validate/selector.ts';
import { ruleProblems } from './admission-rule-problems.ts';

/** One of these must be chosen. */
export const chosen = (field: string, value: string | undefined, allowed: readonly string[]): readonly Problem[] => {
  if (value === undefined || value === '') return [required(field)];
  return allowed.includes(value) ? [] : [unsupportedValue(field, value, allowed)];
};

/** A deletion cannot be changed. */
export const mutableOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** `allowed` are the operations that a mutating policy can be about. */
export function operationProblems(
  { resourceRules = [] }: MatchResources,
  field: string,
  allowed: readonly string[] | undefined,
): readonly Problem[] {
  if (allowed === undefined) return [];
  return resourceRules.flatMap(({ operations = [] }) =>
    operations.flatMap((each) =>
      allowed.includes(each) ? [] : [unsupportedValue(`${field}.resourceRules.operations`, each, allowed)],
    ),
  );
}

export function matchProblems(resources: MatchResources, field: string): readonly Problem[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = resources;
  const rules = (name: string, each: typeof resourceRules) =>
    each.flatMap((rule, index) => {
      const at = `${field}.${name}[${index}]`;
      return [...nameProblems(rule.resourceNames ?? [], `${at}.resourceNames`), ...ruleProblems(rule, at)];
    });
  return [
    ...chosen(`${field}.matchPolicy`, matchPolicy, ['Equivalent', 'Exact']),
    ...selectorProblems(namespaceSelector, `${field}.namespaceSelector`),
    ...selectorProblems(objectSelector, `${field}.objectSelector`),
    ...rules('resourceRules', resourceRules),
    ...rules('excludeResourceRules', excludeResourceRules),
  ];
}

function nameProblems(names: readonly string[], field: string): readonly Problem[] {
  return names.flatMap((name, index) => [
    ...pathSegmentProblems(name, false).map((why) => invalidValue(`${field}[${index}]`, name, why)),
    ...(names.indexOf(name) < index ? [duplicateValue(`${field}[${index}]`, name)] : []),
  ]);
}
