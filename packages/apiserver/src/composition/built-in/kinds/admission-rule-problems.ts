/** What is wrong with the rules and conditions by which webhooks and admission policies match. */
import {
  duplicateValue,
  invalidValue,
  type Problem,
  qualifiedNameProblems,
  required,
  tooMany,
  unsupportedValue,
} from '@keelson/schema/validation';
import type { Rule } from '../../../admit/match.ts';
import { compileMatchConditions, type MatchCondition } from '../../../admit/match-conditions.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

export function ruleProblems(rule: Rule, field: string, allowed: readonly string[] = operations): readonly Problem[] {
  const { operations: own = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return [
    ...listProblems(own, `${field}.operations`, 'operations'),
    ...own.flatMap((each, index) =>
      allowed.includes(each) ? [] : [unsupportedValue(`${field}.operations[${index}]`, each, allowed)],
    ),
    ...listProblems(apiGroups, `${field}.apiGroups`, 'API groups'),
    ...listProblems(apiVersions, `${field}.apiVersions`, 'API versions'),
    ...apiVersions.flatMap((each, index) => (each === '' ? [required(`${field}.apiVersions[${index}]`)] : [])),
    ...resourceProblems(resources, `${field}.resources`),
    ...(scope === undefined || scopes.includes(scope) ? [] : [unsupportedValue(`${field}.scope`, scope, scopes)]),
  ];
}

/** A star stands alone. */
function listProblems(items: readonly string[], field: string, what: string): readonly Problem[] {
  if (items.length === 0) return [required(field)];
  if (items.length === 1 || !items.includes('*')) return [];
  return [invalidValue(field, items, `if '*' is present, must not specify other ${what}`)];
}

function resourceProblems(resources: readonly string[], field: string): readonly Problem[] {
  const causes: Problem[] = resources.length === 0 ? [required(field)] : [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let lastIsPlain = false;
  resources.forEach((each, index) => {
    const at = `${field}[${index}]`;
    if (each === '') {
      causes.push(required(at));
      return;
    }
    const slash = each.indexOf('/');
    if (slash === -1) {
      lastIsPlain = each !== '*';
      return;
    }
    const [resource, subresource] = [each.slice(0, slash), each.slice(slash + 1)];
    const covered = (by: string) => invalidValue(at, each, `if '${by}' is present, must not specify ${each}`);
    if (wholeResources.has(resource)) causes.push(covered(`${resource}/*`));
    if (wholeSubresources.has(subresource)) causes.push(covered(`*/${subresource}`));
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  });
  if (resources.length > 1 && resources.includes('*/*')) {
    causes.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && lastIsPlain) {
    const why = "if '*' is present, must not specify other resources without subresources";
    causes.push(invalidValue(field, resources, why));
  }
  return causes;
}

const maxConditions = 64;

export function matchConditionProblems(
  conditions: readonly Partial<MatchCondition>[],
  field: string,
  hasParams = false,
): readonly Problem[] {
  const names = new Set<string>();
  return [
    ...(conditions.length > maxConditions ? [tooMany(field, conditions.length, maxConditions)] : []),
    ...conditions.flatMap(({ name = '', expression = '' }, index) => {
      const at = `${field}[${index}]`;
      const isRepeated = name !== '' && names.has(name);
      names.add(name);
      return [
        ...expressionProblems(expression.trim(), `${at}.expression`, hasParams),
        ...(name === '' ? [required(`${at}.name`)] : []),
        ...(name === '' ? [] : qualifiedNameProblems(name).map((why) => invalidValue(`${at}.name`, name, why))),
        ...(isRepeated ? [duplicateValue(`${at}.name`, name)] : []),
      ];
    }),
  ];
}

function expressionProblems(expression: string, field: string, hasParams: boolean): readonly Problem[] {
  if (expression === '') return [required(field)];
  const [compiled] = compileMatchConditions([{ name: '', expression }], hasParams);
  return compiled === undefined || !('problem' in compiled) ? [] : [invalidValue(field, expression, compiled.problem)];
}
