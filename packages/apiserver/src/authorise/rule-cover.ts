/** Rules compared with rules: what one list allows and another does not. */
import type { PolicyRule } from '@keelson/core/rbac/v1';
import { covers } from './rule.ts';

/** One verb on one resource, or on one object, or on one path. */
interface Right {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly url?: string;
}

function rightsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Right[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name): Right => ({ verb, group, resource, ...(name !== undefined && { name }) })),
      ),
    ),
  );
  return [...onResources, ...nonResourceURLs.flatMap((url) => verbs.map((verb): Right => ({ verb, url })))];
}

function isIn(rule: PolicyRule, { verb, group, resource, name, url }: Right): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!verbs.includes('*') && !verbs.includes(verb)) return false;
  // A rule that is for some objects only does not allow all of them, nor a path.
  if (resourceNames.length > 0 && (name === undefined || !resourceNames.includes(name))) return false;
  if (url !== undefined) return nonResourceURLs.some((own) => covers(own, url));
  if (group === undefined || resource === undefined) return false;
  if (!apiGroups.includes('*') && !apiGroups.includes(group)) return false;
  if (resources.includes('*') || resources.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash !== -1 && resources.includes(`*${resource.slice(slash)}`);
}

/** What `wanted` allows and `held` does not, broken down to single rights. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted
    .flatMap(rightsOf)
    .filter((right) => !held.some((rule) => isIn(rule, right)))
    .map(({ verb, group, resource, name, url }) =>
      url === undefined
        ? {
            verbs: [verb],
            apiGroups: [group ?? ''],
            resources: [resource ?? ''],
            ...(name !== undefined && { resourceNames: [name] }),
          }
        : { verbs: [verb], nonResourceURLs: [url] },
    );
}

/** Single rights that differ in their verb alone, put together again; those on paths stay as they are. */
export function compacted(rights: readonly PolicyRule[]): readonly PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const right of rights) {
    const { verbs, ...rest } = right;
    const key = JSON.stringify(right.nonResourceURLs === undefined ? rest : right);
    const before = merged.get(key);
    merged.set(key, before === undefined ? right : { ...right, verbs: [...before.verbs, ...verbs] });
  }
  return [...merged.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const texts = parts
    .filter(([, list]) => (list ?? []).length > 0)
    .map(([name, list = []]) => `${name}:[${list.map((each) => JSON.stringify(each)).join(' ')}]`);
  return `{${texts.join(', ')}}`;
}
