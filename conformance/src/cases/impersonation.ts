/** Acting as somebody else: who that somebody is then, and who may do it. */
import type { Area } from '../case.ts';
import type { Fields } from '../exchange.ts';
import { as, grantEverywhere, mayNot, mayNotPath, rule, serviceAccount } from '../identities.ts';
import { exactly } from '../match.ts';
import { pod } from '../objects.ts';
import { pods, selfSubjectReviews, serviceAccounts } from '../paths.ts';
import { badRequest } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const authentication = 'authentication.k8s.io';

/** Whom the administrator is taken for with these headers. */
const becomes = async (t: Trial, headers: Readonly<Record<string, string | readonly string[]>>, userInfo: Fields) => {
  (await t.post(selfSubjectReviews, {}, { headers })).is(201, { status: exactly({ userInfo }) });
};

export const impersonation: Area = {
  name: 'impersonation',
  proves: ['U1'],
  cases: {
    'a user is impersonated with name, uid, groups and more': async (t) => {
      await becomes(t, as('jane').headers, { username: 'jane', groups: ['system:authenticated'] });
      await becomes(t, as('jane', 'a', 'b').headers, { username: 'jane', groups: ['a', 'b', 'system:authenticated'] });
      await becomes(
        t,
        {
          ...as('jane', 'a').headers,
          'impersonate-uid': 'u',
          'impersonate-extra-scopes': ['x', 'y'],
          'impersonate-extra-Example.com%2FTeam': 'blue',
        },
        {
          username: 'jane',
          uid: 'u',
          groups: ['a', 'system:authenticated'],
          extra: { scopes: ['x', 'y'], 'example.com/team': ['blue'] },
        },
      );
    },

    'extra values may have any name': async (t) => {
      const extra = Object.fromEntries(['constructor', '__proto__', 'tostring'].map((key) => [key, ['x']]));
      const headers = Object.fromEntries(Object.keys(extra).map((key) => [`impersonate-extra-${key}`, 'x']));
      await becomes(
        t,
        { ...as('jane').headers, ...headers },
        { username: 'jane', groups: ['system:authenticated'], extra },
      );
    },

    'a service account has its groups, unless others are given': async (t) => {
      const username = 'system:serviceaccount:place:account';
      await becomes(t, as(username).headers, {
        username,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:place', 'system:authenticated'],
      });
      await becomes(t, as(username, 'a').headers, { username, groups: ['a', 'system:authenticated'] });
      // A name that no service account can have is a user's.
      const odd = 'system:serviceaccount:place';
      await becomes(t, as(odd).headers, { username: odd, groups: ['system:authenticated'] });
    },

    'the group of those who are somebody is added, unless that was said': async (t) => {
      await becomes(t, as('jane', 'system:authenticated').headers, {
        username: 'jane',
        groups: ['system:authenticated'],
      });
      const refused = (user: string) =>
        mayNot({ user, verb: 'create', group: authentication, resource: 'selfsubjectreviews' });
      (await t.post(selfSubjectReviews, {}, as('system:anonymous'))).refuses(refused('system:anonymous'));
      (await t.post(selfSubjectReviews, {}, as('jane', 'system:unauthenticated'))).refuses(refused('jane'));
    },

    'nothing is impersonated without a user': async (t) => {
      const refused = (Groups: string, UID: string, Extra: string) =>
        badRequest(
          `requested &user.DefaultInfo{Name:"", UID:"${UID}", Groups:[]string${Groups}, Extra:map[string][]string${Extra}} without impersonating a user name`,
        );
      const send = (headers: Readonly<Record<string, string | readonly string[]>>) => t.get('/api', { headers });
      (await send({ 'impersonate-group': ['a', 'b'] })).refuses(refused('{"a", "b"}', '', '(nil)'));
      (await send({ 'impersonate-uid': 'u' })).refuses(refused('(nil)', 'u', '(nil)'));
      (await send({ 'impersonate-extra-scopes': 'x' })).refuses(refused('(nil)', '', '{"scopes":[]string{"x"}}'));
    },

    'who has no right to it is refused for the kind of user that is wanted': async (t) => {
      const namespace = await t.namespace();
      const account = await serviceAccount(t, namespace);
      const send = (path: string, user: string, ...groups: readonly string[]) =>
        t.session.stranger.send('GET', path, { headers: { ...account.headers, ...as(user, ...groups).headers } });
      const refused = { user: account.user, resource: 'pods', namespace };
      (await send(pods(namespace), 'jane')).refuses(mayNot({ ...refused, verb: 'impersonate-on:user-info:list' }));
      (await send(pods(namespace), 'system:serviceaccount:a:b')).refuses(
        mayNot({ ...refused, verb: 'impersonate-on:serviceaccount:list' }),
      );
      (await send(pods(namespace), 'system:node:a')).refuses(
        mayNot({ ...refused, verb: 'impersonate-on:arbitrary-node:list' }),
      );
      // Only the old way has a place for groups of service accounts and nodes.
      (await send(pods(namespace), 'system:node:a', 'g')).refuses(
        mayNot({ user: account.user, verb: 'impersonate', resource: 'users', name: 'system:node:a' }),
      );
      (await send(pods(namespace), 'system:serviceaccount:a:b', 'g')).refuses(
        mayNot({ user: account.user, verb: 'impersonate', resource: 'serviceaccounts', namespace: 'a', name: 'b' }),
      );
      (await send('/api', 'jane')).refuses(mayNotPath(account.user, 'impersonate-on:user-info:get', '/api'));
      (await t.session.stranger.send('GET', '/version', as('jane'))).refuses(
        mayNotPath('system:anonymous', 'impersonate-on:user-info:get', '/version'),
      );
    },

    'the verb impersonate allows users, groups, uids, extra values and service accounts': async (t) => {
      const account = await serviceAccount(t, await t.namespace());
      await grantEverywhere(
        t,
        account.user,
        rule('impersonate', 'users', { resourceNames: ['jane'] }),
        rule('impersonate', 'groups', { resourceNames: ['devs'] }),
        rule('impersonate', 'userextras/scopes', { apiGroups: [authentication], resourceNames: ['x'] }),
        rule('impersonate', 'uids', { apiGroups: [authentication] }),
        rule('impersonate', 'serviceaccounts', { resourceNames: ['b'] }),
      );
      const send = (headers: Readonly<Record<string, string | readonly string[]>>) =>
        t.session.stranger.send('POST', selfSubjectReviews, { body: {}, headers: { ...account.headers, ...headers } });
      const whole = {
        ...as('jane', 'devs').headers,
        'impersonate-uid': 'u',
        'impersonate-extra-scopes': 'x',
      };
      (await send(whole)).is(201, {
        status: {
          userInfo: exactly({
            username: 'jane',
            uid: 'u',
            groups: ['devs', 'system:authenticated'],
            extra: { scopes: ['x'] },
          }),
        },
      });
      (await send(as('system:serviceaccount:a:b').headers)).is(201, {
        status: { userInfo: { username: 'system:serviceaccount:a:b' } },
      });
      // Whoever has succeeded in this way before is refused in its words.
      const refused = { user: account.user, verb: 'impersonate' };
      (await send(as('paul').headers)).refuses(mayNot({ ...refused, resource: 'users', name: 'paul' }));
      (await send(as('jane', 'devs', 'admins').headers)).refuses(
        mayNot({ ...refused, resource: 'groups', name: 'admins' }),
      );
      (await send({ ...as('jane').headers, 'impersonate-extra-scopes': ['x', 'y'] })).refuses(
        mayNot({ ...refused, group: authentication, resource: 'userextras', subresource: 'scopes', name: 'y' }),
      );
      (await send({ ...as('jane').headers, 'impersonate-extra-other': 'x' })).refuses(
        mayNot({ ...refused, group: authentication, resource: 'userextras', subresource: 'other', name: 'x' }),
      );
      (await send(as('system:serviceaccount:a:c').headers)).refuses(
        mayNot({ ...refused, resource: 'serviceaccounts', namespace: 'a', name: 'c' }),
      );
    },

    'impersonation can be allowed for some requests only': async (t) => {
      const namespace = await t.namespace();
      const account = await serviceAccount(t, namespace);
      await grantEverywhere(
        t,
        account.user,
        rule('impersonate:user-info', 'users', { apiGroups: [authentication], resourceNames: ['jane'] }),
        rule('impersonate-on:user-info:create', 'selfsubjectreviews', { apiGroups: [authentication] }),
      );
      const send = (method: string, path: string, ...who: Parameters<typeof as>) =>
        t.session.stranger.send(method, path, {
          headers: { ...account.headers, ...as(...who).headers },
          ...(method === 'POST' && { body: {} }),
        });
      (await send('POST', selfSubjectReviews, 'jane')).is(201, { status: { userInfo: { username: 'jane' } } });
      (await send('POST', selfSubjectReviews, 'paul')).refuses(
        mayNot({
          user: account.user,
          verb: 'impersonate:user-info',
          group: authentication,
          resource: 'users',
          name: 'paul',
        }),
      );
      (await send('GET', pods(namespace), 'jane')).refuses(
        mayNot({ user: account.user, verb: 'impersonate-on:user-info:list', resource: 'pods', namespace }),
      );
      (await send('POST', selfSubjectReviews, 'jane', 'system:masters')).refuses(
        mayNot({
          user: account.user,
          verb: 'impersonate:user-info',
          group: authentication,
          resource: 'groups',
          name: 'system:masters',
          why: 'impersonating the system:masters group is not allowed',
        }),
      );
      // Keys of extra values belong to a domain here.
      const extra = { ...account.headers, ...as('jane').headers, 'impersonate-extra-scopes': 'x' };
      (await t.session.stranger.send('POST', selfSubjectReviews, { body: {}, headers: extra })).refuses(
        mayNot({
          user: account.user,
          verb: 'impersonate:user-info',
          group: authentication,
          resource: 'userextras',
          why: 'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")',
        }),
      );
    },

    'a service account can act as the node of its pod': async (t) => {
      const namespace = await t.namespace();
      const account = await serviceAccount(t, namespace);
      const [node, other] = [t.name('node'), t.name('node')];
      await grantEverywhere(
        t,
        account.user,
        rule('impersonate:associated-node', 'nodes', { apiGroups: [authentication] }),
        rule('impersonate-on:associated-node:create', 'selfsubjectreviews', { apiGroups: [authentication] }),
      );
      (await t.post(pods(namespace), pod('a', { serviceAccountName: account.name, nodeName: node }))).is(201);
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'a' };
      const { status } = (
        await t.post(`${serviceAccounts(namespace)}/${account.name}/token`, { spec: { boundObjectRef } })
      ).is(201);
      const send = (name: string, token: unknown) =>
        t.session.stranger.send('POST', selfSubjectReviews, {
          body: {},
          headers: { authorization: `Bearer ${token}`, ...as(name).headers },
        });
      (await send(`system:node:${node}`, status.token)).is(201, {
        status: {
          userInfo: exactly({ username: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'] }),
        },
      });
      const refused = mayNot({
        user: account.user,
        verb: 'impersonate-on:arbitrary-node:create',
        group: authentication,
        resource: 'selfsubjectreviews',
      });
      (await send(`system:node:${other}`, status.token)).refuses(refused);
      (await send(`system:node:${node}`, account.token)).refuses(refused);
    },

    'service accounts and nodes can be impersonated in their own way': async (t) => {
      const account = await serviceAccount(t, await t.namespace());
      await grantEverywhere(
        t,
        account.user,
        rule('impersonate:serviceaccount', 'serviceaccounts', { apiGroups: [authentication], resourceNames: ['b'] }),
        rule('impersonate-on:serviceaccount:create', 'selfsubjectreviews', { apiGroups: [authentication] }),
        rule('impersonate:arbitrary-node', 'nodes', { apiGroups: [authentication], resourceNames: ['n'] }),
        rule('impersonate-on:arbitrary-node:create', 'selfsubjectreviews', { apiGroups: [authentication] }),
      );
      const send = (name: string) =>
        t.session.stranger.send('POST', selfSubjectReviews, {
          body: {},
          headers: { ...account.headers, ...as(name).headers },
        });
      (await send('system:serviceaccount:a:b')).is(201, {
        status: {
          userInfo: {
            groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
          },
        },
      });
      (await send('system:node:n')).is(201, {
        status: { userInfo: exactly({ username: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] }) },
      });
      (await send('system:node:m')).refuses(
        mayNot({
          user: account.user,
          verb: 'impersonate:arbitrary-node',
          group: authentication,
          resource: 'nodes',
          name: 'm',
        }),
      );
    },

    'credentials are checked before': async (t) => {
      const headers = { authorization: 'Bearer nobody', ...as('jane').headers };
      (await t.session.stranger.send('GET', '/api', { headers })).is(401);
    },
  },
};
