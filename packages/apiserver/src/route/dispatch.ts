/**
 * From what a request asks for to the verb that does it.
 *
 * What real Kubernetes serves and we do not is listed in `missing`: it is answered with 501, and the list is in the
 * README.
 */

import { listOptions } from '../decode/options.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { methodUnknown, noSuchResource, notFound, notImplemented, resourceNamed } from '../status.ts';
import { bind } from '../subresources/binding.ts';
import { evict } from '../subresources/eviction.ts';
import { log } from '../subresources/log.ts';
import { portForward } from '../subresources/port-forward.ts';
import { isReview, review } from '../subresources/reviews.ts';
import { scale } from '../subresources/scale.ts';
import { session } from '../subresources/session.ts';
import { requestToken } from '../subresources/token.ts';
import type { Call } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { create } from '../verbs/create.ts';
import { deleteOne } from '../verbs/delete.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { get } from '../verbs/get.ts';
import { list } from '../verbs/list.ts';
import { patch } from '../verbs/patch.ts';
import { update } from '../verbs/update.ts';
import { watch } from '../verbs/watch.ts';

/** Resources, or subresources of them, that real Kubernetes has and this server has not. */
const missing: readonly RegExp[] = [
  /^componentstatuses$/,
  /^(?:pods|services|nodes)\/proxy$/,
  /^pods\/(?:ephemeralcontainers|resize)$/,
  /^certificatesigningrequests\/approval$/,
];

function assertImplemented({ resource, info }: Call): void {
  const { resource: plural, group, version } = resource;
  const what = info.subresource === '' ? plural : `${plural}/${info.subresource}`;
  if (missing.some((pattern) => pattern.test(what))) {
    throw notImplemented(`${info.verb} of ${what}${group === '' ? '' : ` in ${group}/${version}`}`);
  }
}

export async function dispatch(context: Context, call: Call): Promise<ApiResponse> {
  const { resource, info } = call;
  assertImplemented(call);
  if (info.rest.length > 0) throw noSuchResource();
  if (isReview(resource)) {
    if (info.name !== '') throw noSuchResource();
    return info.verb === 'create' ? review(context, call) : Promise.reject(methodUnknown());
  }
  if (resource.collection === 'bindings')
    return info.verb === 'create' ? bind(context, call) : Promise.reject(methodUnknown());
  return info.subresource === '' ? object(context, call) : endpoint(context, call);
}

function object(context: Context, call: Call): Promise<ApiResponse> | ApiResponse {
  const { resource, info, request } = call;
  const rules = resource.strategy.updates('');
  if (rules === undefined || !allows(call)) throw methodUnknown();
  switch (info.verb) {
    case 'create':
      return create(context, call);
    case 'get':
      return get(context, call);
    case 'list':
      return list(context, call, listOptions(request.query, false));
    case 'watch':
      return watch(context, call, listOptions(watchQuery(call), true));
    case 'update':
      return update(context, call, rules);
    case 'patch':
      return patch(context, call, rules);
    case 'delete':
      return deleteOne(context, call);
    case 'deletecollection':
      return deleteCollection(context, call);
    default:
      throw methodUnknown();
  }
}

/** Verbs that the path has no place for (a name where there must be none, or none where there must be one). */
function allows({ resource, info, namespace }: Call): boolean {
  const needsName = info.verb === 'get' || info.verb === 'update' || info.verb === 'patch' || info.verb === 'delete';
  if (needsName !== (info.name !== '') && info.verb !== 'watch') return false;
  if (!resource.verbs.includes(info.verb)) return false;
  // Objects are created in a namespace, and one cannot be read or deleted without it.
  const needsNamespace = needsName || info.verb === 'create' || info.verb === 'deletecollection';
  return !(resource.namespaced && needsNamespace && namespace === '');
}

/** The old path of a watch may name one object. */
function watchQuery({ request, info }: Call): URLSearchParams {
  if (info.name === '' || !info.watchPath) return request.query;
  const query = new URLSearchParams(request.query);
  query.set('fieldSelector', `metadata.name=${info.name}`);
  return query;
}

async function endpoint(context: Context, call: Call): Promise<ApiResponse> {
  const { resource, info } = call;
  const found = resource.subresources.get(info.subresource);
  if (found === undefined) {
    // To the server a custom resource's path ends with the name.
    throw resource.strategy.custom ? notFound(resourceNamed(resource), info.name) : noSuchResource();
  }
  if (!found.verbs.includes(info.verb)) throw methodUnknown();
  if (info.subresource === 'scale') return scale(context, call);
  if (info.subresource === 'binding') return bind(context, call);
  if (info.subresource === 'token') return requestToken(context, call);
  if (info.subresource === 'eviction') return evict(context, call);
  if (info.subresource === 'log') return log(context, call);
  if (info.subresource === 'exec' || info.subresource === 'attach') return session(context, call, info.subresource);
  if (info.subresource === 'portforward') return portForward(context, call);
  const rules = resource.strategy.updates(info.subresource);
  if (rules === undefined) throw notImplemented(`${info.verb} of ${resource.resource}/${info.subresource}`);
  switch (info.verb) {
    case 'get':
      return get(context, call);
    case 'update':
      return update(context, call, rules);
    case 'patch':
      return patch(context, call, rules);
    default:
      throw methodUnknown();
  }
}
