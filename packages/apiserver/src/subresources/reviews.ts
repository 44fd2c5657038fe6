/** Questions to the server that are posted like objects and answered at once: who am I, whose is this token, and may I? */
import { timestamp } from '@keelson/core';
import { admitPosted } from '../admit/admit-posted.ts';
import { updateManagedFields } from '../apply/index.ts';
import { serverAudiences } from '../authenticate/authenticate.ts';
import { assertReadableBody, decodeBody } from '../decode/body.ts';
import { writeOptions } from '../decode/options.ts';
import { negotiate } from '../encode/negotiate.ts';
import { partialObject } from '../encode/representation.ts';
import { type ApiObject, at, type JsonObject } from '../object.ts';
import { type ApiResponse, jsonResponse } from '../request/exchange.ts';
import type { User } from '../request/user.ts';
import { badRequest } from '../status.ts';
import { type Call, writeOf } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { inNamespace, managerOf, withoutSystemFields } from '../write/metadata.ts';
import { localAccess, selfAccess, subjectAccess } from './access-review.ts';

/** The question, in its namespace and owned by its sender, with the answer as its status. */
type Review = (context: Context, call: Call, question: ApiObject) => JsonObject;

const answered =
  (status: Review): Review =>
  (context, call, question) => ({ ...question, status: status(context, call, question) });

/** By `resource.group`. */
const reviews: Readonly<Record<string, Review>> = {
  'selfsubjectaccessreviews.authorization.k8s.io': answered(selfAccess),
  'subjectaccessreviews.authorization.k8s.io': answered(subjectAccess),
  'localsubjectaccessreviews.authorization.k8s.io': answered(localAccess),
  'tokenreviews.authentication.k8s.io': answered(tokenStatus),
  'selfsubjectrulesreviews.authorization.k8s.io': rulesReview,
  'selfsubjectreviews.authentication.k8s.io': ({ clock }, { user }, { kind, apiVersion }) => ({
    kind,
    apiVersion,
    metadata: { creationTimestamp: timestamp(clock.now()) },
    status: { userInfo: userInfo(user) },
  }),
};

const userInfo = ({ name, uid, groups, extra }: User): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups,
  ...(extra !== undefined && { extra }),
});

/** Nothing of the question comes back. */
function rulesReview({ authoriser }: Context, { user }: Call, { kind, apiVersion, spec }: ApiObject): JsonObject {
  const namespace = at(spec, 'namespace');
  if (typeof namespace !== 'string' || namespace === '') throw badRequest('no namespace on request');
  const { rules, problem } = authoriser.rulesFor(user, namespace);
  const resourceRules = rules.filter(({ resources = [] }) => resources.length > 0);
  const nonResourceRules = rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0);
  return {
    kind,
    apiVersion,
    metadata: {},
    spec: {},
    status: {
      resourceRules: resourceRules.map(({ nonResourceURLs, ...rule }) => rule),
      nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(problem !== '' && { evaluationError: problem }),
    },
  };
}

function tokenStatus({ authenticator }: Context, _: Call, { spec }: ApiObject): JsonObject {
  const token = at(spec, 'token');
  if (typeof token !== 'string' || token === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const asked = at(spec, 'audiences') as readonly string[] | undefined;
  const bearer = authenticator.bearerOf(token, asked === undefined || asked.length === 0 ? serverAudiences : asked);
  if (bearer.type === 'known') {
    return { authenticated: true, user: userInfo(bearer.user), audiences: bearer.audiences };
  }
  const unknown = 'invalid bearer token';
  return { user: {}, error: bearer.why === undefined ? unknown : `[${unknown}, ${bearer.why}]` };
}

export const isReview = ({ resource, group }: { readonly resource: string; readonly group: string }): boolean =>
  reviews[`${resource}.${group}`] !== undefined;

export async function review(context: Context, call: Call): Promise<ApiResponse> {
  const { request, resource, namespace, warnings } = call;
  const form = negotiate(request.headers.accept, { tables: false });
  assertReadableBody(request, resource);
  const options = writeOptions(request.query, 'CreateOptions');
  const decoded = await decodeBody(request, resource, options.fieldValidation);
  warnings.push(...decoded.warnings);
  const owned = updateManagedFields({
    type: resource.strategy.objectType(''),
    before: undefined,
    after: inNamespace(withoutSystemFields(decoded.object), namespace),
    manager: managerOf(options.fieldManager, request.headers['user-agent']),
    now: timestamp(context.clock.now()),
  }) as ApiObject;
  const question = await admitPosted(context, writeOf(call, options), owned);
  const answer = reviews[`${resource.resource}.${resource.group}`]?.(context, call, question);
  return jsonResponse(201, form.type === 'partial' ? partialObject(answer as ApiObject, form.version) : answer);
}
