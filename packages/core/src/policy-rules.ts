/** RBAC from declarations: the one place that turns what controllers and operators declare into what they may do. */
import { type Declaration, type Need, ownedKinds, type Verb } from './declaration.ts';
import type { Kind } from './kind.ts';
import type { Operator } from './operator.ts';

/** A rule of a Role, in canonical form: one group, sorted resources and verbs. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
}

const verbOrder: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

const leases = { group: 'coordination.k8s.io', resource: 'leases' };
const events = { group: 'events.k8s.io', resource: 'events' };

/** The RBAC rules that an operator needs: those of its controllers, its own, and those on Leases and Events. */
export function rulesOf({ controllers, tasks = [], needs = [], ...its }: Operator): readonly PolicyRule[] {
  const own: Need[] = [...needs, ...tasks.flatMap((task) => task.needs ?? [])];
  if (its.leaderElection ?? false) own.push({ kind: leases, verbs: ['get', 'create', 'update'] });
  if (its.events ?? true) own.push({ kind: events, verbs: ['create', 'patch'] });
  return joined([...controllers.flatMap(needsOf), ...own]);
}

/** The least that a controller with these declarations can work with. Leases and Events are the operator's, not its. */
export function rulesFor(...declarations: readonly Declaration[]): readonly PolicyRule[] {
  return joined(declarations.flatMap(needsOf));
}

/** What a declaration needs, each need for itself. */
function needsOf(declaration: Declaration): readonly Need[] {
  const all: Need[] = [];
  const grant = (kind: Kind, subresource: string | undefined, ...verbs: readonly Verb[]) =>
    void all.push({ kind, subresource, verbs });
  grant(declaration.for, undefined, 'get', 'list', 'watch');
  if (declaration.for.subresources?.includes('status') ?? true) grant(declaration.for, 'status', 'patch');
  if (declaration.finalizer !== undefined) grant(declaration.for, undefined, 'patch');
  // A reference with blockOwnerDeletion keeps the owner in place, so some clusters ask for this right on the owner.
  if (ownedKinds(declaration).length > 0) grant(declaration.for, 'finalizers', 'update');
  for (const kind of ownedKinds(declaration)) grant(kind, undefined, 'get', 'list', 'watch', 'create', 'patch');
  for (const owned of declaration.owns ?? []) if ('removable' in owned) grant(owned.removable, undefined, 'delete');
  for (const { watch } of declaration.watches ?? []) grant(watch, undefined, 'get', 'list', 'watch');
  for (const { to } of declaration.refers ?? []) grant(to, undefined, 'get', 'list', 'watch');
  return [...all, ...(declaration.needs ?? [])];
}

/** Needs as rules: one for each resource, with every verb once. */
function joined(needs: readonly Need[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, Set<Verb>>();
  for (const { kind, subresource, verbs } of needs) {
    const path = `${kind.group} ${kind.resource}${subresource ? `/${subresource}` : ''}`;
    const granted = verbsOf.get(path) ?? new Set();
    for (const verb of verbs) granted.add(verb);
    verbsOf.set(path, granted);
  }
  return [...verbsOf]
    .map(([path, verbs]) => {
      const [group = '', resource = ''] = path.split(' ');
      return { apiGroups: [group], resources: [resource], verbs: verbOrder.filter((verb) => verbs.has(verb)) };
    })
    .sort((a, b) => (`${a.apiGroups} ${a.resources}` < `${b.apiGroups} ${b.resources}` ? -1 : 1));
}
