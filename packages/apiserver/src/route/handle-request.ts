/**
 * A request on its way to its handler: who asks, on whose behalf, whether that is allowed, and for which resource.
 * Whatever goes wrong, here or in the handler, is answered with a `Status`.
 */

import { attributesOf, refusal } from '../authorise/attributes.ts';
import { discover, unavailable } from '../discovery/discovery.ts';
import { health } from '../discovery/health.ts';
import { issuerDiscovery } from '../discovery/issuer.ts';
import type { OpenApi } from '../discovery/open-api.ts';
import { render } from '../encode/render.ts';
import type { Impersonator } from '../impersonate/impersonate.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, textResponse } from '../request/exchange.ts';
import { isEscapedWell, type RequestInfo, requestInfo } from '../request/request-info.ts';
import { isPrivileged, type User } from '../request/user.ts';
import { warningHeaders } from '../request/warnings.ts';
import { forRequest } from '../resource/resource.ts';
import { internalError, noSuchResource, StatusError } from '../status.ts';
import type { Compactor } from '../store/compactor.ts';
import { podMetrics } from '../subresources/pod-metrics.ts';
import type { Call } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { dispatch } from './dispatch.ts';

/** What it takes to answer requests. */
export interface RequestHandling {
  readonly context: Context;
  readonly openApi: OpenApi;
  readonly impersonator: Impersonator;
  readonly compactor: Compactor;
  readonly onError?: ((error: unknown) => void) | undefined;
}

export async function handleRequest(handling: RequestHandling, request: ApiRequest): Promise<ApiResponse> {
  const warnings: string[] = [];
  handling.compactor.passTime();
  const response = withWarnings(await respond(handling, request, warnings), warnings);
  return render(request, response);
}

async function respond(handling: RequestHandling, request: ApiRequest, warnings: string[]): Promise<ApiResponse> {
  let user: User | undefined;
  try {
    if (!isEscapedWell(request.path)) return textResponse(400, '400 Bad Request');
    const info = requestInfo(request.method, request.path, request.query);
    user = authorised(handling, request, info, warnings);
    if (info.type === 'other') return other(handling, request);
    const { context } = handling;
    const metrics = podMetrics(context, info, request);
    if (metrics !== undefined) return metrics;
    const found = context.registry.find(info.group, info.version, info.resource);
    if (found === undefined) {
      if (context.registry.isDelegated(info.group, info.version)) return unavailable();
      // A group that exists says that there is no such resource in it; anything else is no path at all.
      if (context.registry.isServed(info.group, info.version)) throw noSuchResource();
      return textResponse(404, '404 page not found\n');
    }
    const resource = forRequest(found);
    // Below a namespace there are no objects that are in none, other namespaces among them.
    if (!resource.namespaced && info.throughNamespace) {
      if (resource.strategy.custom) return textResponse(404, '404 page not found\n');
      throw noSuchResource();
    }
    const call: Call = {
      request,
      user,
      info,
      resource,
      namespace: resource.namespaced ? info.namespace : '',
      name: info.name,
      warnings,
    };
    return await dispatch(context, call);
  } catch (error) {
    if (!(error instanceof StatusError)) handling.onError?.(error);
    return failure(error, user);
  }
}

/** Who is asking, or on whose behalf; throws unless that is allowed. */
function authorised(handling: RequestHandling, request: ApiRequest, info: RequestInfo, warnings: string[]): User {
  const { authenticator, authoriser } = handling.context;
  const { query, impersonation } = request;
  const requestor = authenticator.authenticate(request, warnings);
  const user =
    impersonation === undefined
      ? requestor
      : handling.impersonator.impersonate(requestor, impersonation, attributesOf(info, query));
  if (isPrivileged(user)) return user;
  const wanted = attributesOf(info, query);
  const { allowed, reason } = authoriser.decide(user, wanted);
  if (!allowed) throw refusal(user, wanted, reason);
  return user;
}

function other({ context, openApi }: RequestHandling, request: ApiRequest): ApiResponse {
  return (
    health(request, context.registry) ??
    discover(request, context.registry) ??
    openApi.respond(request) ??
    issuerDiscovery(request, context.accountTokens) ??
    textResponse(404, '404 page not found\n')
  );
}

function failure(error: unknown, user: User | undefined): ApiResponse {
  const { status } =
    error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : String(error));
  const code = status.code ?? 500;
  const seconds = status.details?.retryAfterSeconds;
  const response = jsonResponse(code, status);
  return {
    ...response,
    headers: {
      ...response.headers,
      'cache-control': 'no-cache, private',
      ...(seconds !== undefined && seconds > 0 && { 'retry-after': String(seconds) }),
      // A refusal may be shown in a browser.
      ...(user === undefined && code !== 401 && { 'x-content-type-options': 'nosniff' }),
    },
  };
}

function withWarnings(response: ApiResponse, warnings: readonly string[]): ApiResponse {
  if (warnings.length === 0) return response;
  return { ...response, headers: { ...response.headers, warning: warningHeaders(warnings) } };
}
