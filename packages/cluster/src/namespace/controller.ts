/**
 * The namespace controller: empties a namespace that is deleted, pods first, and then lets it go.
 *
 * Promises: the finalizer `kubernetes` stays until a list of every resource came back empty; what is left and why is
 * in the conditions. A namespace that something holds for long costs little: only what was left is looked at again, and
 * everything every five minutes.
 */
import { createWorkQueue, type DiscoveredKind, type InformerHandle } from '@keelson/client';
import { isApiError, isNotFound, type KubernetesObject, keyOf, type List } from '@keelson/core';
import { Namespace, Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop, TryAgain } from '../control-loop.ts';
import { reasonOf } from '../error-reason.ts';
import { type Resources, resourcesOf } from '../resources.ts';
import { conditionsOf, type Findings } from './conditions.ts';

const finalizer = 'kubernetes';

/** Other API servers may accept objects for the namespace for a moment after it was deleted. */
const delayMs = 5000;

/** Nothing new can be made in a namespace that is going, so that all of it need not be looked at each time. */
const fullLookMs = 5 * 60_000;

/** How long objects with finalizers are expected to take. */
const finalizerSeconds = 15;

export function startNamespaceController(context: ControllerContext): RunningController {
  const controller = new NamespaceController(context);
  return startLoop(context, {
    name: 'namespace',
    queue: controller.queue,
    informers: [controller.namespaces],
    sync: (key) => controller.sync(key),
  });
}

/** What is left of one resource, or of all. */
interface Remains {
  /** How long that may take to go; 0 says nothing. */
  readonly seconds: number;
  readonly count: number;
  readonly finalizers: ReadonlyMap<string, number>;
  /** What is left although nothing holds it. */
  readonly error?: Error;
}

const none: Remains = { seconds: 0, count: 0, finalizers: new Map() };

class NamespaceController {
  readonly queue;
  readonly namespaces: InformerHandle<Namespace>;
  readonly #context: ControllerContext;
  /** By uid: what was left when all was looked at and nothing failed, and until when that will do. */
  readonly #held = new Map<string, { readonly resources: readonly DiscoveredKind[]; readonly until: number }>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.queue = createWorkQueue({ clock: context.clock, maxDelayMs: 60_000 });
    this.namespaces = context.informers.informer(Namespace);
    this.namespaces.subscribe(
      ({ type, object }) => {
        if (type === 'deleted') this.#held.delete(object.metadata.uid);
        else if (object.metadata.deletionTimestamp !== undefined) this.queue.addAfter(keyOf(object), delayMs);
      },
      { signal: context.signal },
    );
  }

  async sync(name: string): Promise<void> {
    const { client } = this.#context;
    const found = await client.find(Namespace, name);
    if (!found || found.metadata.deletionTimestamp === undefined) return;
    const namespace = await this.#markTerminating(found);
    if ((namespace.spec.finalizers ?? []).length === 0) return;
    const waitSeconds = await this.#deleteContent(namespace);
    if (waitSeconds > 0) this.queue.addAfter(name, (Math.floor(waitSeconds / 2) + 1) * 1000);
    else await this.#finalize(name, namespace.metadata.uid);
  }

  async #markTerminating(namespace: Namespace): Promise<Namespace> {
    if (namespace.status.phase === 'Terminating') return namespace;
    return this.#writeStatus({ ...namespace, status: { ...namespace.status, phase: 'Terminating' } });
  }

  /** Returns how many seconds what remains may take; throws what went wrong, once it is reported. */
  async #deleteContent(namespace: Namespace): Promise<number> {
    const report = (await this.#lookAgain(namespace)) ?? (await this.#lookAtAll(namespace));
    const [error] = report.errors;
    if (error !== undefined) throw error;
    return report.seconds;
  }

  /** At what was left; `undefined` when that has gone, or all must be looked at. */
  async #lookAgain(namespace: Namespace): Promise<Report | undefined> {
    const held = this.#held.get(namespace.metadata.uid);
    if (held === undefined || this.#context.clock.now() >= held.until) return undefined;
    const report = new Report(undefined);
    for (const resource of held.resources) await this.#deleteAll(resource, namespace, report);
    if (report.remaining.size === 0) return undefined;
    await this.#report(namespace, report, held.resources.some(isPods));
    return report;
  }

  async #lookAtAll(namespace: Namespace): Promise<Report> {
    const resources = resourcesOf(await this.#context.discovery.read());
    const deletable = resources.preferred.filter(
      ({ scope, verbs }) => scope === 'Namespaced' && verbs.includes('delete'),
    );
    const report = new Report(staleMessage(resources));
    for (const resource of deletable.filter(isPods)) await this.#deleteAll(resource, namespace, report);
    // Pods may still need what is around them, such as their Secrets; all else waits until they are gone.
    const arePodsLeft = report.remaining.size > 0;
    if (!arePodsLeft) {
      for (const resource of deletable) if (!isPods(resource)) await this.#deleteAll(resource, namespace, report);
    }
    const left = deletable.filter((each) => report.remaining.has(nameOf(each)));
    const until = this.#context.clock.now() + fullLookMs;
    if (report.errors.length === 0) this.#held.set(namespace.metadata.uid, { resources: left, until });
    await this.#report(namespace, report, arePodsLeft);
    return report;
  }

  async #deleteAll(resource: DiscoveredKind, namespace: Namespace, report: Report): Promise<void> {
    try {
      report.add(resource, await this.#remains(resource, namespace));
    } catch (error) {
      report.fail(error);
    }
  }

  async #remains(resource: DiscoveredKind, namespace: Namespace): Promise<Remains> {
    const { client } = this.#context;
    const { name } = namespace.metadata;
    const graceSeconds = await this.#graceSeconds(resource, namespace);
    const options = { namespace: name, propagationPolicy: 'Background' } as const;
    if (resource.verbs.includes('deletecollection')) {
      await unlessMissing(client.deleteCollection(resource, options));
    } else {
      for (const object of (await this.#list(resource, name)).items) {
        await unlessMissing(client.delete(resource, keyOf(object), { propagationPolicy: 'Background' }));
      }
    }
    const { items } = await this.#list(resource, name);
    if (items.length === 0) return none;
    const finalizers = new Map<string, number>();
    for (const each of items.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
      finalizers.set(each, (finalizers.get(each) ?? 0) + 1);
    }
    const seconds = graceSeconds || (finalizers.size > 0 ? finalizerSeconds : 0);
    const remains = { seconds, count: items.length, finalizers };
    if (seconds > 0) return remains;
    const { group, version, resource: plural } = resource;
    const gvr = `${group}/${version}, Resource=${plural}`;
    // A pod may take longer to stop than its grace period says.
    return { ...remains, error: new TryAgain(`unexpected items still remain in namespace: ${name} for gvr: ${gvr}`) };
  }

  async #list(resource: DiscoveredKind, namespace: string): Promise<List<KubernetesObject>> {
    const empty: List<KubernetesObject> = { items: [], resourceVersion: '' };
    if (!resource.verbs.includes('list')) return empty;
    return (await unlessMissing(this.#context.client.list(resource, { namespace }))) ?? empty;
  }

  /** The longest grace period of its pods, unless the namespace has been going for longer than that. */
  async #graceSeconds(resource: DiscoveredKind, { metadata }: Namespace): Promise<number> {
    if (!isPods(resource)) return 0;
    const { client, clock } = this.#context;
    const { items } = await client.list(Pod, { namespace: metadata.name });
    const graces = items
      .filter(({ status }) => status.phase !== 'Succeeded' && status.phase !== 'Failed')
      .map(({ spec }) => spec.terminationGracePeriodSeconds ?? 0);
    const grace = Math.max(0, ...graces);
    const goingMs = clock.now() - Date.parse(metadata.deletionTimestamp ?? '');
    return goingMs >= grace * 1000 ? 0 : grace;
  }

  /** As in Kubernetes, pods that delay all else are not listed as remaining content. */
  async #report(namespace: Namespace, report: Report, arePodsLeft: boolean): Promise<void> {
    const findings: Findings = arePodsLeft ? { ...report, remaining: new Map(), finalizers: new Map() } : report;
    const before = namespace.status.conditions ?? [];
    const conditions = conditionsOf(before, findings, this.#context.clock.now());
    if (conditions === before) return;
    // What is said about the content must not keep the content.
    await this.#writeStatus({ ...namespace, status: { ...namespace.status, conditions } }).catch((error: unknown) => {
      const { logger } = this.#context;
      if (!isNotFound(error))
        logger.debug('The conditions could not be written', { key: namespace.metadata.name, error });
    });
  }

  async #writeStatus(namespace: Namespace): Promise<Namespace> {
    return this.#context.client.update(Namespace, namespace, { subresource: 'status' });
  }

  async #finalize(name: string, uid: string): Promise<void> {
    const { client } = this.#context;
    const latest = await client.find(Namespace, name);
    if (!latest || latest.metadata.uid !== uid) return;
    const finalizers = (latest.spec.finalizers ?? []).filter((each) => each !== finalizer);
    await unlessMissing(client.update(Namespace, { ...latest, spec: { finalizers } }, { subresource: 'finalize' }));
  }
}

const isPods = ({ group, resource }: DiscoveredKind): boolean => group === Pod.group && resource === Pod.resource;

/** As the conditions name it; the core group leaves the dot at the end. */
const nameOf = ({ group, resource }: DiscoveredKind): string => `${resource}.${group}`;

/** Adds up what was found for each resource. */
class Report implements Findings {
  readonly discovery: string | undefined;
  readonly failures: string[] = [];
  readonly errors: unknown[] = [];
  readonly remaining = new Map<string, number>();
  readonly finalizers = new Map<string, number>();
  seconds = 0;

  constructor(discovery: string | undefined) {
    this.discovery = discovery;
    if (discovery !== undefined) this.errors.push(new Error(discovery));
  }

  add(kind: DiscoveredKind, { seconds, count, finalizers, error }: Remains): void {
    if (error) this.fail(error);
    this.seconds = Math.max(this.seconds, seconds);
    if (count > 0) this.remaining.set(nameOf(kind), count);
    for (const [name, each] of finalizers) this.finalizers.set(name, (this.finalizers.get(name) ?? 0) + each);
  }

  fail(error: unknown): void {
    this.failures.push(reasonOf(error));
    this.errors.push(error);
  }
}

function staleMessage({ stale }: Resources): string | undefined {
  if (stale.length === 0) return undefined;
  const groups = stale.map((each) => `${each}: stale GroupVersion discovery: ${each}`).join(', ');
  return `Discovery failed for some groups, ${stale.length} failing: unable to retrieve the complete list of server APIs: ${groups}`;
}

/** What is not there, or cannot be asked for, needs no deletion. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error) || isMethodNotAllowed(error)) return undefined;
    throw error;
  }
}

function isMethodNotAllowed(error: unknown): boolean {
  return isApiError(error) && error.status.reason === 'MethodNotAllowed';
}
