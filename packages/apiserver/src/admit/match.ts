/**
 * Whether an admitter is concerned by a write: rules, selectors, and the versions of a resource that are equivalent.
 *
 * Webhooks and admission policies match alike; only policies have names in their rules, and rules that exclude.
 */
import { type LabelSelector, matchesLabels, requirementsOf } from '@keelson/core';
import type { ApiObject } from '../object.ts';
import type { ObjectReader, Resource } from '../resource/resource.ts';
import { notFound } from '../status.ts';
import { type Attributes, type GroupVersionKind, kindOf, type Operation } from './attributes.ts';

export interface Rule {
  readonly operations?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly scope?: string | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}

export interface MatchCriteria {
  /** `undefined` matches everything; an empty list of rules matches nothing. */
  readonly rules: readonly Rule[] | undefined;
  readonly excluded?: readonly Rule[] | undefined;
  readonly matchPolicy?: string | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
}

/** As what the write is shown to the admitter: it may be another version than the one that was asked for. */
export interface Match {
  readonly resource: Resource;
  readonly kind: GroupVersionKind;
}

export interface MatchContext {
  readonly objects: ObjectReader;
  readonly registry: { all(): readonly Resource[] };
}

/** `undefined` when the admitter is not concerned; throws where that cannot be known. */
export function matchOf(context: MatchContext, criteria: MatchCriteria, attributes: Attributes): Match | undefined {
  const { matchPolicy, namespaceSelector, objectSelector } = criteria;
  if (objectSelector !== undefined && !isObjectSelected(objectSelector, attributes)) return undefined;
  const byNamespace = namespaceSelector === undefined || namespaceMatch(context, namespaceSelector, attributes);
  if (byNamespace === false) return undefined;
  const equivalents = matchPolicy === 'Equivalent' ? equivalentResources(context, attributes) : [];
  if (matchingRules(criteria.excluded ?? [], attributes, equivalents) !== undefined) return undefined;
  const { resource, kind } = attributes;
  const match =
    criteria.rules === undefined ? { resource, kind } : matchingRules(criteria.rules, attributes, equivalents);
  // That its namespace does not exist matters only to a write that is concerned otherwise.
  if (match !== undefined && byNamespace === 'missing') {
    throw notFound({ group: '', name: 'namespaces' }, attributes.namespace);
  }
  return match;
}

/** Whether rules could ever match such a write: for those who want to know early. */
export function mayMatch(
  rules: readonly Rule[],
  resource: Resource,
  subresource: string,
  operation: Operation,
): boolean {
  return rules.some((rule) => includes(rule.operations, operation) && includesResource(rule, resource, subresource));
}

/** Configurations of admission itself, which nothing that is configured there may keep from being repaired. */
export function isExempt({ kind: { group, kind } }: Pick<Attributes, 'kind'>): boolean {
  return group === 'admissionregistration.k8s.io' && exemptKinds.test(kind);
}

const exemptKinds =
  /^(?:(?:Validating|Mutating)WebhookConfiguration|(?:Validating|Mutating)AdmissionPolicy(?:Binding)?)$/;

/** The same objects under other groups and versions. */
function equivalentResources({ registry }: MatchContext, { resource, subresource }: Attributes): readonly Resource[] {
  return registry
    .all()
    .filter(
      (each) =>
        each !== resource &&
        each.collection === resource.collection &&
        (each.group !== resource.group || each.version !== resource.version) &&
        (subresource === '' || each.subresources.has(subresource)),
    );
}

function matchingRules(
  rules: readonly Rule[],
  attributes: Attributes,
  equivalents: readonly Resource[],
): Match | undefined {
  const { resource, kind, subresource } = attributes;
  if (rules.some((rule) => matchesRule(rule, attributes, resource))) return { resource, kind };
  // Earlier rules come first, whichever version they match.
  for (const rule of rules) {
    const found = equivalents.find((each) => matchesRule(rule, attributes, each));
    if (found !== undefined) return { resource: found, kind: kindOf(found, subresource) };
  }
  return undefined;
}

function matchesRule(rule: Rule, attributes: Attributes, wanted: Resource): boolean {
  const { operation, subresource, name } = attributes;
  const { group, version } = wanted;
  return (
    isInScope(rule, attributes) &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, group) &&
    includes(rule.apiVersions, version) &&
    includesResource(rule, wanted, subresource) &&
    (rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

/** A Namespace is in none, although its attributes name one. */
function isInScope({ scope = '*' }: Rule, { resource, namespace }: Attributes): boolean {
  if (scope === '*') return true;
  const isNamespaced = resource.collection !== 'namespaces' && namespace !== '';
  return scope === (isNamespaced ? 'Namespaced' : 'Cluster');
}

const includes = (items: readonly string[] | undefined, wanted: string): boolean =>
  (items ?? []).some((item) => item === '*' || item === wanted);

/** `pods` is the resource alone, `pods/status` the endpoint below it, and a star stands for any on its side. */
function includesResource({ resources = [] }: Rule, { resource }: Resource, subresource: string): boolean {
  return resources.some((each) => {
    const slash = each.indexOf('/');
    const [plural, below] = slash === -1 ? [each, ''] : [each.slice(0, slash), each.slice(slash + 1)];
    return (plural === '*' || plural === resource) && (below === '*' || below === subresource);
  });
}

/** Either of the two objects will do. */
function isObjectSelected(selector: LabelSelector, { object, old }: Attributes): boolean {
  const requirements = requirementsOf(selector);
  if (requirements.length === 0) return true;
  return [object, old].some(
    (each) => each?.metadata !== undefined && matchesLabels(requirements, each.metadata.labels),
  );
}

/** What is in no namespace is never exempt; a Namespace counts with the labels that it is to have. */
function namespaceMatch(context: MatchContext, selector: LabelSelector, attributes: Attributes): boolean | 'missing' {
  const { resource, namespace } = attributes;
  if (namespace === '' && resource.resource !== 'namespaces') return true;
  const requirements = requirementsOf(selector);
  if (requirements.length === 0) return true;
  const found = namespaceOf(context, attributes);
  return found === undefined ? 'missing' : matchesLabels(requirements, found.metadata.labels);
}

/** The Namespace that a write happens in, or that it writes. */
function namespaceOf({ objects }: MatchContext, attributes: Attributes): ApiObject | undefined {
  const { resource, subresource, operation, namespace, object } = attributes;
  const isOwn = resource.resource === 'namespaces' && subresource === '';
  if (isOwn && (operation === 'CREATE' || operation === 'UPDATE')) return object;
  return objects.find('namespaces', namespace);
}
