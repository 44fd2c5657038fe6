/**
 * DELETE: marks an object that must still wait (for its grace, for finalizers), and removes one that must not.
 */
import { timestamp } from '@keelson/core';
import { admit } from '../admit/admit.ts';
import { bodyText, mediaTypeOf, mediaTypes, parseJson, parseProtobuf, parseYaml } from '../decode/body.ts';
import { type DeleteOptions, deleteOptions } from '../decode/options.ts';
import { JsonSyntaxError } from '../decode/strict-json.ts';
import type { Representation } from '../encode/representation.ts';
import { type ApiObject, freeze, isObject, type JsonObject, withMetadata } from '../object.ts';
import { type ApiResponse, jsonResponse } from '../request/exchange.ts';
import { keyIn, type Resource } from '../resource/resource.ts';
import { badRequest, conflict, kindNamed, notFound, resourceNamed, unsupportedMediaType } from '../status.ts';
import { Revision } from '../store/revision.ts';
import type { Call, Context } from './context.ts';
import { objectResponse, representing } from './respond.ts';

export interface Deleted {
  readonly revision: Revision;
  /** It is gone, and not merely marked. */
  readonly gone: boolean;
  /** The answer is the object, and not a word that it is done. */
  readonly showsObject: boolean;
}

export async function deleteObject(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, name } = call;
  const represent = representing(context, call, false);
  const options = deleteOptions(request.query, await optionsBody(call));
  const existing = context.store.collection(resource.collection).get(keyIn(namespace, name));
  if (existing === undefined) throw notFound(resourceNamed(resource), name);
  const deleted = remove(context, call, existing, options);
  return response(resource, represent, deleted, options);
}

function response(
  resource: Resource,
  represent: Representation,
  deleted: Deleted,
  options: DeleteOptions,
): ApiResponse {
  // Clients that said so in the old way are told apart what is gone and what is on its way.
  const code = !deleted.gone && options.orphanDependents === false ? 202 : 200;
  if (deleted.showsObject) return objectResponse(code, represent, deleted.revision);
  const { name, uid } = deleted.revision.object.metadata;
  const { group, resource: kind } = resource;
  return jsonResponse(code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group !== '' && { group }), kind, uid },
  });
}

const deleteOptionsSchema = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

export async function optionsBody({ request }: Call): Promise<JsonObject | undefined> {
  const text = bodyText(request);
  if (text === '') return undefined;
  const mediaType = mediaTypeOf(request);
  if (mediaType !== '' && !mediaTypes.includes(mediaType)) throw unsupportedMediaType(mediaTypes);
  try {
    const { value } =
      mediaType === 'application/vnd.kubernetes.protobuf'
        ? parseProtobuf(request, () => deleteOptionsSchema)
        : mediaType === 'application/yaml'
          ? await parseYaml(text, false)
          : parseJson(text, false);
    if (!isObject(value)) throw badRequest('decoded object cannot be converted to DeleteOptions');
    if (value.kind !== undefined && value.kind !== 'DeleteOptions') {
      throw badRequest(`decoded object cannot be converted to DeleteOptions`);
    }
    return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

export function assertPreconditions(
  resource: Resource,
  { metadata }: ApiObject,
  { preconditions }: Pick<DeleteOptions, 'preconditions'>,
): void {
  const { uid, resourceVersion } = preconditions;
  const name = metadata.name ?? '';
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      kindNamed(resource),
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      kindNamed(resource),
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/** What a graceful deletion does to an object's metadata. */
type Grace =
  /** The kind knows no grace, or it has run out. */
  | { readonly type: 'none' }
  /** It is under way, and this request does not make it shorter. */
  | { readonly type: 'pending' }
  | { readonly type: 'begun'; readonly object: ApiObject; readonly seconds: number };

function graceOf({ strategy }: Resource, object: ApiObject, requested: number | undefined, now: number): Grace {
  const { deletionTimestamp, deletionGracePeriodSeconds: running, generation } = object.metadata;
  const wanted = requested !== undefined && requested < 0 ? 1 : requested;
  const seconds = strategy.grace(object, wanted);
  if (seconds === undefined) return { type: 'none' };
  if (!deletionTimestamp) {
    const marked = withMetadata(object, {
      deletionTimestamp: timestamp(now + seconds * 1000),
      deletionGracePeriodSeconds: seconds,
      ...(generation !== undefined && generation > 0 && { generation: generation + 1 }),
    });
    return { type: 'begun', object: marked, seconds };
  }
  if (running === undefined || running === 0) return { type: 'none' };
  if (wanted === undefined || wanted >= running) return { type: 'pending' };
  const ends = Date.parse(deletionTimestamp) - running * 1000 + wanted * 1000;
  const isOver = ends < now;
  const shortened = isOver && wanted !== 0 ? 1 : wanted;
  const marked = withMetadata(object, {
    deletionTimestamp: timestamp(isOver ? now : ends),
    deletionGracePeriodSeconds: shortened,
  });
  return { type: 'begun', object: marked, seconds: wanted };
}

/** The finalizers that the garbage collector needs, by what the request and the object say about dependents. */
function collectorFinalizers(object: ApiObject, { propagation, orphanDependents }: DeleteOptions): readonly string[] {
  const finalizers = object.metadata.finalizers ?? [];
  const others = finalizers.filter((each) => each !== 'orphan' && each !== 'foregroundDeletion');
  if (orphanDependents !== undefined) return orphanDependents ? [...others, 'orphan'] : others;
  if (propagation === 'Orphan') return [...others, 'orphan'];
  if (propagation === 'Foreground') return [...others, 'foregroundDeletion'];
  if (propagation === 'Background') return others;
  return finalizers;
}

/** Deletes one object by the rules of its kind. */
export function remove(context: Context, call: Call, existing: Revision, options: DeleteOptions): Deleted {
  const { resource } = call;
  const { strategy } = resource;
  const { store, clock } = context;
  const collection = store.collection(resource.collection);
  const object = existing.object;
  const now = clock.now();
  admit(context, { ...call, name: object.metadata.name ?? '' }, 'DELETE', object);
  assertPreconditions(resource, object, options);
  const write = (changed: ApiObject): Revision =>
    options.dryRun
      ? new Revision(existing.key, existing.number, freeze(changed))
      : store.update(collection, existing, changed);

  const marked = strategy.markDeleted?.(object, timestamp(now));
  if (marked !== undefined) return { revision: write(marked), gone: false, showsObject: true };
  if (object.metadata.deletionTimestamp && !strategy.mayVanish(object)) {
    return { revision: existing, gone: false, showsObject: true };
  }

  const grace = graceOf(resource, object, options.gracePeriodSeconds, now);
  if (grace.type === 'pending') return { revision: existing, gone: false, showsObject: strategy.returnsDeleted };
  const finalizers = strategy.collectible ? collectorFinalizers(object, options) : (object.metadata.finalizers ?? []);
  const isWaiting = finalizers.length > 0;
  const graceful = grace.type === 'begun' ? grace.object : object;
  if (isWaiting) {
    const waiting = withMetadata(graceful, { finalizers });
    return {
      revision: write(grace.type === 'begun' ? waiting : markedNow(waiting, now)),
      gone: false,
      showsObject: true,
    };
  }
  const bare = withMetadata(graceful, { finalizers: undefined });
  if (grace.type === 'begun' && grace.seconds > 0) {
    return { revision: write(bare), gone: false, showsObject: true };
  }
  if (options.dryRun) return { revision: write(bare), gone: true, showsObject: strategy.returnsDeleted };
  // Watchers of a kind with grace see the last mark before the end.
  const last = grace.type === 'begun' ? store.update(collection, existing, bare) : existing;
  return { revision: store.delete(collection, last), gone: true, showsObject: strategy.returnsDeleted };
}

/** For kinds without grace that wait for finalizers. */
function markedNow(object: ApiObject, now: number): ApiObject {
  const { deletionTimestamp, generation } = object.metadata;
  const isNew = !deletionTimestamp;
  return withMetadata(object, {
    deletionTimestamp: isNew || Date.parse(deletionTimestamp) > now ? timestamp(now) : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
    ...(isNew && generation !== undefined && generation > 0 && { generation: generation + 1 }),
  });
}
