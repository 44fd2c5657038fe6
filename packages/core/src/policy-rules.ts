/** RBAC from declarations: the one place that turns what controllers and operators declare into what they may do. */
import { type Declaration, type Need, ownedKinds, type Verb, type WatchSelection } from './declaration.ts';
import { type Kind, resourceNameOf } from './kind.ts';
import { controllerName, type Operator } from './operator.ts';
import { webhookName } from './webhook.ts';
import { convertedKinds, servesWebhooks } from './webhook-configurations.ts';
import { webhookNames } from './webhook-names.ts';

/** A rule of a Role, in canonical form: one group, sorted resources and verbs. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Absent: whatever an object is called. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
}

const verbOrder: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

const leases = { group: 'coordination.k8s.io', resource: 'leases', scope: 'Namespaced' } as const;
const tokenReviews = { group: 'authentication.k8s.io', resource: 'tokenreviews', scope: 'Cluster' } as const;
const accessReviews = { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', scope: 'Cluster' } as const;
const secrets = { group: '', resource: 'secrets', scope: 'Namespaced' } as const;
const admission = { group: 'admissionregistration.k8s.io', scope: 'Cluster' } as const;
const mutatingConfigurations = { ...admission, resource: 'mutatingwebhookconfigurations' } as const;
const validatingConfigurations = { ...admission, resource: 'validatingwebhookconfigurations' } as const;
const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', scope: 'Cluster' } as const;
const deployments = { group: 'apps', resource: 'deployments', scope: 'Namespaced' } as const;
const events = { group: 'events.k8s.io', resource: 'events', scope: 'Namespaced' } as const;

/** A need, what it follows from, and the namespaces in which it arises whatever the operator watches. */
interface PlacedNeed extends Need {
  readonly because: string;
  readonly namespaces?: readonly string[] | 'own' | undefined;
}

/**
 * The RBAC rules that an operator needs: those of its controllers, its own, and those for its Lease, its certificates and
 * Events. All of them together, as for one ClusterRole; `rolesOf` says what is needed where.
 */
export function rulesOf(operator: Operator): readonly PolicyRule[] {
  return joined(allNeeds(operator));
}

/** The least that a controller with these declarations can work with. Leases and Events are the operator's, not its. */
export function rulesFor(...declarations: readonly Declaration[]): readonly PolicyRule[] {
  return joined(declarations.flatMap(needsOf));
}

/** A rule, and what it follows from. */
export interface ExplainedRule {
  readonly rule: PolicyRule;
  /** Each declaration that needs some of its verbs, such as `controller memcached owns Deployment`. */
  readonly neededBy: readonly { readonly declaration: string; readonly verbs: readonly Verb[] }[];
}

/** The rules of `rulesOf`, each with the declarations that it follows from. */
export function explainRules(operator: Operator): readonly ExplainedRule[] {
  const needs = allNeeds(operator);
  return joined(needs).map((rule) => {
    const its = needs.filter(
      (need) => placeOf(need) === `${rule.apiGroups} ${rule.resources} ${rule.resourceNames ?? ''}`,
    );
    const declarations = [...new Set(its.map(({ because }) => because))];
    const verbsFor = (declaration: string) =>
      sorted(new Set(its.filter(({ because }) => because === declaration).flatMap(({ verbs }) => verbs)));
    return { rule, neededBy: declarations.map((declaration) => ({ declaration, verbs: verbsFor(declaration) })) };
  });
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
  /** Whether somebody else makes the certificates of its webhooks, such as OLM. @default false */
  readonly certificatesAreGiven?: boolean | undefined;
}

/**
 * What an operator needs where: a ClusterRole for what it does everywhere and for cluster-scoped kinds, and a Role in each
 * namespace for what it does there alone. Those that would be empty are not there.
 */
export function rolesOf(operator: Operator, place: OperatorPlace): readonly OperatorRole[] {
  const { namespace: own, namespaces, certificatesAreGiven } = place;
  const byPlace = new Map<string | undefined, PlacedNeed[]>();
  for (const need of allNeeds(operator, certificatesAreGiven)) {
    const chosen = need.namespaces === 'own' ? [own] : (need.namespaces ?? namespaces);
    const places = need.kind.scope === 'Cluster' ? undefined : chosen;
    for (const place of places ?? [undefined]) byPlace.set(place, [...(byPlace.get(place) ?? []), need]);
  }
  return [...byPlace]
    .map(([namespace, needs]) => ({ namespace, rules: joined(needs) }))
    .sort((a, b) => ((a.namespace ?? '') < (b.namespace ?? '') ? -1 : 1));
}

function allNeeds(operator: Operator, certificatesAreGiven = false): readonly PlacedNeed[] {
  const { controllers, tasks = [], needs = [], ...its } = operator;
  const own: PlacedNeed[] = [
    ...asked(needs, 'the operator'),
    ...tasks.flatMap((task) => asked(task.needs, `task ${task.name}`)),
  ];
  if (its.leaderElection ?? false) {
    const verbs = ['get', 'watch', 'create', 'update'] as const;
    const because = 'the operator has leaderElection';
    own.push({ kind: leases, verbs, namespaces: 'own', because }, ownDeployment(operator, because));
  }
  if (its.secureMetrics ?? false) {
    const because = 'the operator has secureMetrics';
    own.push({ kind: tokenReviews, verbs: ['create'], because }, { kind: accessReviews, verbs: ['create'], because });
  }
  if (its.events ?? true)
    own.push({ kind: events, verbs: ['create', 'patch'], because: 'the operator records Events' });
  return [...controllers.flatMap(needsOf), ...webhookNeeds(operator, certificatesAreGiven), ...own];
}

/** What the operator makes for itself goes with its Deployment, so it has to know which one that is. */
const ownDeployment = ({ name }: Operator, because: string): PlacedNeed => ({
  kind: deployments,
  verbs: ['get'],
  names: [name],
  namespaces: 'own',
  because,
});

/** What the webhooks look up, and what it takes to keep their certificates. */
function webhookNeeds(operator: Operator, certificatesAreGiven: boolean): readonly PlacedNeed[] {
  const { webhooks = [] } = operator;
  const reads = webhooks.flatMap((webhook) =>
    (webhook.reads ?? []).map((kind) => ({
      kind,
      verbs: ['get', 'list', 'watch'] as const,
      because: `webhook ${webhookName(webhook)} reads ${kind.kind}`,
    })),
  );
  if (certificatesAreGiven || !servesWebhooks(operator)) return reads;
  const because = 'the operator keeps the certificates of its webhooks';
  const names = webhookNames(operator);
  const isThere = (part: 'defaults' | 'validates') => webhooks.some((webhook) => webhook[part]);
  const converted = convertedKinds(operator).map(resourceNameOf);
  const bundles: readonly (readonly [Need['kind'], readonly string[]])[] = [
    [mutatingConfigurations, isThere('defaults') ? [names.mutating] : []],
    [validatingConfigurations, isThere('validates') ? [names.validating] : []],
    [definitions, converted],
  ];
  return [
    ...reads,
    ownDeployment(operator, because),
    { kind: secrets, verbs: ['create'], namespaces: 'own', because },
    { kind: secrets, verbs: ['get', 'list', 'watch', 'update'], names: [names.secret], namespaces: 'own', because },
    ...bundles.flatMap(([kind, named]) =>
      named.length === 0 ? [] : [{ kind, verbs: ['get', 'list', 'watch', 'patch'] as const, names: named, because }],
    ),
  ];
}

const asked = (needs: readonly Need[] | undefined, who: string): readonly PlacedNeed[] =>
  (needs ?? []).map((need) => ({
    ...need,
    because: `${who} needs ${'kind' in need.kind ? need.kind.kind : need.kind.resource}`,
  }));

/** What a declaration needs, each need for itself. */
function needsOf(declaration: Declaration): readonly PlacedNeed[] {
  const all: PlacedNeed[] = [];
  const who = `controller ${controllerName(declaration)}`;
  const grant = (because: string, kind: Kind, subresource: string | undefined, ...verbs: readonly Verb[]) =>
    void all.push({ kind, subresource, verbs, because: `${who} ${because}` });
  const look = (because: string, kind: Kind, { namespaces }: WatchSelection) =>
    void all.push({ kind, verbs: ['get', 'list', 'watch'], namespaces, because: `${who} ${because} ${kind.kind}` });
  const isFor = `is for ${declaration.for.kind}`;
  grant(isFor, declaration.for, undefined, 'get', 'list', 'watch');
  if (declaration.for.subresources?.includes('status') ?? true) grant(isFor, declaration.for, 'status', 'patch');
  if (declaration.finalizer !== undefined) grant('has a finalizer', declaration.for, undefined, 'patch');
  const owned = ownedKinds(declaration);
  // A reference with blockOwnerDeletion keeps the owner in place, so some clusters ask for this right on the owner.
  if (owned.length > 0)
    grant(`owns ${owned.map(({ kind }) => kind).join(', ')}`, declaration.for, 'finalizers', 'update');
  for (const kind of owned) grant(`owns ${kind.kind}`, kind, undefined, 'get', 'list', 'watch', 'create', 'patch');
  for (const each of declaration.owns ?? []) {
    if ('removable' in each) grant(`owns removable ${each.removable.kind}`, each.removable, undefined, 'delete');
  }
  for (const watch of declaration.watches ?? []) look('watches', watch.watch, watch);
  for (const reference of declaration.refers ?? []) look('refers to', reference.to, reference);
  return [...all, ...asked(declaration.needs, who)];
}

const resourceOf = ({ kind, subresource }: Need) => `${kind.resource}${subresource ? `/${subresource}` : ''}`;

/** Needs with the same are one rule. */
const placeOf = (need: Need) => `${need.kind.group} ${resourceOf(need)} ${[...(need.names ?? [])].sort()}`;

const sorted = (verbs: ReadonlySet<Verb>) => verbOrder.filter((verb) => verbs.has(verb));

/** Needs as rules: one for each resource or its named objects, with every verb once. */
function joined(needs: readonly Need[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, Set<Verb>>();
  for (const need of needs) {
    const path = placeOf(need);
    const granted = verbsOf.get(path) ?? new Set();
    for (const verb of need.verbs) granted.add(verb);
    verbsOf.set(path, granted);
  }
  return [...verbsOf]
    .map(([path, verbs]) => {
      const [group = '', resource = '', names = ''] = path.split(' ');
      const rule = { apiGroups: [group], resources: [resource], verbs: sorted(verbs) };
      return { path, rule: names === '' ? rule : { ...rule, resourceNames: names.split(',') } };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ rule }) => rule);
}
