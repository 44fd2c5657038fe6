/** The objects that a binding names as parameters: by name or by labels, of any kind that is served. */
import { matchesLabels, requirementsOf } from '@keelson/core';
import type { ApiObject } from '../../object.ts';
import { converted } from '../../resource/conversions.ts';
import { apiVersionOf, forRequest, keyIn, type Resource } from '../../resource/resource.ts';
import type { MatchContext } from '../match.ts';
import type { ParamKind, ParamRef } from './policy.ts';

/** A policy or binding that cannot be followed; the message is the server's. */
export class Misconfigured extends Error {}

/** Throws where there is no such kind, which is the policy's fault; `undefined` where none is wanted. */
export function parameterResource({ registry }: MatchContext, kind: ParamKind | undefined): Resource | undefined {
  if (kind === undefined) return undefined;
  const { apiVersion = '', kind: name = '' } = kind;
  const found = registry.all().find((each) => each.kind === name && apiVersionOf(each) === apiVersion);
  if (found !== undefined) return found;
  const shown = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${name}`;
  throw new Misconfigured(`failed to find resource referenced by paramKind: '${shown}'`);
}

/** A policy without parameters, and a binding that names none, is followed once, with none. */
export async function parametersOf(
  { objects }: MatchContext,
  resource: Resource | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): Promise<readonly (ApiObject | undefined)[]> {
  if (resource === undefined || ref === undefined) return [undefined];
  const place = namespaceOf(resource, ref, namespace);
  let found: readonly ApiObject[];
  if (ref.name) {
    const object = objects.find(resource.collection, keyIn(place, ref.name));
    found = object === undefined ? [] : [object];
  } else {
    const requirements = requirementsOf(ref.selector ?? {});
    found = [...objects.list(resource.collection)].filter(
      ({ metadata }) => (metadata.namespace ?? '') === place && matchesLabels(requirements, metadata.labels),
    );
  }
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new Misconfigured('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  const { strategy } = forRequest(resource);
  await strategy.ahead?.(found);
  return await converted(() => found.map((stored) => strategy.fromStorage(stored)));
}

function namespaceOf({ namespaced }: Resource, ref: ParamRef, namespace: string): string {
  if (!namespaced) {
    if (!ref.namespace) return '';
    throw new Misconfigured('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const place = ref.namespace || namespace;
  if (place !== '') return place;
  throw new Misconfigured('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
}
