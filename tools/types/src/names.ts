/** Which module a schema belongs to: `io.k8s.api.rbac.v1.Role` is `Role` in `rbac/v1`. */
import type { GroupVersionKind, Schema } from './openapi.ts';

export interface Name {
  readonly module: string;
  readonly name: string;
}

/** The types that all groups share go into `meta/v1`. */
const apimachinery = 'io.k8s.apimachinery.';

/** `apps/v1` for apps/v1, `rbac/v1` for rbac.authorization.k8s.io/v1, `v1` for the legacy group. */
export function moduleOf(kind: GroupVersionKind): string {
  return kind.group === '' ? kind.version : `${labelOf(kind)}/${kind.version}`;
}

function labelOf({ group }: GroupVersionKind): string {
  return group.replace(/\..*/, '');
}

/** A function from schema names to module and name. The kinds among the schemas tell which Go package is which group. */
export function namer(schemas: ReadonlyMap<string, Schema>): (schema: string) => Name {
  const groups = new Map([['meta', 'apimachinery']]);
  const modules = new Map<string, string>();
  for (const [schema, { 'x-kubernetes-group-version-kind': kinds = [] }] of schemas) {
    const [kind] = kinds;
    if (kind === undefined || schema.startsWith(apimachinery)) continue;
    const label = labelOf(kind);
    const group = groups.get(label) ?? kind.group;
    if (group !== kind.group) throw new Error(`two groups have the first label ${label}: ${group} and ${kind.group}`);
    groups.set(label, group);
    modules.set(packageOf(schema), moduleOf(kind));
  }
  return (schema) => {
    const module = schema.startsWith(apimachinery) ? 'meta/v1' : modules.get(packageOf(schema));
    if (module === undefined) throw new Error(`${schema}: no kind tells which group its package belongs to`);
    return { module, name: schema.slice(schema.lastIndexOf('.') + 1) };
  };
}

function packageOf(schema: string): string {
  return schema.slice(0, schema.lastIndexOf('.'));
}
