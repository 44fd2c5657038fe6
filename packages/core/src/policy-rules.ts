/** RBAC from declarations: the one place that turns what controllers and operators declare into what they may do. */
import { type Declaration, type Need, ownedKinds, type Verb, type WatchSelection } from './declaration.ts';
import type { Kind } from './kind.ts';
import type { Operator } from './operator.ts';

/** A rule of a Role, in canonical form: one group, sorted resources and verbs. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
}

const verbOrder: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

const leases = { group: 'coordination.k8s.io', resource: 'leases', scope: 'Namespaced' } as const;
const tokenReviews = { group: 'authentication.k8s.io', resource: 'tokenreviews', scope: 'Cluster' } as const;
const accessReviews = { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', scope: 'Cluster' } as const;
const events = { group: 'events.k8s.io', resource: 'events', scope: 'Namespaced' } as const;

/** A need, and the namespaces in which it arises whatever the operator watches. */
interface PlacedNeed extends Need {
  readonly namespaces?: readonly string[] | 'own' | undefined;
}

/**
 * The RBAC rules that an operator needs: those of its controllers, its own, and those on Leases and Events. All of them
 * together, as for one ClusterRole; `rolesOf` says what is needed where.
 */
export function rulesOf(operator: Operator): readonly PolicyRule[] {
  return joined(allNeeds(operator));
}

/** The least that a controller with these declarations can work with. Leases and Events are the operator's, not its. */
export function rulesFor(...declarations: readonly Declaration[]): readonly PolicyRule[] {
  return joined(declarations.flatMap(needsOf));
}

/** Rules, and where they count. */
export interface OperatorRole {
  /** The namespace of a Role; absent for a ClusterRole. */
  readonly namespace: string | undefined;
  readonly rules: readonly PolicyRule[];
}

/** Where an operator runs, and what it watches. */
export interface OperatorPlace {
  /** The namespace of its pods, and so of its Lease. */
  readonly namespace: string;
  /** The namespaces that it watches. @default all */
  readonly namespaces?: readonly string[] | undefined;
}

/**
 * What an operator needs where: a ClusterRole for what it does everywhere and for cluster-scoped kinds, and a Role in each
 * namespace for what it does there alone. Those that would be empty are not there.
 */
export function rolesOf(operator: Operator, { namespace: own, namespaces }: OperatorPlace): readonly OperatorRole[] {
  const byPlace = new Map<string | undefined, PlacedNeed[]>();
  for (const need of allNeeds(operator)) {
    const chosen = need.namespaces === 'own' ? [own] : (need.namespaces ?? namespaces);
    const places = need.kind.scope === 'Cluster' ? undefined : chosen;
    for (const place of places ?? [undefined]) byPlace.set(place, [...(byPlace.get(place) ?? []), need]);
  }
  return [...byPlace]
    .map(([namespace, needs]) => ({ namespace, rules: joined(needs) }))
    .sort((a, b) => ((a.namespace ?? '') < (b.namespace ?? '') ? -1 : 1));
}

function allNeeds({ controllers, tasks = [], needs = [], ...its }: Operator): readonly PlacedNeed[] {
  const own: PlacedNeed[] = [...needs, ...tasks.flatMap((task) => task.needs ?? [])];
  if (its.leaderElection ?? false) {
    own.push({ kind: leases, verbs: ['get', 'watch', 'create', 'update'], namespaces: 'own' });
  }
  if (its.secureMetrics ?? false) {
    own.push({ kind: tokenReviews, verbs: ['create'] }, { kind: accessReviews, verbs: ['create'] });
  }
  if (its.events ?? true) own.push({ kind: events, verbs: ['create', 'patch'] });
  return [...controllers.flatMap(needsOf), ...own];
}

/** What a declaration needs, each need for itself. */
function needsOf(declaration: Declaration): readonly PlacedNeed[] {
  const all: PlacedNeed[] = [];
  const grant = (kind: Kind, subresource: string | undefined, ...verbs: readonly Verb[]) =>
    void all.push({ kind, subresource, verbs });
  const look = (kind: Kind, { namespaces }: WatchSelection) =>
    void all.push({ kind, verbs: ['get', 'list', 'watch'], namespaces });
  grant(declaration.for, undefined, 'get', 'list', 'watch');
  if (declaration.for.subresources?.includes('status') ?? true) grant(declaration.for, 'status', 'patch');
  if (declaration.finalizer !== undefined) grant(declaration.for, undefined, 'patch');
  // A reference with blockOwnerDeletion keeps the owner in place, so some clusters ask for this right on the owner.
  if (ownedKinds(declaration).length > 0) grant(declaration.for, 'finalizers', 'update');
  for (const kind of ownedKinds(declaration)) grant(kind, undefined, 'get', 'list', 'watch', 'create', 'patch');
  for (const owned of declaration.owns ?? []) if ('removable' in owned) grant(owned.removable, undefined, 'delete');
  for (const watch of declaration.watches ?? []) look(watch.watch, watch);
  for (const reference of declaration.refers ?? []) look(reference.to, reference);
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
