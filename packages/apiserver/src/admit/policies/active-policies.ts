/**
 * Policies that are in force: those with a binding, compiled, in the order of their names.
 *
 * Promises: they are read again when a policy or binding has changed and a write asks; a policy is compiled once for
 * each of its generations; where there is none, nothing is done and nothing allocated.
 */
import { type ApiObject, readAs } from '../../object.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Write } from '../../resource/write.ts';
import type { Store } from '../../store/store.ts';
import type { Operation } from '../attributes.ts';
import { type MatchCriteria, mayMatch } from '../match.ts';
import type { Binding, MatchResources, Policy } from './policy.ts';

/** A policy with all that is bound to it. */
export interface ActivePolicy<P extends Policy, B extends Binding, C> {
  readonly policy: P;
  readonly criteria: MatchCriteria;
  readonly bindings: readonly { readonly binding: B; readonly criteria: MatchCriteria | undefined }[];
  readonly compiled: C;
}

const group = 'admissionregistration.k8s.io';

export class ActivePolicies<P extends Policy, B extends Binding, C> {
  readonly #store: Store;
  readonly #compile: (policy: P) => C;
  readonly #policies: string;
  readonly #bindings: string;
  readonly #compiled = new Map<string, { readonly generation: number | undefined; readonly compiled: C }>();
  #active: readonly ActivePolicy<P, B, C>[] | undefined;

  constructor(store: Store, kind: 'validating' | 'mutating', compile: (policy: P) => C) {
    this.#store = store;
    this.#compile = compile;
    this.#policies = `${kind}admissionpolicies.${group}`;
    this.#bindings = `${kind}admissionpolicybindings.${group}`;
    store.listen(({ name }) => {
      if (name === this.#policies || name === this.#bindings) this.#active = undefined;
    });
  }

  all(): readonly ActivePolicy<P, B, C>[] {
    this.#active ??= this.#read();
    return this.#active;
  }

  handles({ resource, subresource }: Write, operation: Operation): boolean {
    const active = this.all();
    if (active.length === 0 || isExempt(resource)) return false;
    return active.some(({ criteria }) => mayMatch(criteria.rules ?? [], resource, subresource, operation));
  }

  #read(): readonly ActivePolicy<P, B, C>[] {
    const bindings = new Map<string, B[]>();
    for (const { object } of this.#store.collection(this.#bindings).list()) {
      const binding = readAs<B>(object);
      const name = binding.spec?.policyName ?? '';
      bindings.set(name, [...(bindings.get(name) ?? []), binding]);
    }
    const active: ActivePolicy<P, B, C>[] = [];
    for (const [name, bound] of bindings) {
      const object = this.#store.collection(this.#policies).get(name)?.object;
      if (object === undefined) continue;
      const policy = readAs<P>(object);
      active.push({
        policy,
        criteria: criteriaOf(policy.spec?.matchConstraints ?? {}),
        bindings: bound.map((binding) => ({
          binding,
          criteria: binding.spec?.matchResources && criteriaOf(binding.spec.matchResources),
        })),
        compiled: this.#compiledOf(object, policy),
      });
    }
    for (const uid of this.#compiled.keys()) {
      if (!active.some(({ policy }) => policy.metadata.uid === uid)) this.#compiled.delete(uid);
    }
    return active.sort((a, b) => compare(a.policy.metadata.name, b.policy.metadata.name));
  }

  #compiledOf({ metadata: { uid = '', generation } }: ApiObject, policy: P): C {
    const known = this.#compiled.get(uid);
    if (known !== undefined && known.generation === generation) return known.compiled;
    const compiled = this.#compile(policy);
    this.#compiled.set(uid, { generation, compiled });
    return compiled;
  }
}

/** Policies judge no policies and no bindings, so that they can always be repaired, and no questions about access. */
function isExempt(resource: Resource): boolean {
  if (resource.group === group) return /^(?:validating|mutating)admissionpolic/.test(resource.resource);
  return /^auth(?:entication|orization)\.k8s\.io$/.test(resource.group) && resource.resource.endsWith('reviews');
}

/** No rules match everything. */
function criteriaOf({
  resourceRules = [],
  excludeResourceRules,
  matchPolicy,
  namespaceSelector,
  objectSelector,
}: MatchResources): MatchCriteria {
  const rules = resourceRules.length === 0 ? undefined : resourceRules;
  return { rules, excluded: excludeResourceRules, matchPolicy, namespaceSelector, objectSelector };
}

const compare = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);
