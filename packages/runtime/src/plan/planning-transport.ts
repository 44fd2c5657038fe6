/**
 * A transport that answers every write itself: with what would come of it, over the server's own state and the writes
 * that were planned before.
 *
 * Promises: nothing but reads reaches the server, and reviews, which are questions though they are posted. A planned
 * object is read back as it would be, with a resourceVersion above all real ones; one that finalizers keep lives on.
 * Does not: default, validate, admit or run anything. What only the server can answer is refused with 405; a live list
 * shows what the server has.
 */
import {
  applyJsonPatch,
  applyMergePatch,
  type Clock,
  type JsonObject,
  JsonPatchError,
  type KubernetesObject,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  timestamp,
} from '@keelson/core';
import { appliedLocally } from './local-apply.ts';
import { answer, failure, Refusal, readJson } from './planned-answer.ts';
import { isReview, type Place, placeOf } from './request-place.ts';
import { replicasOf, scaleOf, withReplicas } from './scale.ts';

/** A write that would have been sent. */
export interface AnsweredWrite {
  /** Where the object is; what the writes of a pass to one object are joined by. */
  readonly path: string;
  readonly before: KubernetesObject | undefined;
  /** Absent when it would be gone. */
  readonly after: KubernetesObject | undefined;
}

interface ListAnswer {
  readonly apiVersion: string;
  readonly kind: string;
  readonly items?: readonly KubernetesObject[] | null;
}

type OnWrite = (write: AnsweredWrite) => void;

/** Above all that a server gives, and still a 64-bit number, as which some read it. */
const firstVersion = 9_000_000_000_000_000_000n;

/** Subresources that are asked by GET and yet let something happen. */
const connections: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward']);

export class PlanningTransport {
  readonly #server: Transport;
  readonly #clock: Clock;
  /** Planned states by path; `undefined` for what would be gone. */
  readonly #planned = new Map<string, KubernetesObject | undefined>();
  #count = 0n;

  constructor(server: Transport, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** The way to the server for one pass, whose writes are told. */
  recording(onWrite: OnWrite): Transport {
    return {
      request: async (request) => {
        try {
          return await this.#request(request, onWrite);
        } catch (error) {
          if (error instanceof Refusal) return error.response;
          throw error;
        }
      },
      async [Symbol.asyncDispose]() {},
    };
  }

  async #request(request: TransportRequest, onWrite: OnWrite): Promise<TransportResponse> {
    const place = placeOf(request.path);
    if (request.method === 'GET') return this.#read(request, place);
    if (isReview(request.path)) return this.#server.request(request);
    request.beforeSend?.();
    const body = JSON.parse(String(request.body ?? 'null')) as JsonObject;
    const isDry = place.query.get('dryRun') === 'All' || (body?.dryRun as string[] | undefined)?.includes('All');
    const told = isDry ? () => {} : (write: AnsweredWrite) => this.#write(write, onWrite);
    if (place.name === undefined) return this.#atCollection(request, place, body, told);
    const planned = request.method === 'POST' ? ['eviction'] : [undefined, 'status', 'scale'];
    if (!planned.includes(place.subresource)) {
      throw new Refusal(notPlanned(place.subresource ?? request.method, place.object));
    }
    const before = await this.#current(request, place.object);
    if (request.method === 'DELETE' || request.method === 'POST') return this.#delete(place, before, body, told);
    if (place.subresource === 'scale') return this.#rescale(request, place, before, body, told);
    const changed = this.#changed(request, place, before, body);
    const after = this.#stamped(onlyPart(changed, before, place.subresource), before);
    told({ path: place.object, before, after: isLetGo(after) ? undefined : after });
    return answer(before === undefined ? 201 : 200, asSent(after));
  }

  async #read(request: TransportRequest, place: Place): Promise<TransportResponse> {
    const { object, subresource } = place;
    if (connections.has(subresource?.split('/')[0] ?? '')) throw new Refusal(notPlanned(`${subresource}`, object));
    // What a log says, for one, is no part of the object.
    const isObject = subresource === undefined || subresource === 'status' || subresource === 'scale';
    if (!isObject || !this.#planned.has(object)) return this.#server.request(request);
    const planned = this.#planned.get(object);
    if (planned === undefined) throw new Refusal(failure(404, 'NotFound', 'it would be gone by then', object));
    if (subresource === 'scale') return answer(200, await this.#scale(request, place, planned));
    if (!request.headers.accept?.includes('as=PartialObjectMetadata')) return answer(200, asSent(planned));
    return answer(200, {
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: planned.metadata,
    });
  }

  async #atCollection(
    request: TransportRequest,
    place: Place,
    body: JsonObject,
    told: OnWrite,
  ): Promise<TransportResponse> {
    if (request.method === 'DELETE') return this.#deleteAll(request, place, told);
    const { name, generateName = '' } = body.metadata as { readonly name?: string; readonly generateName?: string };
    const given = name ?? `${generateName}plan${this.#count + 1n}`;
    const path = place.at({ name: given });
    // Under a name that the server would invent, nothing is.
    if (name !== undefined && (await this.#unlessHidden(request, path)) !== undefined) {
      throw new Refusal(failure(409, 'AlreadyExists', `${place.resource} "${given}" already exists`, path));
    }
    const named = { ...body, metadata: { ...(body.metadata as object), name: given } };
    const after = this.#stamped(onlyPart(named, undefined, undefined), undefined);
    told({ path, before: undefined, after });
    return answer(201, asSent(after));
  }

  async #deleteAll(request: TransportRequest, place: Place, told: OnWrite): Promise<TransportResponse> {
    const list = (await this.#get(request, `${place.collection}?${place.query}`)) as ListAnswer;
    for (const item of list.items ?? []) {
      const path = place.at(item.metadata);
      const found = { ...item, apiVersion: list.apiVersion, kind: list.kind.replace(/List$/, '') };
      const before = this.#planned.has(path) ? this.#planned.get(path) : found;
      if (before !== undefined) told({ path, before, after: this.#deleted(before) });
    }
    return answer(200, { apiVersion: 'v1', kind: 'Status', status: 'Success' });
  }

  #delete(place: Place, before: KubernetesObject | undefined, body: JsonObject | null, told: OnWrite) {
    // An eviction carries the options of a deletion.
    const options = (body?.deleteOptions ?? body ?? {}) as JsonObject;
    const { uid, resourceVersion } = (options.preconditions ?? {}) as { uid?: string; resourceVersion?: string };
    if (before === undefined)
      throw new Refusal(failure(404, 'NotFound', `${place.resource} "${place.name}" not found`, place.object));
    assertIsMeant(place, before, { uid, resourceVersion });
    const after = this.#deleted(before);
    told({ path: place.object, before, after });
    const details = { name: place.name, uid: before.metadata.uid };
    return answer(200, after ?? { apiVersion: 'v1', kind: 'Status', status: 'Success', details });
  }

  /** What a deletion leaves: nothing, unless finalizers keep the object. */
  #deleted(before: KubernetesObject): KubernetesObject | undefined {
    const { metadata } = before;
    if ((metadata.finalizers ?? []).length === 0) return undefined;
    if (metadata.deletionTimestamp !== undefined) return before;
    const deletionTimestamp = timestamp(this.#clock.now());
    const marked = { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 };
    return this.#stamped({ ...before, metadata: marked }, before);
  }

  /** The number that is written at a scale is that of its object. */
  async #rescale(
    request: TransportRequest,
    place: Place,
    before: KubernetesObject | undefined,
    body: JsonObject,
    told: OnWrite,
  ): Promise<TransportResponse> {
    const scale = before && (await this.#scale(request, place, before));
    const changed = this.#changed(request, place, scale, body);
    const after = this.#stamped(withReplicas(before as KubernetesObject, replicasOf(changed)), before);
    told({ path: place.object, before, after });
    return answer(200, scaleOf(after, scale));
  }

  /** The scale of a planned object; refused where the server's is the view of something else than `spec.replicas`. */
  async #scale(request: TransportRequest, place: Place, object: KubernetesObject): Promise<KubernetesObject> {
    const live = await this.#get(request, place.object);
    const scale = (await this.#get(request, `${place.object}/scale`)) as KubernetesObject | undefined;
    if (live !== undefined && replicasOf(live) !== replicasOf(scale)) {
      throw new Refusal(notPlanned('a scale that does not show spec.replicas', place.object));
    }
    return scaleOf(object, scale);
  }

  /** What the write asks the object to be, whichever part of it counts. */
  #changed(
    { method, headers }: TransportRequest,
    place: Place,
    before: KubernetesObject | undefined,
    body: JsonObject,
  ): JsonObject {
    const type = headers['content-type'] ?? '';
    const isApply = type.startsWith('application/apply-patch');
    if (before === undefined && !(isApply && place.subresource === undefined)) {
      throw new Refusal(failure(404, 'NotFound', `${place.resource} "${place.name}" not found`, place.object));
    }
    if (before === undefined) return body;
    assertIsMeant(place, before, (body.metadata ?? {}) as JsonObject);
    if (method === 'PUT') return body;
    if (isApply) {
      const manager = place.query.get('fieldManager') ?? '';
      return appliedLocally({ live: before, applied: body, manager, subresource: place.subresource }) as never;
    }
    if (type.startsWith('application/merge-patch')) return applyMergePatch(before, body) as JsonObject;
    if (type.startsWith('application/json-patch')) return patched(place, before, body);
    throw new Refusal(notPlanned('a strategic merge patch', place.object));
  }

  /** As the server would mark it. */
  #stamped(object: JsonObject, before: KubernetesObject | undefined): KubernetesObject {
    this.#count += 1n;
    const { uid, creationTimestamp } = before?.metadata ?? {
      uid: `planned-${this.#count}`,
      creationTimestamp: timestamp(this.#clock.now()),
    };
    const resourceVersion = String(firstVersion + this.#count);
    return {
      ...asStored(object),
      metadata: { ...(object.metadata as object), uid, creationTimestamp, resourceVersion },
    } as unknown as KubernetesObject;
  }

  #write(write: AnsweredWrite, onWrite: OnWrite): void {
    this.#planned.set(write.path, write.after);
    onWrite(write);
  }

  async #current(request: TransportRequest, path: string): Promise<KubernetesObject | undefined> {
    if (this.#planned.has(path)) return this.#planned.get(path);
    return (await this.#get(request, path)) as KubernetesObject | undefined;
  }

  /** The same, and what may not be read counts as absent: who may create need not be allowed to look. */
  async #unlessHidden(request: TransportRequest, path: string): Promise<KubernetesObject | undefined> {
    try {
      return await this.#current(request, path);
    } catch (error) {
      if (error instanceof Refusal && error.response.status === 403) return undefined;
      throw error;
    }
  }

  /** What the server has; `undefined` when there is no such object. */
  async #get({ signal }: TransportRequest, path: string): Promise<unknown> {
    const headers = { accept: 'application/json' };
    return readJson(await this.#server.request({ method: 'GET', path, headers, signal }));
  }
}

function patched(place: Place, before: KubernetesObject, operations: unknown): JsonObject {
  try {
    return applyJsonPatch(before, operations) as JsonObject;
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw new Refusal(failure(422, 'Invalid', error.message, place.object));
  }
}

/** A write at a subresource changes that part, and one at the object everything but its status. */
function onlyPart(
  changed: JsonObject,
  before: KubernetesObject | undefined,
  subresource: string | undefined,
): JsonObject {
  const { status: _, ...rest } = changed;
  const current = before as (KubernetesObject & JsonObject) | undefined;
  if (subresource === 'status') return { ...current, status: changed.status };
  return { ...rest, ...(current?.status !== undefined && { status: current.status }) };
}

/** Built-in kinds that have a status have one from the start, and their types say so; custom resources do not. */
function asSent(object: KubernetesObject): KubernetesObject {
  const isBuiltIn = /^[^.]*$|\.k8s\.io\//.test(object.apiVersion ?? '');
  return isBuiltIn && 'spec' in object && !('status' in object) ? Object.assign({}, object, { status: {} }) : object;
}

/** Of a Secret, texts are stored as data. */
function asStored({ stringData, ...rest }: JsonObject): JsonObject {
  if (rest.apiVersion !== 'v1' || rest.kind !== 'Secret')
    return stringData === undefined ? rest : { ...rest, stringData };
  const texts = Object.entries((stringData ?? {}) as Readonly<Record<string, string>>);
  const data = texts.map(([name, text]) => [name, Buffer.from(text).toString('base64')]);
  return { ...rest, data: { ...(rest.data as object | undefined), ...Object.fromEntries(data) } };
}

/** A write that names a uid or a resourceVersion is about that object, in that state. */
function assertIsMeant(place: Place, { metadata }: KubernetesObject, { uid, resourceVersion }: JsonObject): void {
  const isOther = (uid ?? metadata.uid) !== metadata.uid;
  if (!isOther && (resourceVersion ?? metadata.resourceVersion) === metadata.resourceVersion) return;
  const message = `Operation cannot be fulfilled on ${place.resource} "${place.name}": the object has been modified`;
  throw new Refusal(failure(409, 'Conflict', message, place.object));
}

/** The write that takes the last finalizer of a deleted object is its end. */
const isLetGo = ({ metadata }: KubernetesObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;

const notPlanned = (what: string, path: string): TransportResponse =>
  failure(
    405,
    'MethodNotAllowed',
    `${what} cannot be planned, since only the server knows what comes of it; skip it where context.plan is true`,
    path,
  );
