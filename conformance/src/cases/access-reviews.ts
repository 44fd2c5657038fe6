/** Questions of who may do what, and who somebody is. */
import type { Area } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { as, ask, grant, grantEverywhere, mayNot, roleRef, rule, untilAllowed, user } from '../identities.ts';
import { exactly, including, timestamp } from '../match.ts';
import {
  clusterRoleBindings,
  localSubjectAccessReviews,
  roleBindings,
  roles,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  tokenReviews,
} from '../paths.ts';
import { badRequest, type Cause, invalid, methodNotAllowed, noSuchResource } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const authorization = 'authorization.k8s.io';

/** These refusals leave the kind out. */
const refusedReview = (...causes: readonly Cause[]) => {
  const refusal = invalid(`.${authorization}`, '', ...causes);
  return { ...refusal, details: { group: authorization, causes } };
};
const wrong = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

const neither = wrong(
  'spec.resourceAttributes',
  null,
  'exactly one of nonResourceAttributes or resourceAttributes must be specified',
);
const noSubject = wrong('spec.user', '', 'at least one of user or group must be specified');

const mayI = (t: Trial, spec: Fields, ...who: Parameters<typeof as>) =>
  t.post(selfSubjectAccessReviews, { spec }, as(...who));

export const accessReviews: Area = {
  name: 'access reviews',
  proves: ['U1'],
  cases: {
    'who asks for himself learns whether he may, and by which binding': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      (await t.post(roles(namespace), { metadata: { name: 'reader' }, rules: [rule('get', 'pods')] })).is(201);
      const subjects = [user('others'), user(jane)];
      const binding = { metadata: { name: 'readers' }, roleRef: roleRef('Role', 'reader'), subjects };
      (await t.post(roleBindings(namespace), binding)).is(201);
      const resourceAttributes = { namespace, verb: 'get', resource: 'pods' };
      await untilAllowed(t, { user: jane, resourceAttributes });
      const answer = await mayI(t, { resourceAttributes }, jane);
      answer.is(201, {
        kind: 'SelfSubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        spec: exactly({ resourceAttributes }),
        status: exactly({
          allowed: true,
          reason: `RBAC: allowed by RoleBinding "readers/${namespace}" of Role "reader" to User "${jane}"`,
        }),
      });
      const { managedFields, ...others } = answer.body.metadata;
      answer.judge(others, exactly({}));
      answer.judge(managedFields, [{ manager: 'conformance', operation: 'Update', fieldsType: 'FieldsV1' }]);
      (await mayI(t, { resourceAttributes: { ...resourceAttributes, verb: 'list' } }, jane)).is(201, {
        status: exactly({ allowed: false }),
      });
      (await mayI(t, { resourceAttributes: {} }, jane)).is(201, { status: exactly({ allowed: false }) });
    },

    'a reason names a binding for the cluster, a group or a service account': async (t) => {
      const [name, crew, namespace] = [t.name('viewers'), t.name('crew'), await t.namespace()];
      const subjects = [
        { kind: 'Group', name: crew },
        { kind: 'ServiceAccount', name: 'account', namespace },
      ];
      (await t.post(clusterRoleBindings, { metadata: { name }, roleRef: roleRef('ClusterRole', 'view'), subjects })).is(
        201,
      );
      const resourceAttributes = { verb: 'get', resource: 'configmaps' };
      const account = `system:serviceaccount:${namespace}:account`;
      await untilAllowed(t, { user: account, resourceAttributes });
      const reason = `RBAC: allowed by ClusterRoleBinding "${name}" of ClusterRole "view" to`;
      (await ask(t, { user: account, resourceAttributes })).is(201, {
        status: { reason: `${reason} ServiceAccount "account/${namespace}"` },
      });
      (await ask(t, { groups: ['others', crew], resourceAttributes })).is(201, {
        status: { reason: `${reason} Group "${crew}"` },
      });
    },

    'a member of system:masters may for no reason': async (t) => {
      const resourceAttributes = { verb: 'delete', resource: 'nodes' };
      (await t.post(selfSubjectAccessReviews, { spec: { resourceAttributes } })).is(201, {
        status: exactly({ allowed: true }),
      });
      (await ask(t, { user: t.name('jane'), groups: ['system:masters'], resourceAttributes })).is(201, {
        status: exactly({ allowed: true }),
      });
    },

    'paths can be asked for': async (t) => {
      const jane = t.name('jane');
      (await mayI(t, { nonResourceAttributes: { path: '/api/v1', verb: 'get' } }, jane)).is(201, {
        status: exactly({
          allowed: true,
          reason:
            'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
        }),
      });
      (await mayI(t, { nonResourceAttributes: { path: '/metrics', verb: 'get' } }, jane)).is(201, {
        status: exactly({ allowed: false }),
      });
    },

    'a role that is not there is the reason of a refusal': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      const binding = { metadata: { name: 'lost' }, roleRef: roleRef('Role', 'gone'), subjects: [user(jane)] };
      (await t.post(roleBindings(namespace), binding)).is(201);
      await t.eventually(async () =>
        (await ask(t, { user: jane, resourceAttributes: { verb: 'get', resource: 'pods', namespace } })).is(201, {
          status: exactly({
            allowed: false,
            reason: 'RBAC: role.rbac.authorization.k8s.io "gone" not found',
          }),
        }),
      );
    },

    'of others only those learn who may ask': async (t) => {
      const jane = t.name('jane');
      const resourceAttributes = { verb: 'get', resource: 'pods' };
      const body = { spec: { user: 'paul', resourceAttributes } };
      (await t.post(subjectAccessReviews, body, as(jane))).refuses(
        mayNot({ user: jane, verb: 'create', group: authorization, resource: 'subjectaccessreviews' }),
      );
      (await t.post(subjectAccessReviews, body)).is(201, {
        kind: 'SubjectAccessReview',
        spec: exactly({ resourceAttributes, user: 'paul' }),
        status: exactly({ allowed: false }),
      });
      const delegate = t.name('delegate');
      await grantEverywhere(t, delegate, rule('create', 'subjectaccessreviews', { apiGroups: [authorization] }));
      (await t.post(subjectAccessReviews, body, as(delegate))).is(201);
    },

    'a review in a namespace is about that namespace': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      await grant(t, namespace, jane, rule('get', 'pods'));
      const resourceAttributes = { namespace, verb: 'get', resource: 'pods' };
      const path = localSubjectAccessReviews(namespace);
      (await t.post(path, { spec: { user: jane, resourceAttributes } })).is(201, {
        kind: 'LocalSubjectAccessReview',
        metadata: { namespace },
        status: { allowed: true },
      });
      (
        await t.post(path, { spec: { user: jane, resourceAttributes: { ...resourceAttributes, namespace: 'other' } } })
      ).refuses(refusedReview(wrong('spec.resourceAttributes.namespace', 'other', 'must match metadata.namespace')));
      (await t.post(path, { metadata: { namespace: 'other' }, spec: { user: jane, resourceAttributes } })).refuses(
        badRequest('the namespace of the provided object does not match the namespace sent on the request'),
      );
      (await t.post(path, { spec: { user: jane, nonResourceAttributes: { path: '/a', verb: 'get' } } })).refuses(
        refusedReview(
          wrong('spec.nonResourceAttributes', { Path: '/a', Verb: 'get' }, 'disallowed on this kind of request'),
        ),
      );
    },

    'a review is about somebody and about one thing': async (t) => {
      const resourceAttributes = { verb: 'get', resource: 'pods' };
      const nonResourceAttributes = { path: '/a', verb: 'get' };
      const both = wrong(
        'spec.nonResourceAttributes',
        { Path: '/a', Verb: 'get' },
        'cannot be specified in combination with resourceAttributes',
      );
      (await t.post(selfSubjectAccessReviews, {})).refuses(refusedReview(neither));
      (await t.post(selfSubjectAccessReviews, { spec: { resourceAttributes, nonResourceAttributes } })).refuses(
        refusedReview(both),
      );
      (await t.post(subjectAccessReviews, {})).refuses(refusedReview(neither, noSubject));
      (await t.post(subjectAccessReviews, { spec: { resourceAttributes } })).refuses(refusedReview(noSubject));
      (await t.post(selfSubjectAccessReviews, { metadata: { name: 'a' }, spec: { resourceAttributes } })).refuses({
        ...refusedReview(),
        message: /^\.authorization\.k8s\.io "" is invalid: metadata: Invalid value: \{"name":"a",.*\}: must be empty$/,
        details: (details: unknown) => JSON.stringify(details).includes('"field":"metadata"'),
      });
      (await t.get(selfSubjectAccessReviews)).refuses(methodNotAllowed);
      (await t.get(`${selfSubjectAccessReviews}/a`)).refuses(noSuchResource);
    },

    'selectors can be asked for, and are one or the other': async (t) => {
      const jane = t.name('jane');
      const attributes = { verb: 'list', resource: 'pods' };
      (await ask(t, { user: jane, resourceAttributes: { ...attributes, labelSelector: { rawSelector: '(((' } } })).is(
        201,
        {
          status: exactly({
            allowed: false,
            evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
          }),
        },
      );
      const requirements = [{ key: 'a', operator: 'In', values: ['b'] }];
      const selected = { ...attributes, fieldSelector: { rawSelector: 'a=b', requirements }, labelSelector: {} };
      (await ask(t, { user: jane, resourceAttributes: selected })).refuses(
        refusedReview(
          wrong(
            'spec.resourceAttributes.fieldSelector.rawSelector',
            'a=b',
            'may not specified at the same time as requirements',
          ),
          {
            reason: 'FieldValueRequired',
            message:
              'Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
            field: 'spec.resourceAttributes.labelSelector.requirements',
          },
        ),
      );
    },

    'the rules of somebody in a namespace are those of all his bindings': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      const own = [rule('get list', 'pods pods/log'), rule('get', 'secrets', { resourceNames: ['a'] })];
      await grant(t, namespace, jane, ...own);
      await grantEverywhere(t, jane, { verbs: ['get'], nonResourceURLs: ['/metrics'] });
      const answer = await t.post(selfSubjectRulesReviews, { spec: { namespace } }, as(jane));
      answer.is(201, {
        kind: 'SelfSubjectRulesReview',
        metadata: {},
        spec: exactly({}),
        status: {
          incomplete: false,
          evaluationError: undefined,
          resourceRules: including(
            ...own.map((each) => exactly(each)),
            exactly({ verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] }),
          ),
          nonResourceRules: including(
            exactly({ verbs: ['get'], nonResourceURLs: ['/metrics'] }),
            exactly({ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] }),
          ),
        },
      });
      (await t.post(selfSubjectRulesReviews, {}, as(jane))).refuses(badRequest('no namespace on request'));
      // Those of system:masters come from a binding too.
      (await t.post(selfSubjectRulesReviews, { spec: { namespace } })).is(201, {
        status: {
          resourceRules: including(exactly({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] })),
          nonResourceRules: including(exactly({ verbs: ['*'], nonResourceURLs: ['*'] })),
        },
      });
    },

    'rules that could not be found are named': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      const binding = { metadata: { name: 'lost' }, roleRef: roleRef('Role', 'gone'), subjects: [user(jane)] };
      (await t.post(roleBindings(namespace), binding)).is(201);
      await t.eventually(async () =>
        (await t.post(selfSubjectRulesReviews, { spec: { namespace } }, as(jane))).is(201, {
          status: { incomplete: false, evaluationError: 'role.rbac.authorization.k8s.io "gone" not found' },
        }),
      );
    },

    'a review has no table': async (t) => {
      const question = { spec: { token: 'x', namespace: 'a', resourceAttributes: { verb: 'get', resource: 'pods' } } };
      const form = (as: string) => `application/json;as=${as};v=v1;g=meta.k8s.io`;
      for (const path of [selfSubjectAccessReviews, selfSubjectReviews, selfSubjectRulesReviews, tokenReviews]) {
        const ask = (accept: string) =>
          t.post(path, path === selfSubjectReviews ? {} : question, { headers: { accept } });
        (await ask(form('Table'))).refuses({
          code: 406,
          reason: 'NotAcceptable',
          message: /^only the following media types are accepted: application\/json, /,
        });
        (await ask(`${form('Table')},application/json`)).is(201, { kind: /Review$/ });
        (await ask(form('PartialObjectMetadata'))).is(201, { kind: 'PartialObjectMetadata', status: undefined });
      }
    },

    'everybody learns who he is': async (t) => {
      const jane = t.name('jane');
      (await t.post(selfSubjectReviews, { metadata: { name: 'ignored' } }, as(jane, 'crew'))).is(
        201,
        exactly({
          kind: 'SelfSubjectReview',
          apiVersion: 'authentication.k8s.io/v1',
          metadata: { creationTimestamp: timestamp },
          status: { userInfo: { username: jane, groups: ['crew', 'system:authenticated'] } },
        }),
      );
      (await t.session.stranger.send('POST', selfSubjectReviews, { body: {} })).refuses(
        mayNot({
          user: 'system:anonymous',
          verb: 'create',
          group: 'authentication.k8s.io',
          resource: 'selfsubjectreviews',
        }),
      );
    },
  },
};
