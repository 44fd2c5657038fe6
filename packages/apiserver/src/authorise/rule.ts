/** One rule of a role, and whether it allows something. */
import type { PolicyRule } from '@keelson/core/rbac/v1';
import type { Attributes } from './attributes.ts';

const none: readonly string[] = [];

const includes = (list: readonly string[] = none, wanted: string): boolean =>
  list.includes('*') || list.includes(wanted);

export function allows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!includes(rule.verbs, wanted.verb)) return false;
  if (wanted.type === 'other') return (rule.nonResourceURLs ?? none).some((url) => covers(url, wanted.path));
  const { group, resource, subresource, name } = wanted;
  if (!includes(rule.apiGroups, group)) return false;
  const { resources = none, resourceNames = none } = rule;
  const isNamed =
    subresource === ''
      ? includes(resources, resource)
      : includes(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
  return isNamed && (resourceNames.length === 0 || resourceNames.includes(name));
}

/** Whether a path is that of a rule, or begins as one that ends with a star does. */
export const covers = (url: string, path: string): boolean =>
  url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, '')));
