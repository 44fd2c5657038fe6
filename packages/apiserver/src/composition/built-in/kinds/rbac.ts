/** Roles and their bindings, as objects; what they allow is decided in `authorise/`. */

import { equalJson } from '@keelson/core';
import type { AggregationRule, RoleRef, Subject } from '@keelson/core/rbac/v1';
import {
  invalidValue,
  type Problem,
  pathSegmentProblems,
  required,
  subdomainProblems,
  unsupportedValue,
} from '@keelson/schema/validation';
import { plainTable } from '../../../encode/table-columns.ts';
import type { ApiObject, JsonObject } from '../../../object.ts';
import { selectorProblems } from '../../../validate/selector.ts';
import { bindingTable } from '../tables/rbac.ts';
import { change, changeEach, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

/** Names of RBAC objects may contain anything that a path can. */
const common: KindRules = { createOnUpdate: true, nameProblems: pathSegmentProblems };

const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;

function ruleProblems(rule: JsonObject, field: string, isNamespaced: boolean): readonly Problem[] {
  const causes: Problem[] = [];
  if (isEmpty(rule.verbs)) causes.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (!isEmpty(rule.nonResourceURLs)) {
    if (isNamespaced) {
      causes.push(
        invalidValue(
          `${field}.nonResourceURLs`,
          rule.nonResourceURLs,
          'namespaced rules cannot apply to non-resource URLs',
        ),
      );
    }
    if (!isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames)) {
      causes.push(
        invalidValue(
          `${field}.nonResourceURLs`,
          rule.nonResourceURLs,
          'rules cannot apply to both regular resources and non-resource URLs',
        ),
      );
    }
    return causes;
  }
  if (isEmpty(rule.apiGroups)) {
    causes.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (isEmpty(rule.resources)) {
    causes.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return causes;
}

const rulesProblems = (isNamespaced: boolean) => (object: ApiObject) =>
  ((object.rules ?? []) as readonly JsonObject[]).flatMap((rule, index) =>
    ruleProblems(rule, `rules[${index}]`, isNamespaced),
  );

export const role: KindRules = { ...common, validate: rulesProblems(true), table: plainTable };
export const clusterRole: KindRules = {
  ...common,
  validate: (object) => [...rulesProblems(false)(object), ...aggregationProblems(object)],
  table: plainTable,
};

function aggregationProblems({ aggregationRule }: ApiObject): readonly Problem[] {
  if (aggregationRule === undefined) return [];
  const { clusterRoleSelectors = [] } = aggregationRule as AggregationRule;
  const field = 'aggregationRule.clusterRoleSelectors';
  if (clusterRoleSelectors.length === 0) {
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return clusterRoleSelectors.flatMap((selector, index) => {
    const problems = selectorProblems(selector, `${field}[${index}]`);
    if (problems.length === 0) return [];
    return [...problems, invalidValue(`${field}[${index}]`, null, 'invalid label selector.')];
  });
}

const apiGroup = 'rbac.authorization.k8s.io';

function bindingProblems(object: ApiObject, ...roles: readonly string[]): readonly Problem[] {
  const { apiGroup: of = '', kind, name } = object.roleRef as RoleRef;
  return [
    ...(of === apiGroup ? [] : [unsupportedValue('roleRef.apiGroup', of, [apiGroup])]),
    ...(roles.includes(kind) ? [] : [unsupportedValue('roleRef.kind', kind, roles)]),
    ...(name === ''
      ? [required('roleRef.name')]
      : pathSegmentProblems(name, false).map((problem) => invalidValue('roleRef.name', name, problem))),
    ...((object.subjects ?? []) as readonly Subject[]).flatMap((subject, index) =>
      subjectProblems(subject, `subjects[${index}]`, roles.includes('Role')),
    ),
  ];
}

function subjectProblems(subject: Subject, field: string, isNamespaced: boolean): readonly Problem[] {
  const { kind, name, namespace = '', apiGroup: of = '' } = subject;
  const inGroup = (wanted: string) => (of === wanted ? [] : [unsupportedValue(`${field}.apiGroup`, of, [wanted])]);
  const causes = name === '' ? [required(`${field}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount': {
      const problems = name === '' ? [] : subdomainProblems(name);
      return [
        ...causes,
        ...problems.map((problem) => invalidValue(`${field}.name`, name, problem)),
        ...inGroup(''),
        ...(isNamespaced || namespace !== '' ? [] : [required(`${field}.namespace`)]),
      ];
    }
    case 'User':
    case 'Group':
      return [...causes, ...inGroup(apiGroup)];
    default:
      return [...causes, unsupportedValue(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

const binding: KindRules = {
  ...common,
  default: (object) =>
    changeEach(
      change(object, 'roleRef', (ref) => fill(ref, { apiGroup })),
      'subjects',
      (subject) => fill(subject, subject.kind === 'User' || subject.kind === 'Group' ? { apiGroup } : {}),
    ),
  validateUpdate(object, old) {
    if (equalJson(object.roleRef, old.roleRef)) return [];
    const { apiGroup: APIGroup, kind: Kind, name: Name } = object.roleRef as RoleRef;
    return [invalidValue('roleRef', { APIGroup, Kind, Name }, 'cannot change roleRef')];
  },
};

export const roleBinding: KindRules = {
  ...binding,
  validate: (object) => bindingProblems(object, 'Role', 'ClusterRole'),
  table: bindingTable(
    'roleBinding',
    'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
};
export const clusterRoleBinding: KindRules = {
  ...binding,
  validate: (object) => bindingProblems(object, 'ClusterRole'),
  table: bindingTable(
    'clusterRoleBinding',
    'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
};
