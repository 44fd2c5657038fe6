/** Roles and their bindings: stored and checked, and not obeyed yet. */
import { equalJson } from '@keelson/core';
import type { RoleRef } from '@keelson/core/rbac/v1';
import type { Cause } from '@keelson/schema';
import { agedTable, plainTable } from '../../encode/tables/columns.ts';
import { invalidValue, required } from '../../field-error.ts';
import { pathSegmentProblems } from '../../validate/names.ts';
import type { ApiObject, JsonObject } from '../../value.ts';
import { change, changeEach, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

/** Names of RBAC objects may contain anything that a path can. */
const common: KindRules = { createOnUpdate: true, nameProblems: pathSegmentProblems };

const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;

function ruleProblems(rule: JsonObject, field: string, isNamespaced: boolean): readonly Cause[] {
  const causes: Cause[] = [];
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
export const clusterRole: KindRules = { ...common, validate: rulesProblems(false), table: plainTable };

const apiGroup = 'rbac.authorization.k8s.io';

export const roleBinding: KindRules = {
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
  table: agedTable,
};
