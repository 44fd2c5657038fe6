/** RBAC from declarations: the one place that turns what a controller declares into what it may do. */
import { type Declaration, ownedKinds, type Verb } from './declaration.ts';
import type { Kind } from './kind.ts';

/** A rule of a Role, in canonical form: one group, sorted resources and verbs. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
}

const verbOrder: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** The least that a controller with these declarations can work with. Leases and Events are the operator's, not its. */
export function rulesFor(...declarations: readonly Declaration[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, Set<Verb>>();
  const grant = (
    kind: Pick<Kind, 'group' | 'resource'>,
    subresource: string | undefined,
    ...verbs: readonly Verb[]
  ) => {
    const path = `${kind.group} ${kind.resource}${subresource ? `/${subresource}` : ''}`;
    const granted = verbsOf.get(path) ?? new Set();
    for (const verb of verbs) granted.add(verb);
    verbsOf.set(path, granted);
  };
  for (const declaration of declarations) {
    grant(declaration.for, undefined, 'get', 'list', 'watch');
    if (declaration.for.subresources?.includes('status') ?? true) grant(declaration.for, 'status', 'patch');
    // A reference with blockOwnerDeletion keeps the owner in place, so some clusters ask for this right on the owner.
    if (ownedKinds(declaration).length > 0) grant(declaration.for, 'finalizers', 'update');
    for (const kind of ownedKinds(declaration)) grant(kind, undefined, 'get', 'list', 'watch', 'create', 'patch');
    for (const owned of declaration.owns ?? []) if ('removable' in owned) grant(owned.removable, undefined, 'delete');
    for (const { watch } of declaration.watches ?? []) grant(watch, undefined, 'get', 'list', 'watch');
    for (const { kind, subresource, verbs } of declaration.needs ?? []) grant(kind, subresource, ...verbs);
  }
  return [...verbsOf]
    .map(([path, verbs]) => {
      const [group = '', resource = ''] = path.split(' ');
      return { apiGroups: [group], resources: [resource], verbs: verbOrder.filter((verb) => verbs.has(verb)) };
    })
    .sort((a, b) => (`${a.apiGroups} ${a.resources}` < `${b.apiGroups} ${b.resources}` ? -1 : 1));
}
