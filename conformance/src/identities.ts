/**
 * Who a case acts as, and what that one may do: users that exist only by being impersonated, service accounts with
 * tokens, and the roles that are bound to them.
 *
 * An API server hears of new roles by a watch of its own, so that whoever grants something waits until it counts. What
 * is not granted is refused from the beginning.
 */
import type { Answer, Fields, Refusal } from './exchange.ts';
import {
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  serviceAccounts,
  subjectAccessReviews,
} from './paths.ts';
import type { Trial } from './trial.ts';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The headers by which an administrator acts as somebody else. */
export const as = (user: string, ...groups: readonly string[]): { readonly headers: Headers } => ({
  headers: { 'impersonate-user': user, ...(groups.length > 0 && { 'impersonate-group': groups }) },
});

export const rbac = 'rbac.authorization.k8s.io';

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A rule for resources of the core group. */
export const rule = (verbs: string, resources: string, more: Partial<Rule> = {}): Rule => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...more,
});

export const user = (name: string): Fields => ({ kind: 'User', apiGroup: rbac, name });
export const group = (name: string): Fields => ({ kind: 'Group', apiGroup: rbac, name });
export const roleRef = (kind: 'Role' | 'ClusterRole', name: string): Fields => ({ apiGroup: rbac, kind, name });

/** What a review asks, or nothing where a grant cannot be asked for. */
export interface Question {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly resourceAttributes?: Fields;
  readonly nonResourceAttributes?: Fields;
}

export const ask = (t: Trial, spec: Question): Promise<Answer> => t.post(subjectAccessReviews, { spec });

/** Waits until the answer to a question is this one. */
export async function untilAllowed(t: Trial, spec: Question, allowed = true): Promise<void> {
  await t.eventually(async () => (await ask(t, spec)).is(201, { status: { allowed } }));
}

/** The first thing that a rule allows. */
function example({ verbs: [verb], apiGroups, resources, resourceNames, nonResourceURLs }: Rule, namespace?: string) {
  const known = (text: string | undefined) => (text === '*' ? 'anything' : text);
  if (nonResourceURLs?.[0] !== undefined) {
    return { nonResourceAttributes: { verb: known(verb), path: nonResourceURLs[0].replace('*', 'anything') } };
  }
  const [resource, ...subresource] = (resources?.[0] ?? '').split('/');
  return {
    resourceAttributes: {
      verb: known(verb),
      group: known(apiGroups?.[0]),
      resource: known(resource),
      subresource: subresource.join('/'),
      name: resourceNames?.[0],
      namespace,
    },
  };
}

/** Gives a user these rules in a namespace. */
export async function grant(t: Trial, namespace: string, name: string, ...rules: readonly Rule[]): Promise<void> {
  const { metadata } = (await t.post(roles(namespace), { metadata: { generateName: 'grant-' }, rules })).is(201);
  const binding = {
    metadata: { name: metadata.name },
    roleRef: roleRef('Role', metadata.name),
    subjects: [user(name)],
  };
  (await t.post(roleBindings(namespace), binding)).is(201);
  for (const each of rules) await untilAllowed(t, { user: name, ...example(each, namespace) });
}

/** Gives a user these rules everywhere; the name of the cluster role that was made for it. */
export async function grantEverywhere(t: Trial, name: string, ...rules: readonly Rule[]): Promise<string> {
  const role = t.name('grant');
  (await t.post(clusterRoles, { metadata: { name: role }, rules })).is(201);
  const binding = { metadata: { name: role }, roleRef: roleRef('ClusterRole', role), subjects: [user(name)] };
  (await t.post(clusterRoleBindings, binding)).is(201);
  for (const each of rules) await untilAllowed(t, { user: name, ...example(each) });
  return role;
}

export interface Account {
  readonly name: string;
  readonly uid: string;
  readonly user: string;
  /** Acts with its token, for requests of a stranger. */
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string;
}

export async function serviceAccount(t: Trial, namespace: string, name = 'account'): Promise<Account> {
  const { metadata } = (await t.post(serviceAccounts(namespace), { metadata: { name } })).is(201);
  const { token } = (await t.post(`${serviceAccounts(namespace)}/${name}/token`, {})).is(201).status as {
    token: string;
  };
  return {
    name,
    uid: metadata.uid,
    user: `system:serviceaccount:${namespace}:${name}`,
    headers: { authorization: `Bearer ${token}` },
    token,
  };
}

export interface Refused {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly subresource?: string;
  /** Absent at the cluster scope. */
  readonly namespace?: string;
  readonly name?: string;
  /** What the server adds, such as roles that it did not find. */
  readonly why?: string;
}

/** The refusal of what no rule allows: it names the rule that is missing. */
export function mayNot(refused: Refused): Refusal {
  const { user: who, verb, resource, group: of = '', subresource, namespace, name, why } = refused;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const subject = `${of ? `${resource}.${of}` : resource}${name ? ` "${name}"` : ''}`;
  return {
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: User "${who}" cannot ${verb} resource "${what}" in API group "${of}" ${where}${why ? `: ${why}` : ''}`,
    details: { ...(name ? { name } : {}), ...(of ? { group: of } : {}), kind: resource },
  };
}

export const mayNotPath = (who: string, verb: string, path: string): Refusal => ({
  code: 403,
  reason: 'Forbidden',
  message: `forbidden: User "${who}" cannot ${verb} path "${path}"`,
  details: {},
});
