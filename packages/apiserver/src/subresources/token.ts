/** POST of a request for a token: a service account gets one, for some audiences and some time. */

import { timestamp } from '@keelson/core';
import type { TokenRequestSpec } from '@keelson/core/authentication/v1';
import { invalidValue } from '@keelson/schema/validation';
import { admitPosted } from '../admit/admit-posted.ts';
import { type ObjectType, updateManagedFields } from '../apply/index.ts';
import { serverAudiences } from '../authenticate/authenticate.ts';
import type { Bindings } from '../authenticate/service-account-tokens.ts';
import { assertReadableBody, decodeBody } from '../decode/body.ts';
import { writeOptions } from '../decode/options.ts';
import { negotiate } from '../encode/negotiate.ts';
import { type ApiObject, at, withMetadata } from '../object.ts';
import { type ApiResponse, jsonResponse } from '../request/exchange.ts';
import { keyIn } from '../resource/resource.ts';
import { badRequest, conflict, invalid, kindNamed, notFound, resourceNamed } from '../status.ts';
import { type Call, writeOf } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { inNamespace, managerOf } from '../write/metadata.ts';
import { objectTypeOf, withBodyKind } from './body-kind.ts';

const kind = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  schema: 'io.k8s.api.authentication.v1.TokenRequest',
};
const named = kindNamed(kind);

const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;

/** What admission asks for the tokens of pods; clients that never reload theirs get a year, and are old after this. */
const podSeconds = 3607;
const yearSeconds = 365 * 24 * 3600;

let type: ObjectType | undefined;

function requestType(): ObjectType {
  type ??= objectTypeOf(kind);
  return type;
}

/** As Go decodes it: without values, `audiences` and the others are null. */
type Spec = Partial<{ [name in keyof TokenRequestSpec]: TokenRequestSpec[name] | null }>;

export async function requestToken(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, name, warnings } = call;
  const asRequest = withBodyKind(resource, kind);
  negotiate(request.headers.accept, { tables: false });
  assertReadableBody(request, asRequest);
  const options = writeOptions(request.query, 'CreateOptions');
  const decoded = await decodeBody(request, asRequest, options.fieldValidation);
  warnings.push(...decoded.warnings);
  const now = context.clock.now();
  const owned = updateManagedFields({
    type: requestType(),
    before: undefined,
    after: defaulted(inNamespace(decoded.object, namespace)),
    manager: managerOf(options.fieldManager, request.headers['user-agent']),
    subresource: 'token',
    now: timestamp(now),
  }) as ApiObject;
  const sent = await admitPosted(context, writeOf(call, options), owned);

  const account = context.objects.find('serviceaccounts', keyIn(namespace, name));
  assertName(sent, name);
  if (account === undefined) throw notFound(resourceNamed(resource), name);
  const { uid } = account.metadata;
  assertUid(sent, account);
  const spec = sent.spec as Spec;
  const audiences = (spec.audiences ?? []).length === 0 ? serverAudiences : (spec.audiences ?? []);
  const seconds = spec.expirationSeconds ?? 0;
  assertSeconds(seconds);
  const bindings = bindingsOf(context, call, spec);
  const isLong = bindings.pod !== undefined && seconds === podSeconds && areOurs(audiences);
  const token = context.accountTokens.issue({
    account,
    bindings,
    audiences,
    seconds: isLong ? yearSeconds : seconds,
    warnAfterSeconds: isLong ? podSeconds : undefined,
  });
  return jsonResponse(201, {
    ...withMetadata(sent, { name, namespace, uid, creationTimestamp: timestamp(now) }),
    spec: { ...spec, audiences },
    status: { token, expirationTimestamp: timestamp(now + seconds * 1000) },
  });
}

const areOurs = (audiences: readonly string[]): boolean => audiences.every((each) => serverAudiences.includes(each));

function defaulted(request: ApiObject): ApiObject {
  const spec = request.spec as Spec;
  return { ...request, spec: { ...spec, expirationSeconds: spec.expirationSeconds ?? defaultSeconds } };
}

function assertName({ metadata }: ApiObject, name: string): void {
  if (!metadata.name || metadata.name === name) return;
  const why = 'must match the service account name if specified';
  throw invalid(named, name, [invalidValue('metadata.name', metadata.name, why)]);
}

function assertUid({ metadata }: ApiObject, account: ApiObject): void {
  if (!metadata.uid || metadata.uid === account.metadata.uid) return;
  throw conflict(
    named,
    account.metadata.name ?? '',
    `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${account.metadata.uid})`,
  );
}

function assertSeconds(seconds: number): void {
  const why =
    seconds < minSeconds
      ? 'may not specify a duration less than 10 minutes'
      : seconds > maxSeconds
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (why !== undefined) throw invalid(named, '', [invalidValue('spec.expirationSeconds', seconds, why)]);
}

const bindableKinds: ReadonlyMap<string, string> = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
]);

/** The object that the token is to be bound to, which must be there. */
function bindingsOf({ objects }: Context, { namespace, name }: Call, { boundObjectRef }: Spec): Bindings {
  if (boundObjectRef == null) return {};
  const { apiVersion = '', kind: boundKind = '', name: bound = '', uid } = boundObjectRef;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const collection = group === '' ? bindableKinds.get(boundKind) : undefined;
  if (collection === undefined) {
    const shown = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(`cannot bind token to object of type ${shown}, Kind=${boundKind}`);
  }
  const found = objects.find(collection, boundKind === 'Node' ? bound : keyIn(namespace, bound));
  if (found === undefined) throw notFound({ group: '', name: collection }, bound);
  if (boundKind === 'Pod' && at(found, 'spec', 'serviceAccountName') !== name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`,
    );
  }
  if (uid && uid !== found.metadata.uid) {
    throw conflict(
      { group: '', name: boundKind },
      bound,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  const reference = { name: bound, uid: found.metadata.uid };
  if (boundKind === 'Secret') return { secret: reference };
  if (boundKind === 'Node') return { node: reference };
  const node = at(found, 'spec', 'nodeName');
  if (typeof node !== 'string' || node === '') return { pod: reference };
  return { pod: reference, node: { name: node, uid: objects.find('nodes', node)?.metadata.uid } };
}
