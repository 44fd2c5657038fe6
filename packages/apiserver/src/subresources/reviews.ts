/** Questions to the server that are posted like objects and answered at once: who am I, and may I? */
import { timestamp } from '@keelson/core';
import { authenticate, type Tokens, type User } from '../authenticate.ts';
import { authorise } from '../authorise.ts';
import type { Call, Context } from '../context.ts';
import { decodeBody } from '../decode/body.ts';
import { writeOptions } from '../decode/options.ts';
import { type ApiResponse, jsonResponse } from '../exchange.ts';
import { forbiddenField, invalidValue, required } from '../field-error.ts';
import type { RequestInfo } from '../route/request-info.ts';
import { invalid, kindNamed, StatusError } from '../status.ts';
import { type ApiObject, at, isObject, type JsonObject } from '../value.ts';

type Review = (context: Context, call: Call, object: ApiObject, tokens: Tokens) => JsonObject;

/** By `resource.group`; each gives the members of its answer. */
const reviews: Readonly<Record<string, Review>> = {
  'selfsubjectaccessreviews.authorization.k8s.io': (_, call, object) => ({
    spec: object.spec,
    status: access(call, object, call.user),
  }),
  'subjectaccessreviews.authorization.k8s.io': (_, call, object) => ({
    spec: object.spec,
    status: access(call, object, subjectOf(call, object)),
  }),
  'localsubjectaccessreviews.authorization.k8s.io': (_, call, object) => {
    const namespace = at(object, 'spec', 'resourceAttributes', 'namespace');
    if (namespace !== call.namespace) {
      throw invalid(kindNamed(call.resource), '', [
        invalidValue(
          'spec.resourceAttributes.namespace',
          namespace ?? '',
          `must match metadata.namespace: ${call.namespace}`,
        ),
      ]);
    }
    return { spec: object.spec, status: access(call, object, subjectOf(call, object)) };
  },
  'selfsubjectrulesreviews.authorization.k8s.io': (_, { user }, object) => {
    const all = user.groups.includes('system:masters');
    return {
      spec: object.spec ?? {},
      status: {
        resourceRules: all ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
        nonResourceRules: all ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
        incomplete: false,
      },
    };
  },
  'selfsubjectreviews.authentication.k8s.io': ({ clock }, { user }) => ({
    metadata: { creationTimestamp: timestamp(clock.now()) },
    status: { userInfo: userInfo(user) },
  }),
  'tokenreviews.authentication.k8s.io': (_, call, object, tokens) => ({
    spec: object.spec,
    status: tokenStatus(call, object, tokens),
  }),
};

const userInfo = ({ name, uid, groups }: User): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups,
});

function subjectOf({ resource }: Call, object: ApiObject): User {
  const name = at(object, 'spec', 'user');
  const groups = at(object, 'spec', 'groups');
  if (name === undefined && groups === undefined) {
    throw invalid(kindNamed(resource), '', [required('spec.user', 'at least one of user or group must be specified')]);
  }
  return {
    name: typeof name === 'string' ? name : '',
    groups: Array.isArray(groups) ? groups.map(String) : [],
  };
}

/** What the step `authorise` would decide. */
function access({ resource }: Call, object: ApiObject, user: User): JsonObject {
  const { resourceAttributes, nonResourceAttributes } = (object.spec ?? {}) as Readonly<
    Record<string, JsonObject | undefined>
  >;
  const field = 'spec.resourceAttributes';
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    throw invalid(kindNamed(resource), '', [
      invalidValue(
        'spec.nonResourceAttributes',
        nonResourceAttributes,
        'cannot be specified in combination with resourceAttributes',
      ),
    ]);
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    throw invalid(kindNamed(resource), '', [
      invalidValue(field, null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified'),
    ]);
  }
  const text = (from: JsonObject | undefined, name: string) => String(from?.[name] ?? '');
  const info: RequestInfo =
    nonResourceAttributes === undefined
      ? {
          type: 'resource',
          verb: text(resourceAttributes, 'verb'),
          group: text(resourceAttributes, 'group'),
          version: text(resourceAttributes, 'version'),
          resource: text(resourceAttributes, 'resource'),
          subresource: text(resourceAttributes, 'subresource'),
          namespace: text(resourceAttributes, 'namespace'),
          name: text(resourceAttributes, 'name'),
          rest: [],
          watchPath: false,
        }
      : { type: 'other', verb: text(nonResourceAttributes, 'verb'), path: text(nonResourceAttributes, 'path') };
  const decision = authorise(user, info);
  return decision.allowed
    ? { allowed: true }
    : { allowed: false, ...(decision.reason !== '' && { reason: decision.reason }) };
}

function tokenStatus({ request, resource }: Call, object: ApiObject, tokens: Tokens): JsonObject {
  const token = at(object, 'spec', 'token');
  if (typeof token !== 'string' || token === '') {
    throw invalid(kindNamed(resource), '', [
      forbiddenField('spec.token', 'token is required for TokenReview in authentication'),
    ]);
  }
  try {
    const user = authenticate({ ...request, credentials: {}, headers: { authorization: `Bearer ${token}` } }, tokens);
    return { authenticated: true, user: userInfo(user) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { authenticated: false, user: {}, error: 'invalid bearer token' };
  }
}

export const isReview = ({ resource, group }: { readonly resource: string; readonly group: string }): boolean =>
  reviews[`${resource}.${group}`] !== undefined;

export async function review(context: Context, call: Call, tokens: Tokens): Promise<ApiResponse> {
  const { request, resource, warnings } = call;
  const options = writeOptions(request.query, 'CreateOptions');
  const { object, warnings: remarks } = await decodeBody(request, resource, options.fieldValidation);
  warnings.push(...remarks);
  const { kind, apiVersion } = object;
  const answer = reviews[`${resource.resource}.${resource.group}`]?.(context, call, object, tokens);
  const metadata = isObject(answer?.metadata) ? answer.metadata : {};
  return jsonResponse(201, { kind, apiVersion, ...answer, metadata: { ...object.metadata, ...metadata } });
}
