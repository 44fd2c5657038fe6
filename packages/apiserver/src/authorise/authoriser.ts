/**
 * May this user do that: role-based access control over the roles and bindings in the store.
 *
 * Promises: a decision follows from the roles and bindings as they are at that moment. Bindings are found by their
 * subjects, in an index of each namespace that is made anew when one of its bindings has changed and a request asks;
 * members of `system:masters` never get as far.
 * Does not: know the Node authoriser, by which kubelets may read what their pods need.
 */
import type { ClusterRoleBinding, PolicyRule, RoleBinding, RoleRef, Subject } from '@keelson/core/rbac/v1';
import { accountUserName } from '../authenticate/service-account-name.ts';
import { type ApiObject, readAs } from '../object.ts';
import { isPrivileged, type User } from '../request/user.ts';
import { keyIn } from '../resource/resource.ts';
import { withPrefix } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import type { Attributes } from './attributes.ts';
import { allows } from './rule.ts';

export interface Decision {
  readonly allowed: boolean;
  /** The binding that allows it, or the roles that were not found; empty when there is nothing to say. */
  readonly reason: string;
}

/** The rules of a user in a namespace, and what kept others from being found. */
export interface Rules {
  readonly rules: readonly PolicyRule[];
  /** Empty when all were found. */
  readonly problem: string;
}

/** A role that a binding names is not there, or cannot be. */
export class MissingRole extends Error {
  override readonly name = 'MissingRole';
  /** It could be there, and is not. */
  readonly isAbsent: boolean;

  constructor(message: string, isAbsent: boolean) {
    super(message);
    this.isAbsent = isAbsent;
  }
}

/** A binding as one of its subjects finds it. */
interface Grant {
  readonly binding: RoleBinding | ClusterRoleBinding;
  /** The place of the binding among those of its namespace, and of the subject in it. */
  readonly place: number;
  readonly subjectPlace: number;
  readonly subject: Subject;
}

type Index = ReadonlyMap<string, readonly Grant[]>;

const group = 'rbac.authorization.k8s.io';
const collections = {
  roles: `roles.${group}`,
  clusterRoles: `clusterroles.${group}`,
  roleBindings: `rolebindings.${group}`,
  clusterRoleBindings: `clusterrolebindings.${group}`,
} as const;

export class Authoriser {
  readonly #store: Store;
  /** By namespace; the bindings for the cluster are under the empty one. */
  readonly #indexes = new Map<string, Index>();

  constructor(store: Store) {
    this.#store = store;
    const [namespaced, clusterWide] = [
      store.collection(collections.roleBindings),
      store.collection(collections.clusterRoleBindings),
    ];
    store.listen((collection, { revision }) => {
      if (collection === clusterWide) this.#indexes.delete('');
      else if (collection === namespaced) this.#indexes.delete(revision.key.slice(0, revision.key.indexOf('/')));
    });
  }

  decide(user: User, wanted: Attributes): Decision {
    if (isPrivileged(user)) return { allowed: true, reason: '' };
    const namespace = wanted.type === 'resource' ? wanted.namespace : '';
    let reason = '';
    const problems: string[] = [];
    const allowed = this.#visit(user, namespace, problems, (rule, grant) => {
      if (!allows(rule, wanted)) return false;
      reason = `RBAC: allowed by ${description(grant)}`;
      return true;
    });
    if (!allowed && problems.length > 0) reason = `RBAC: ${together(problems)}`;
    return { allowed, reason };
  }

  rulesFor(user: User, namespace: string): Rules {
    const rules: PolicyRule[] = [];
    const problems: string[] = [];
    this.#visit(user, namespace, problems, (rule) => {
      rules.push(rule);
      return false;
    });
    return { rules, problem: together(problems) };
  }

  /** The rules of the role that a binding in a namespace names; throws a `MissingRole`. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] {
    if (kind !== 'Role' && kind !== 'ClusterRole') {
      throw new MissingRole(`unsupported role reference kind: ${JSON.stringify(kind)}`, false);
    }
    const found =
      kind === 'Role'
        ? this.#store.collection(collections.roles).get(keyIn(namespace, name))
        : this.#store.collection(collections.clusterRoles).get(name);
    if (found !== undefined) return (found.object.rules ?? []) as readonly PolicyRule[];
    throw new MissingRole(`${kind.toLowerCase()}.${group} ${JSON.stringify(name)} not found`, true);
  }

  /** Shows each rule of the user until `isEnough`; the bindings for the cluster first. */
  #visit(
    user: User,
    namespace: string,
    problems: string[],
    isEnough: (rule: PolicyRule, grant: Grant) => boolean,
  ): boolean {
    for (const place of namespace === '' ? [''] : ['', namespace]) {
      for (const grant of grantsOf(this.#index(place), user)) {
        try {
          for (const rule of this.rulesOf(grant.binding.roleRef, place)) if (isEnough(rule, grant)) return true;
        } catch (error) {
          if (!(error instanceof MissingRole)) throw error;
          problems.push(error.message);
        }
      }
    }
    return false;
  }

  #index(namespace: string): Index {
    let index = this.#indexes.get(namespace);
    if (index === undefined) {
      const bindings =
        namespace === ''
          ? this.#store.collection(collections.clusterRoleBindings).list()
          : withPrefix(this.#store.collection(collections.roleBindings).list(), `${namespace}/`);
      index = indexed(
        bindings.map(({ object }) => object),
        namespace,
      );
      this.#indexes.set(namespace, index);
    }
    return index;
  }
}

const userKey = (name: string): string => `user ${name}`;
const groupKey = (name: string): string => `group ${name}`;

function indexed(bindings: readonly ApiObject[], namespace: string): Index {
  const index = new Map<string, Grant[]>();
  bindings.forEach((object, place) => {
    const binding = readAs<RoleBinding | ClusterRoleBinding>(object);
    (binding.subjects ?? []).forEach((subject, subjectPlace) => {
      const key = keyOf(subject, namespace);
      if (key === undefined) return;
      const grant = { binding, place, subject, subjectPlace };
      const grants = index.get(key);
      if (grants === undefined) index.set(key, [grant]);
      else grants.push(grant);
    });
  });
  return index;
}

/** A service account that names no namespace is one of the binding's own. */
function keyOf({ kind, name, namespace }: Subject, own: string): string | undefined {
  switch (kind) {
    case 'User':
      return userKey(name);
    case 'Group':
      return groupKey(name);
    case 'ServiceAccount': {
      const home = namespace || own;
      return home === '' ? undefined : userKey(accountUserName(home, name));
    }
    default:
      return undefined;
  }
}

/** The bindings that name the user or one of its groups: each once, by the first subject that does. */
function grantsOf(index: Index, { name, groups }: User): readonly Grant[] {
  const found = [...(index.get(userKey(name)) ?? [])];
  for (const each of groups) found.push(...(index.get(groupKey(each)) ?? []));
  if (found.length < 2) return found;
  found.sort((a, b) => a.place - b.place || a.subjectPlace - b.subjectPlace);
  return found.filter(({ place }, position) => place !== found[position - 1]?.place);
}

function description({ binding, subject }: Grant): string {
  const { namespace, name } = binding.metadata as ApiObject['metadata'];
  const { kind, name: role } = binding.roleRef;
  const bound = namespace ? `RoleBinding "${name}/${namespace}"` : `ClusterRoleBinding "${name}"`;
  const whom =
    subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || (namespace ?? '')}` : subject.name;
  return `${bound} of ${kind} ${JSON.stringify(role)} to ${subject.kind} ${JSON.stringify(whom)}`;
}

/** Several problems as one text, each once. */
function together(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length < 2 ? (different[0] ?? '') : `[${different.join(', ')}]`;
}
