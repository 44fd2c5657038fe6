/** Makes a client of a transport. */
import {
  ApiError,
  addressOf,
  apiVersionOf,
  type Clock,
  isGone,
  isNotFound,
  type Kind,
  type KubernetesObject,
  keyOf,
  type List,
  type NamespacedName,
  type NewKubernetesObject,
  type ObjectMeta,
  type ObjectOf,
  type Random,
  type Transport,
  TransportError,
  type WatchEvent,
} from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { createDiscovery, type Discovery } from '../discovery/discovery.ts';
import { TokenBucket } from '../limits/token-bucket.ts';
import { failureStatus } from '../transport/response.ts';
import { fieldsIn, listIn, objectIn, type RawList } from '../transport/shape.ts';
import { watchEvents } from '../watch/watch-events.ts';
import { actionOf, collectionAction } from './action.ts';
import { callObserver } from './call-observer.ts';
import { type Call, Caller } from './caller.ts';
import type {
  ApplyOptions,
  CallDefaults,
  CallOptions,
  Client,
  CreatableKind,
  CreatedOf,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  DeleteResult,
  GetOptions,
  GroupVersionKind,
  ListOptions,
  PatchOptions,
  RawOptions,
  SubresourceBody,
  UpdateOf,
  UpdateOptions,
  WatchOptions,
  WrittenOf,
} from './client.ts';
import { deleteBody, deleteResult } from './deletion.ts';
import type { Lifetime } from './lifetime.ts';
import { type AddressedKind, deletedBy, type OwnWrite, storedBy } from './own-write.ts';
import { PageCount } from './page-count.ts';
import { asKind, listForm, objectForm } from './partial-metadata.ts';
import type { JsonPatch, MergePatchOf } from './patch.ts';
import { collectionPath, objectPath } from './path.ts';
import { pageParameters, query, selectionParameters, watchParameters, writeParameters } from './query.ts';
import type { RequestMetrics } from './request-metrics.ts';

/** Where a client sends its requests, and what all of its calls have in common. */
export interface ClientOptions extends CallDefaults {
  readonly transport: Transport;
  /** Gets each warning of the server, unless the call has its own; what it throws is dropped. @default they are dropped */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** Hold requests back on this side. @default none; the server's own fairness decides */
  readonly rateLimit?: { readonly qps: number; readonly burst: number } | undefined;
  /**
   * More headers for every request, asked for right before it is sent, in the asynchronous context of the call: such as
   * the `traceparent` of the active span.
   */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  readonly metrics?: RequestMetrics | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default systemRandom */
  readonly random?: Random | undefined;
}

/**
 * A client of the API server at the other end of a transport. It holds no connection and no state of its own.
 *
 * @example
 * await using transport = connect(await loadConfig());
 * const client = createClient({ transport, fieldManager: 'scaler' });
 * const deployment = await client.get(Deployment, 'default/web');
 * await client.patch(Deployment, 'default/web', { spec: { replicas: 3 } });
 */
export function createClient(options: ClientOptions): Client {
  const { transport, clock = systemClock, random = systemRandom, rateLimit, headers, metrics } = options;
  const bucket = rateLimit && new TokenBucket(rateLimit, clock);
  const { signal, timeoutMs, fieldManager, guard, onWritten, onWarning } = options;
  return new ApiClient(new Caller({ transport, clock, random, bucket, headers, metrics }), {
    signals: signal ? [signal] : [],
    timeoutMs,
    fieldManager,
    guard,
    onWritten: onWritten ? [onWritten] : [],
    onWarning,
  });
}

interface Defaults {
  readonly signals: readonly AbortSignal[];
  readonly timeoutMs: number | undefined;
  readonly fieldManager: string | undefined;
  readonly guard: (() => void) | undefined;
  readonly onWritten: readonly ((write: OwnWrite) => void)[];
  readonly onWarning: ((warning: string) => void) | undefined;
}

const examples = { group: "'apps', or '' for that of Pod", version: "'v1'", kind: "'Deployment'" } as const;

const patchContentTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml', // JSON is YAML
} as const;

class ApiClient implements Client {
  readonly #caller: Caller;
  readonly #defaults: Defaults;
  /** Knows the kinds that are given by name; shared by all clients that `with` makes. */
  readonly #discovery: Discovery;

  constructor(caller: Caller, defaults: Defaults, discovery?: Discovery) {
    this.#caller = caller;
    this.#defaults = defaults;
    this.#discovery = discovery ?? createDiscovery(this);
  }

  with({ signal, timeoutMs, fieldManager, guard, onWritten }: CallDefaults): Client {
    const { signals, onWarning } = this.#defaults;
    const defaults = {
      signals: signal ? [...signals, signal] : signals,
      timeoutMs: timeoutMs ?? this.#defaults.timeoutMs,
      fieldManager: fieldManager ?? this.#defaults.fieldManager,
      guard: both(this.#defaults.guard, guard),
      onWritten: onWritten ? [...this.#defaults.onWritten, onWritten] : this.#defaults.onWritten,
      onWarning,
    };
    return new ApiClient(this.#caller, defaults, this.#discovery);
  }

  async get<K extends Kind>(
    kindOrName: K | GroupVersionKind,
    key: NamespacedName,
    options: GetOptions = {},
  ): Promise<ObjectOf<K>> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const { subresource, resourceVersion } = options;
    const action = actionOf('get', kind, key, subresource);
    const answer = await this.#send(
      {
        action,
        method: 'GET',
        path: objectPath(kind, addressOf(kind, key), subresource) + query({ resourceVersion }),
        accept: objectForm(kind),
        isRepeatable: true,
      },
      options,
    );
    return asKind(kind, objectAt<ObjectOf<K>>(subresource, action, answer));
  }

  async find<K extends Kind>(
    kind: K | GroupVersionKind,
    key: NamespacedName,
    options: GetOptions = {},
  ): Promise<ObjectOf<K> | undefined> {
    try {
      return await this.get(kind, key, options);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async list<K extends Kind>(kindOrName: K | GroupVersionKind, options: ListOptions = {}): Promise<List<ObjectOf<K>>> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const action = collectionAction('list', kind, options.namespace);
    using lifetime = this.#lifetime(action, options);
    const items: ObjectOf<K>[] = [];
    const count = new PageCount(action);
    let page: List<ObjectOf<K>> | undefined;
    do {
      try {
        page = await this.#page<K>(kind, options, page?.continueToken ?? options.continueToken, lifetime);
      } catch (error) {
        if (!page || !isGone(error)) throw error;
        // The state that the pages show was compacted away meanwhile: one answer with everything, as client-go does.
        items.length = 0;
        page = await this.#page<K>(kind, { ...options, pageSize: 0 }, undefined, lifetime);
      }
      count.add(page);
      for (const item of page.items) items.push(item);
    } while (page.continueToken !== undefined);
    return { items, resourceVersion: page.resourceVersion };
  }

  async *pages<K extends Kind>(
    kindOrName: K | GroupVersionKind,
    options: ListOptions = {},
  ): AsyncGenerator<List<ObjectOf<K>>, void, undefined> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const action = collectionAction('list', kind, options.namespace);
    const count = new PageCount(action);
    let continueToken = options.continueToken;
    do {
      using lifetime = this.#lifetime(action, options);
      const page: List<ObjectOf<K>> = await this.#page<K>(kind, options, continueToken, lifetime);
      count.add(page);
      continueToken = page.continueToken;
      lifetime[Symbol.dispose](); // the time that the caller takes is not the server's
      yield page;
    } while (continueToken !== undefined);
  }

  async create<K extends CreatableKind>(
    kindOrName: K | GroupVersionKind,
    object: WrittenOf<K>,
    options: CreateOptions = {},
  ): Promise<CreatedOf<K>> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const { namespace, name, generateName = '' } = (object as { readonly metadata?: ObjectMeta }).metadata ?? {};
    if (kind.scope === 'Namespaced' && namespace === undefined) {
      throw new TypeError(`${kind.kind} is namespaced, so create needs metadata.namespace`);
    }
    const key = `${namespace === undefined ? '' : `${namespace}/`}${name ?? `${generateName}*`}`;
    const isNamed = name !== undefined || generateName !== '';
    return this.#write(
      kind,
      {
        action: isNamed ? actionOf('create', kind, key) : collectionAction('create', kind, namespace),
        method: 'POST',
        path: collectionPath(kind, namespace),
        body: JSON.stringify(withKind(kind, object)),
      },
      options,
    );
  }

  async createSubresource(
    kindOrName: CreatableKind | GroupVersionKind,
    subresource: string,
    body: SubresourceBody,
    options: CreateOptions = {},
  ): Promise<unknown> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const key = keyOf(body);
    return this.#write(
      kind,
      {
        action: actionOf('create', kind, key, subresource),
        method: 'POST',
        path: objectPath(kind, addressOf(kind, key), subresource),
        body: JSON.stringify(withKind(kind, body)),
      },
      { ...options, subresource },
    );
  }

  async update<K extends Kind>(
    kindOrName: K | GroupVersionKind,
    object: UpdateOf<K>,
    options: UpdateOptions = {},
  ): Promise<ObjectOf<K>> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const key = keyOf(object);
    const { subresource } = options;
    return this.#write(
      kind,
      {
        action: actionOf('update', kind, key, subresource),
        method: 'PUT',
        path: objectPath(kind, addressOf(kind, key), subresource),
        body: JSON.stringify(withKind(kind, object)),
      },
      options,
      { key, uid: object.metadata.uid },
    );
  }

  async patch<K extends Kind>(
    kindOrName: K | GroupVersionKind,
    key: NamespacedName,
    patch: MergePatchOf<K> | JsonPatch,
    options: PatchOptions = {},
  ): Promise<ObjectOf<K>> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const { subresource, type = Array.isArray(patch) ? 'json' : 'merge' } = options;
    if (Array.isArray(patch) !== (type === 'json')) {
      throw new TypeError(`patch: a ${type} patch is an ${type === 'json' ? 'array of operations' : 'object'}`);
    }
    return this.#write(
      kind,
      {
        action: actionOf('patch', kind, key, subresource),
        method: 'PATCH',
        path: objectPath(kind, addressOf(kind, key), subresource),
        contentType: patchContentTypes[type],
        body: JSON.stringify(patch),
      },
      options,
      { key, uid: (patch as Partial<KubernetesObject>).metadata?.uid },
    );
  }

  apply<K extends Kind>(
    kind: K | GroupVersionKind,
    object: WrittenOf<K>,
    options: ApplyOptions = {},
  ): Promise<ObjectOf<K>> {
    return this.#apply(kind, undefined, object as SubresourceBody, options);
  }

  applySubresource<K extends Kind>(
    kind: K | GroupVersionKind,
    subresource: string,
    body: SubresourceBody,
    options: ApplyOptions = {},
  ): Promise<ObjectOf<K>> {
    return this.#apply(kind, subresource, body, options);
  }

  async #apply<K extends Kind>(
    kindOrName: K | GroupVersionKind,
    subresource: string | undefined,
    object: SubresourceBody,
    options: ApplyOptions,
  ): Promise<ObjectOf<K>> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const key = keyOf(object);
    // An apply is refused for an unknown field whatever is said here, and JSON.stringify writes none twice: all that
    // kube-apiserver would do is read the text once more (ADR 37).
    const { force, fieldValidation = 'Ignore' } = options;
    if ((options.fieldManager ?? this.#defaults.fieldManager) === undefined) {
      throw new TypeError('apply needs a fieldManager, given to the call or to the client');
    }
    return this.#write(
      kind,
      {
        action: actionOf('apply', kind, key, subresource),
        method: 'PATCH',
        path: objectPath(kind, addressOf(kind, key), subresource),
        contentType: patchContentTypes.apply,
        body: JSON.stringify(withKind(kind, object)),
        // Had it been carried out and only its answer lost, the same again would be a conflict with itself.
        isRepeatable: object.metadata.resourceVersion === undefined,
      },
      { ...options, fieldValidation, subresource },
      { key, uid: object.metadata.uid },
      { force },
    );
  }

  async delete<K extends Kind>(
    kindOrName: K | GroupVersionKind,
    key: NamespacedName,
    options: DeleteOptions = {},
  ): Promise<DeleteResult<ObjectOf<K>>> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const action = actionOf('delete', kind, key);
    const call: Call = {
      action,
      method: 'DELETE',
      path: objectPath(kind, addressOf(kind, key)),
      body: deleteBody(options),
      isRepeatable: false,
      onWarning: options.onWarning,
    };
    const meant = { key, uid: options.preconditions?.uid };
    const answer = await this.#notingAbsence(this.#send(call, options), kind, meant, options);
    const result = deleteResult<ObjectOf<K>>(action, answer);
    this.#notifyWritten(deletedBy(kind, key, options, result));
    return result;
  }

  async deleteCollection(kindOrName: Kind | GroupVersionKind, options: DeleteCollectionOptions = {}): Promise<void> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    if (kind.scope === 'Namespaced' && options.namespace === undefined) {
      throw new TypeError(`${kind.kind} is namespaced, so deleteCollection needs a namespace`);
    }
    await this.#send(
      {
        action: collectionAction('delete all', kind, options.namespace),
        method: 'DELETE',
        path: collectionPath(kind, options.namespace) + query(selectionParameters(options)),
        body: deleteBody(options),
        isRepeatable: false,
        onWarning: options.onWarning,
      },
      options,
    );
  }

  async *watch<K extends Kind>(
    kindOrName: K | GroupVersionKind,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<ObjectOf<K>>, void, undefined> {
    const kind = isKind(kindOrName) ? kindOrName : await this.#kindNamed(kindOrName, options);
    const action = collectionAction('watch', kind, options.namespace);
    using lifetime = this.#lifetime(action, options);
    const call = {
      action,
      method: 'GET',
      path: collectionPath(kind, options.namespace) + query(watchParameters(options)),
      accept: objectForm(kind),
      isRepeatable: true,
      onWarning: this.#defaults.onWarning,
      gatherMs: options.gatherMs,
    } as const;
    const { body, mask } = await this.#atKind(this.#caller.open(call, lifetime));
    callObserver(() => options.onOpen?.());
    try {
      const { onUnreadable = raise, managedFields, gatherMs } = options;
      const reading = { onUnreadable, managedFields, newestOnly: gatherMs && (() => gatherMs() > 0), mask };
      for await (const event of watchEvents<ObjectOf<K>>(action, body, reading)) {
        if (event.type !== 'BOOKMARK') asKind(kind, event.object);
        yield event;
      }
    } catch (error) {
      throw this.#caller.failure(action, error, lifetime);
    }
  }

  async getRaw(path: string, options: RawOptions = {}): Promise<unknown> {
    const action = `get ${path}`;
    using lifetime = this.#lifetime(action, options);
    const { onWarning } = this.#defaults;
    const { accept } = options;
    const call = { action, method: 'GET', path, accept, isRepeatable: true, answer: 'document', onWarning } as const;
    return await this.#caller.send(call, lifetime);
  }

  async *streamRaw(path: string, options: RawOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const action = `get ${path}`;
    using lifetime = this.#lifetime(action, options);
    const call = { action, method: 'GET', path, accept: options.accept ?? '*/*', isRepeatable: true } as const;
    const { body } = await this.#caller.open(call, lifetime);
    try {
      yield* body;
    } catch (error) {
      throw this.#caller.failure(action, error, lifetime);
    }
  }

  /** What the server says about a kind of which only the name is known. */
  async #kindNamed(name: GroupVersionKind, options: CallOptions): Promise<Kind> {
    for (const part of ['group', 'version', 'kind'] as const) {
      if (typeof name[part] !== 'string')
        throw new TypeError(`a kind by name needs ${part}, such as ${examples[part]}`);
    }
    const action = `find the kind ${name.kind} of ${apiVersionOf(name)}`;
    using lifetime = this.#lifetime(action, options);
    const learn = <T>(shared: Promise<T>) =>
      lifetime.with(shared).catch((error: unknown) => {
        throw this.#caller.failure(action, error, lifetime);
      });
    const found = await learn(this.#discovery.find(name));
    if (found) return found;
    throw new ApiError(action, failureStatus(404, whatThereIs(await learn(this.#discovery.all()), name)));
  }

  async #page<K extends Kind>(
    kind: Kind,
    options: ListOptions,
    continueToken: string | undefined,
    lifetime: Lifetime,
  ): Promise<List<ObjectOf<K>>> {
    const action = collectionAction('list', kind, options.namespace);
    const answer = await this.#sendWithin(
      {
        action,
        method: 'GET',
        path: collectionPath(kind, options.namespace) + query(pageParameters(options, continueToken)),
        accept: listForm(kind),
        isRepeatable: true,
        answer: 'page',
        onWarning: this.#defaults.onWarning,
      },
      lifetime,
    );
    const page = listOf(kind, listIn<ObjectOf<K>>(action, answer));
    if (page.continueToken !== undefined && page.continueToken === continueToken) {
      throw new TransportError(
        action,
        'the server goes round in circles: this page says that it is followed by itself',
      );
    }
    return page;
  }

  async #write<T = unknown>(
    kind: CreatableKind,
    call: Omit<Call, 'isRepeatable' | 'onWarning'> & { readonly isRepeatable?: boolean },
    options: UpdateOptions,
    meant?: Meant,
    more: Readonly<Record<string, boolean | undefined>> = {},
  ): Promise<T> {
    const { fieldManager = this.#defaults.fieldManager, onWarning } = options;
    const parameters = { ...writeParameters({ ...options, fieldManager }), ...more };
    const path = call.path + query(parameters);
    const sent = this.#send({ isRepeatable: false, ...call, path, onWarning }, options);
    const answer = await this.#notingAbsence(sent, kind, meant, options);
    const object = objectAt<T>(options.subresource, call.action, answer);
    this.#notifyWritten(storedBy(kind, options, answer));
    return object;
  }

  /**
   * Whoever else deleted it: the one that was meant is gone when there is none of its name. Of a subresource the server
   * says so, too, where the kind has none.
   */
  async #notingAbsence<T>(
    answer: Promise<T>,
    kind: AddressedKind,
    { key, uid }: Partial<Meant> = {},
    { dryRun, subresource }: Pick<UpdateOptions, 'dryRun' | 'subresource'>,
  ): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      const isGone = isAbsent(error) && !dryRun && subresource === undefined;
      if (isGone && key !== undefined && uid !== undefined) this.#notifyWritten({ type: 'deleted', kind, key, uid });
      throw error;
    }
  }

  #notifyWritten(write: OwnWrite | undefined): void {
    if (write) for (const hear of this.#defaults.onWritten) callObserver(() => hear(write));
  }

  async #send(call: Call, options: CallOptions): Promise<unknown> {
    using lifetime = this.#lifetime(call.action, options);
    const guard = call.method === 'GET' ? undefined : this.#defaults.guard;
    const onWarning = call.onWarning ?? this.#defaults.onWarning;
    return await this.#sendWithin({ ...call, guard, onWarning }, lifetime);
  }

  #sendWithin(call: Call, lifetime: Lifetime): Promise<unknown> {
    return this.#atKind(this.#caller.send(call, lifetime));
  }

  /** What the server says at the path of a kind. */
  async #atKind<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      // There is nothing at this path: what was learned about kinds may be out of date.
      if (isNotFound(error) && !isAbsent(error)) this.#discovery.invalidate();
      throw error;
    }
  }

  #lifetime(action: string, { signal, timeoutMs = this.#defaults.timeoutMs }: CallOptions): Lifetime {
    const { signals } = this.#defaults;
    return this.#caller.lifetime(action, timeoutMs, signal ? [...signals, signal] : signals);
  }
}

/** Which object a write is about; without a uid, any of that name. */
interface Meant {
  readonly key: NamespacedName;
  readonly uid: string | undefined;
}

/** Whether it is known where the objects of a kind are. */
function isKind<K extends CreatableKind>(kindOrName: K | GroupVersionKind): kindOrName is K {
  return kindOrName.resource !== undefined;
}

/** Without a name it is the kind that the server does not know, which is another thing than an absent object. */
function isAbsent(error: unknown): boolean {
  return isNotFound(error) && error.status.details?.name !== undefined;
}

/** What may have been meant by a name that the server does not know, in words. */
function whatThereIs(known: readonly Kind[], { kind }: GroupVersionKind): string {
  const named = known.find((each) => each.kind.toLowerCase() === kind.toLowerCase() || each.resource === kind);
  if (named) {
    const where = named.group === '' ? "the group '' (the legacy one)" : `the group ${named.group}`;
    return `the server has no such kind; it has ${named.kind} in ${where}, version ${named.version}`;
  }
  return 'the server has no such kind; is its CustomResourceDefinition installed?';
}

/** The body of a subresource may be of another kind (an Eviction of a Pod), and then says so itself. */
function withKind(kind: CreatableKind, object: unknown): object {
  const body = object as Partial<NewKubernetesObject>;
  return { ...body, apiVersion: body.apiVersion ?? apiVersionOf(kind), kind: body.kind ?? kind.kind };
}

function objectAt<T>(subresource: string | undefined, action: string, answer: unknown): T {
  return subresource === undefined ? objectIn(action, answer) : fieldsIn(action, answer);
}

function listOf<T extends KubernetesObject>(kind: Kind, { metadata, items }: RawList<T>): List<T> {
  for (const item of items ?? []) asKind(kind, item);
  return {
    items: items ?? [],
    resourceVersion: metadata.resourceVersion ?? '',
    continueToken: metadata.continue || undefined,
    remainingItemCount: metadata.remainingItemCount,
  };
}

function both(first: (() => void) | undefined, second: (() => void) | undefined): (() => void) | undefined {
  if (!first || !second) return first ?? second;
  return () => {
    first();
    second();
  };
}

function raise(error: Error): never {
  throw error;
}
