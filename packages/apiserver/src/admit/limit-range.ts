/**
 * The admission plugin LimitRanger: containers that do not say what they need get what their namespace gives, and none
 * may ask for less or more than it allows.
 */
import { compareQuantities, parseQuantity, printQuantity, quantityToNumber } from '@keelson/core';
import { type Amounts, amountsOf, podLimits, podRequests } from '@keelson/core/quota';
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
  ResourceRequirements,
} from '@keelson/core/v1';
import { type ApiObject, readAs } from '../object.ts';
import type { Write } from '../resource/write.ts';
import { forbidden, resourceNamed } from '../status.ts';
import type { AdmissionContext } from './admission.ts';

type Texts = Readonly<Record<string, string>>;
type LimitContext = Pick<AdmissionContext, 'objects'>;

const rangesIn = ({ objects }: LimitContext, namespace: string): readonly LimitRange[] =>
  [...objects.list('limitranges')]
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map((each) => readAs<LimitRange>(each));

const missingIn = (own: Texts | undefined, defaults: Texts): Texts =>
  Object.fromEntries(Object.entries(defaults).filter(([name]) => own?.[name] === undefined));

/** The pod with the defaults of its namespace, and an annotation that says which. */
export function withLimitDefaults(context: LimitContext, pod: ApiObject): ApiObject {
  return rangesIn(context, pod.metadata.namespace ?? '').reduce(withDefaultsOf, pod);
}

function withDefaultsOf(pod: ApiObject, { spec }: LimitRange): ApiObject {
  const items = (spec?.limits ?? []).filter(({ type }) => type === 'Container');
  const limits: Texts = Object.assign({}, ...items.map((each) => each.default));
  const requests: Texts = Object.assign({}, ...items.map((each) => each.defaultRequest));
  const remarks: string[] = [];
  const completed =
    (what: string) =>
    (container: Container): Container => {
      const given = {
        requests: missingIn(container.resources?.requests, requests),
        limits: missingIn(container.resources?.limits, limits),
      };
      const remark = (each: 'requests' | 'limits', word: string) => {
        const names = Object.keys(given[each]).sort();
        if (names.length > 0) remarks.push(`${names.join(', ')} ${word} for ${what} ${container.name}`);
      };
      remark('requests', 'request');
      remark('limits', 'limit');
      return { ...container, resources: withAmounts(container.resources, given) };
    };
  const { containers, initContainers } = readAs<Pod>(pod).spec ?? { containers: [] };
  const changed = {
    ...(pod.spec as object),
    // A list that is absent is null in Go's JSON, until it is found to be missing.
    containers: containers?.map(completed('container')) ?? null,
    ...(initContainers !== undefined && { initContainers: initContainers.map(completed('init container')) }),
  };
  if (remarks.length === 0) return pod;
  const annotations = {
    ...pod.metadata.annotations,
    'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${remarks.join('; ')}`,
  };
  return { ...pod, spec: changed, metadata: { ...pod.metadata, annotations } };
}

function withAmounts(
  own: ResourceRequirements | undefined,
  given: { readonly requests: Texts; readonly limits: Texts },
): ResourceRequirements {
  const limits = { ...own?.limits, ...given.limits };
  const requests = { ...own?.requests, ...given.requests };
  return {
    ...own,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
}

/** What is asked for, and the words in which it is spoken of. */
interface Asked {
  readonly type: string;
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** A claim has no limit, and is measured by what it asks for. */
  readonly byRequest?: boolean;
}

/** Throws a refusal when the object asks for less or more than a range allows; `old` is what it changes. */
export function assertWithinLimits(
  context: LimitContext,
  { resource, subresource, namespace }: Write,
  object: ApiObject,
  old: ApiObject | undefined,
): void {
  const { collection } = resource;
  const isClaim = collection === 'persistentvolumeclaims';
  if (subresource !== '' || (!isClaim && (collection !== 'pods' || old !== undefined))) return;
  if (old?.metadata.deletionTimestamp) return;
  for (const { spec } of rangesIn(context, namespace)) {
    const problems = (spec?.limits ?? []).flatMap((item) =>
      askedOf(item.type, isClaim, object).flatMap((asked) => problemsOf(item, asked)),
    );
    if (problems.length === 0) continue;
    const distinct = [...new Set(problems)];
    const why = distinct.length === 1 ? String(distinct[0]) : `[${distinct.join(', ')}]`;
    throw forbidden(resourceNamed(resource), object.metadata.name ?? '', why);
  }
}

function askedOf(type: string, isClaim: boolean, object: ApiObject): readonly Asked[] {
  if (isClaim) {
    const requests = amountsOf(readAs<PersistentVolumeClaim>(object).spec?.resources?.requests);
    return type === 'PersistentVolumeClaim' ? [{ type, requests, limits: new Map(), byRequest: true }] : [];
  }
  const { spec } = readAs<Pod>(object);
  if (spec === undefined) return [];
  if (type === 'Pod') return [{ type, requests: podRequests(spec), limits: podLimits(spec) }];
  if (type !== 'Container') return [];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => ({
    type,
    requests: amountsOf(resources?.requests),
    limits: amountsOf(resources?.limits),
  }));
}

const each = (
  limits: Texts | undefined,
  judge: (name: string, text: string) => string | undefined,
): readonly string[] =>
  Object.entries(limits ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, text]) => judge(name, text) ?? []);

function problemsOf({ min, max, maxLimitRequestRatio }: LimitRangeItem, asked: Asked): readonly string[] {
  return [
    ...each(min, (name, text) => tooLittle(asked, name, text)),
    ...each(max, (name, text) => tooMuch(asked, name, text)),
    ...each(maxLimitRequestRatio, (name, text) => tooFarApart(asked, name, text)),
  ];
}

function tooLittle({ type, requests, limits }: Asked, name: string, text: string): string | undefined {
  const enforced = parseQuantity(text);
  const request = requests.get(name);
  const limit = limits.get(name);
  const minimum = `minimum ${name} usage per ${type} is ${printQuantity(enforced)}`;
  if (request === undefined) return `${minimum}.  No request is specified`;
  if (compareQuantities(request, enforced) < 0) return `${minimum}, but request is ${printQuantity(request)}`;
  if (limit === undefined || compareQuantities(limit, enforced) >= 0) return undefined;
  return `${minimum}, but limit is ${printQuantity(limit)}`;
}

function tooMuch({ type, requests, limits, byRequest = false }: Asked, name: string, text: string): string | undefined {
  const enforced = parseQuantity(text);
  const measured = byRequest ? requests.get(name) : limits.get(name);
  const word = byRequest ? 'request' : 'limit';
  const request = requests.get(name);
  const maximum = `maximum ${name} usage per ${type} is ${printQuantity(enforced)}`;
  if (measured === undefined) return `${maximum}.  No ${word} is specified`;
  if (compareQuantities(measured, enforced) > 0) return `${maximum}, but ${word} is ${printQuantity(measured)}`;
  if (request === undefined || compareQuantities(request, enforced) <= 0) return undefined;
  return `${maximum}, but request is ${printQuantity(request)}`;
}

function tooFarApart({ type, requests, limits }: Asked, name: string, text: string): string | undefined {
  const enforced = parseQuantity(text);
  const [request, limit] = [requests, limits].map((amounts) => {
    const amount = amounts.get(name);
    return amount === undefined ? 0 : quantityToNumber(amount);
  });
  const ratio = `${name} max limit to request ratio per ${type} is ${printQuantity(enforced)}`;
  if (!request) return `${ratio}, but no request is specified or request is 0`;
  if (!limit) return `${ratio}, but no limit is specified or limit is 0`;
  const provided = limit / request;
  return provided > quantityToNumber(enforced) ? `${ratio}, but provided ratio is ${provided.toFixed(6)}` : undefined;
}
