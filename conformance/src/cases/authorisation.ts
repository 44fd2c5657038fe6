/** What roles and bindings allow, whom they allow it, and how the server says that something is not allowed. */
import type { Area } from '../case.ts';
import {
  as,
  ask,
  grant,
  grantEverywhere,
  group,
  mayNot,
  mayNotPath,
  roleRef,
  rule,
  serviceAccount,
  untilAllowed,
  user,
} from '../identities.ts';
import { including } from '../match.ts';
import { configMap } from '../objects.ts';
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  deployments,
  pods,
  roleBindings,
  roles,
  secrets,
} from '../paths.ts';
import type { Trial } from '../trial.ts';

const nobody = 'system:anonymous';
const unauthorized = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' };

/** Binds a role to subjects in a namespace. */
const bind = async (t: Trial, namespace: string, role: object, ...subjects: readonly object[]) =>
  (await t.post(roleBindings(namespace), { metadata: { generateName: 'bind-' }, roleRef: role, subjects })).is(201);

export const authorisation: Area = {
  name: 'authorisation',
  proves: ['U1', 'E1'],
  cases: {
    'who has no rules is refused, and the missing rule is named': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      const answer = await t.get(pods(namespace), as(jane));
      answer.refuses(mayNot({ user: jane, verb: 'list', resource: 'pods', namespace }));
      answer.has('x-content-type-options', 'nosniff');
      (await t.get(`${pods(namespace)}/a`, as(jane))).refuses(
        mayNot({ user: jane, verb: 'get', resource: 'pods', namespace, name: 'a' }),
      );
      (await t.get(`${pods(namespace)}/a/log`, as(jane))).refuses(
        mayNot({ user: jane, verb: 'get', resource: 'pods', subresource: 'log', namespace, name: 'a' }),
      );
      (await t.get('/apis/apps/v1/deployments', as(jane))).refuses(
        mayNot({ user: jane, verb: 'list', group: 'apps', resource: 'deployments' }),
      );
      // A namespace is in itself.
      (await t.get(`/api/v1/namespaces/${namespace}`, as(jane))).refuses(
        mayNot({ user: jane, verb: 'get', resource: 'namespaces', namespace, name: namespace }),
      );
      (await t.get('/metrics', as(jane))).refuses(mayNotPath(jane, 'get', '/metrics'));
    },

    'each method is a verb': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      const path = configMaps(namespace);
      const refused = (verb: string, name?: string) =>
        mayNot({ user: jane, verb, resource: 'configmaps', namespace, ...(name === undefined ? {} : { name }) });
      (await t.post(path, configMap('a'), as(jane))).refuses(refused('create'));
      (await t.put(`${path}/a`, configMap('a'), as(jane))).refuses(refused('update', 'a'));
      const { headers } = as(jane);
      (await t.mergePatch(`${path}/a`, {}, { headers })).refuses(refused('patch', 'a'));
      (await t.delete(`${path}/a`, as(jane))).refuses(refused('delete', 'a'));
      (await t.delete(path, as(jane))).refuses(refused('deletecollection'));
      (await t.get(path, { query: { watch: true }, ...as(jane) })).refuses(refused('watch'));
      (await t.get(`/api/v1/watch/namespaces/${namespace}/configmaps/a`, as(jane))).refuses(refused('watch', 'a'));
    },

    'a list that selects one object by its name is about that object': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      const refused = (name: string | undefined) =>
        mayNot({ user: jane, verb: 'list', resource: 'secrets', namespace, ...(name === undefined ? {} : { name }) });
      const selecting = (fieldSelector: string) => t.get(secrets(namespace), { query: { fieldSelector }, ...as(jane) });
      (await selecting('metadata.name=a')).refuses(refused('a'));
      (await selecting('type=x,metadata.name=a')).refuses(refused('a'));
      (await selecting('metadata.name!=a')).refuses(refused(undefined));
      (await selecting('type=x')).refuses(refused(undefined));
    },

    'a refusal comes before anything is looked up or read': async (t) => {
      const jane = t.name('jane');
      (await t.get('/apis/none.example.com/v1/things', as(jane))).refuses(
        mayNot({ user: jane, verb: 'list', group: 'none.example.com', resource: 'things' }),
      );
      (await t.get(pods('none'), as(jane))).refuses(
        mayNot({ user: jane, verb: 'list', resource: 'pods', namespace: 'none' }),
      );
      (await t.post(pods('none'), 'nonsense', as(jane))).refuses(
        mayNot({ user: jane, verb: 'create', resource: 'pods', namespace: 'none' }),
      );
      (await t.get('/none', as(jane))).refuses(mayNotPath(jane, 'get', '/none'));
    },

    'a refusal shows no markup': async (t) => {
      (await t.get('/api/v1/nodes', as('<b>&co'))).refuses(
        mayNot({ user: '&lt;b&gt;&amp;co', verb: 'list', resource: 'nodes' }),
      );
    },

    'a role allows its verbs on its resources in its namespace, and nothing else': async (t) => {
      const [namespace, other] = [await t.namespace(), await t.namespace()];
      const jane = t.name('jane');
      await grant(t, namespace, jane, rule('get list', 'configmaps'));
      (await t.get(configMaps(namespace), as(jane))).is(200, { kind: 'ConfigMapList' });
      (await t.get(`${configMaps(namespace)}/none`, as(jane))).is(404);
      const refused = { user: jane, resource: 'configmaps', namespace };
      (await t.get(configMaps(namespace), { query: { watch: true }, ...as(jane) })).refuses(
        mayNot({ ...refused, verb: 'watch' }),
      );
      (await t.post(configMaps(namespace), configMap('a'), as(jane))).refuses(mayNot({ ...refused, verb: 'create' }));
      (await t.get(configMaps(other), as(jane))).refuses(mayNot({ ...refused, verb: 'list', namespace: other }));
      (await t.get('/api/v1/configmaps', as(jane))).refuses(
        mayNot({ user: jane, resource: 'configmaps', verb: 'list' }),
      );
      (await t.get(deployments(namespace), as(jane))).refuses(
        mayNot({ ...refused, group: 'apps', resource: 'deployments', verb: 'list' }),
      );
    },

    'a cluster role that is bound for the cluster counts in every namespace and above them': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      await grantEverywhere(t, jane, rule('list', 'nodes configmaps'));
      (await t.get('/api/v1/nodes', as(jane))).is(200);
      (await t.get('/api/v1/configmaps', { query: { limit: 1 }, ...as(jane) })).is(200);
      (await t.get(configMaps(namespace), as(jane))).is(200);
    },

    'a cluster role that is bound in a namespace counts there alone': async (t) => {
      const [namespace, other] = [await t.namespace(), await t.namespace()];
      const [jane, role] = [t.name('jane'), t.name('role')];
      (await t.post(clusterRoles, { metadata: { name: role }, rules: [rule('list', 'nodes configmaps')] })).is(201);
      await bind(t, namespace, roleRef('ClusterRole', role), user(jane));
      await t.eventually(async () => (await t.get(configMaps(namespace), as(jane))).is(200));
      (await t.get(configMaps(other), as(jane))).is(403);
      (await t.get('/api/v1/configmaps', as(jane))).is(403);
      (await t.get('/api/v1/nodes', as(jane))).is(403);
    },

    'a resource does not include its subresources, nor a subresource its resource': async (t) => {
      const namespace = await t.namespace();
      const [jane, paul] = [t.name('jane'), t.name('paul')];
      await grant(t, namespace, jane, rule('get', 'pods'));
      await grant(t, namespace, paul, rule('get', 'pods/status'));
      (await t.get(`${pods(namespace)}/none`, as(jane))).is(404);
      (await t.get(`${pods(namespace)}/none/status`, as(jane))).refuses(
        mayNot({ user: jane, verb: 'get', resource: 'pods', subresource: 'status', namespace, name: 'none' }),
      );
      (await t.get(`${pods(namespace)}/none/status`, as(paul))).is(404);
      (await t.get(`${pods(namespace)}/none`, as(paul))).is(403);
    },

    'a star stands for every resource before a subresource': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      await grant(t, namespace, jane, rule('get', '*/scale', { apiGroups: ['apps'] }));
      (await t.get(`${deployments(namespace)}/none/scale`, as(jane))).is(404);
      (await t.get(`${deployments(namespace)}/none/status`, as(jane))).is(403);
      (await t.get(`${deployments(namespace)}/none`, as(jane))).is(403);
      // It does so before a subresource only.
      await grant(t, namespace, jane, rule('get', 'pods/*'));
      (await t.get(`${pods(namespace)}/none/status`, as(jane))).is(403);
    },

    'stars stand for every verb, group and resource, with their subresources': async (t) => {
      const namespace = await t.namespace();
      const [verbs, groups, resources] = [t.name('verbs'), t.name('groups'), t.name('resources')];
      await grant(t, namespace, verbs, rule('*', 'configmaps'));
      await grant(t, namespace, groups, rule('list', 'pods deployments', { apiGroups: ['*'] }));
      await grant(t, namespace, resources, rule('get list', '*'));
      (await t.get(configMaps(namespace), as(verbs))).is(200);
      (await t.delete(configMaps(namespace), as(verbs))).is(200);
      (await t.get(deployments(namespace), as(groups))).is(200);
      (await t.get(pods(namespace), as(groups))).is(200);
      (await t.get(pods(namespace), as(resources))).is(200);
      (await t.get(`${pods(namespace)}/none/status`, as(resources))).is(404);
      (await t.get(deployments(namespace), as(resources))).is(403);
    },

    'names restrict a rule to these objects, and to lists and watches of one of them': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      await grant(t, namespace, jane, rule('get list watch create', 'configmaps', { resourceNames: ['a', 'b'] }));
      const path = configMaps(namespace);
      const list = (fieldSelector: string) => t.get(path, { query: { fieldSelector }, ...as(jane) });
      (await t.get(`${path}/a`, as(jane))).is(404);
      (await t.get(`${path}/b`, as(jane))).is(404);
      (await t.get(`${path}/c`, as(jane))).is(403);
      (await list('metadata.name=a')).is(200);
      (await list('metadata.name=c')).is(403);
      (await t.get(path, as(jane))).is(403);
      (await t.watch(path, { fieldSelector: 'metadata.name=a' }, as(jane))).opened.is(200);
      // The name of what is to be created is not in the path.
      (await t.post(path, configMap('a'), as(jane))).refuses(
        mayNot({ user: jane, verb: 'create', resource: 'configmaps', namespace }),
      );
    },

    'paths that are no resources are allowed one by one or by their beginning': async (t) => {
      const jane = t.name('jane');
      const rules = [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/livez/*'] }];
      await grantEverywhere(t, jane, ...rules);
      (await t.get('/livez/ping', as(jane))).is(200);
      const review = async (path: string, verb: string) =>
        (await ask(t, { user: jane, nonResourceAttributes: { path, verb } })).is(201).status.allowed;
      (await ask(t, { user: jane, nonResourceAttributes: { path: '/metrics', verb: 'get' } })).is(201, {
        status: { allowed: true },
      });
      const answers = [
        await review('/metrics/', 'get'),
        await review('/metrics', 'post'),
        await review('/livez', 'get'),
      ];
      t.last?.judge(answers, [false, false, false]);
    },

    'groups and service accounts can be bound too': async (t) => {
      const [namespace, other] = [await t.namespace(), await t.namespace()];
      const crew = t.name('crew');
      const account = await serviceAccount(t, namespace);
      const neighbour = await serviceAccount(t, other, 'neighbour');
      const role = (await t.post(roles(namespace), { metadata: { name: 'role' }, rules: [rule('list', 'pods')] })).is(
        201,
      );
      const ref = roleRef('Role', role.metadata.name);
      // Without a namespace it is one of the binding's own.
      await bind(t, namespace, ref, { kind: 'ServiceAccount', name: account.name });
      await bind(t, namespace, ref, { kind: 'ServiceAccount', name: neighbour.name, namespace: other }, group(crew));
      const { stranger } = t.session;
      for (const { headers } of [account, neighbour]) {
        await t.eventually(async () => (await stranger.send('GET', pods(namespace), { headers })).is(200));
      }
      await t.eventually(async () => (await t.get(pods(namespace), as(t.name('jane'), 'others', crew))).is(200));
      (await stranger.send('GET', pods(other), { headers: neighbour.headers })).refuses(
        mayNot({ user: neighbour.user, verb: 'list', resource: 'pods', namespace: other }),
      );
    },

    'service accounts are in the group of their namespace and in that of all': async (t) => {
      const [namespace, other] = [await t.namespace(), await t.namespace()];
      const account = await serviceAccount(t, namespace);
      (await t.post(roles(other), { metadata: { name: 'role' }, rules: [rule('list', 'pods')] })).is(201);
      await bind(t, other, roleRef('Role', 'role'), group(`system:serviceaccounts:${namespace}`));
      const { stranger } = t.session;
      await t.eventually(async () => (await stranger.send('GET', pods(other), account)).is(200));
      (await stranger.send('GET', pods(namespace), account)).is(403);
      (await t.post(roles(namespace), { metadata: { name: 'role' }, rules: [rule('list', 'pods')] })).is(201);
      await bind(t, namespace, roleRef('Role', 'role'), group('system:serviceaccounts'));
      await t.eventually(async () => (await stranger.send('GET', pods(namespace), account)).is(200));
    },

    'a binding of a role that is not there allows nothing, and the refusal says so': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      await bind(t, namespace, roleRef('Role', 'gone'), user(jane));
      const refused = { user: jane, verb: 'list', resource: 'pods', namespace };
      await t.eventually(async () =>
        (await t.get(pods(namespace), as(jane))).refuses(
          mayNot({ ...refused, why: 'RBAC: role.rbac.authorization.k8s.io "gone" not found' }),
        ),
      );
      const missing = t.name('missing');
      const binding = { metadata: { name: missing }, roleRef: roleRef('ClusterRole', missing), subjects: [user(jane)] };
      (await t.post(clusterRoleBindings, binding)).is(201);
      await t.eventually(async () =>
        (await t.get(pods(namespace), as(jane))).refuses(
          mayNot({
            ...refused,
            why: `RBAC: [clusterrole.rbac.authorization.k8s.io "${missing}" not found, role.rbac.authorization.k8s.io "gone" not found]`,
          }),
        ),
      );
      // It counts as soon as it is there.
      (await t.post(roles(namespace), { metadata: { name: 'gone' }, rules: [rule('list', 'pods')] })).is(201);
      await t.eventually(async () => (await t.get(pods(namespace), as(jane))).is(200));
    },

    'what is changed in a role or taken from a binding counts': async (t) => {
      const namespace = await t.namespace();
      const jane = t.name('jane');
      (await t.post(roles(namespace), { metadata: { name: 'role' }, rules: [rule('list', 'pods')] })).is(201);
      const binding = { metadata: { name: 'bind' }, roleRef: roleRef('Role', 'role'), subjects: [user(jane)] };
      (await t.post(roleBindings(namespace), binding)).is(201);
      await t.eventually(async () => (await t.get(pods(namespace), as(jane))).is(200));
      (await t.mergePatch(`${roles(namespace)}/role`, { rules: [rule('list', 'configmaps')] })).is(200);
      await t.eventually(async () => (await t.get(configMaps(namespace), as(jane))).is(200));
      (await t.get(pods(namespace), as(jane))).is(403);
      (await t.mergePatch(`${roleBindings(namespace)}/bind`, { subjects: [user('others')] })).is(200);
      await t.eventually(async () => (await t.get(configMaps(namespace), as(jane))).is(403));
      (await t.mergePatch(`${roleBindings(namespace)}/bind`, { subjects: [user(jane)] })).is(200);
      await t.eventually(async () => (await t.get(configMaps(namespace), as(jane))).is(200));
      (await t.delete(`${roleBindings(namespace)}/bind`)).is(200);
      await t.eventually(async () => (await t.get(configMaps(namespace), as(jane))).is(403));
    },

    'nobody in particular may ask whether the server lives and which version it is': async (t) => {
      const { stranger } = t.session;
      for (const path of ['/healthz', '/livez', '/readyz', '/version']) (await stranger.send('GET', path)).is(200);
      for (const path of ['/api', '/apis', '/livez/ping', '/openapi/v3', '/none']) {
        (await stranger.send('GET', path)).refuses(mayNotPath(nobody, 'get', path));
      }
      (await stranger.send('POST', '/version')).refuses(mayNotPath(nobody, 'post', '/version'));
      (await stranger.send('GET', '/api/v1/namespaces')).refuses(
        mayNot({ user: nobody, verb: 'list', resource: 'namespaces' }),
      );
    },

    'everybody who is somebody may discover': async (t) => {
      const jane = t.name('jane');
      for (const path of ['/api', '/apis', '/api/v1', '/apis/apps/v1', '/openapi/v3', '/version', '/livez']) {
        (await t.get(path, as(jane))).is(200);
      }
      (await t.get('/livez/ping', as(jane))).refuses(mayNotPath(jane, 'get', '/livez/ping'));
    },

    'members of system:masters are above the rules': async (t) => {
      const namespace = await t.namespace();
      (await t.get(pods(namespace), as(t.name('jane'), 'system:masters'))).is(200);
    },

    'a token that nobody issued is refused everywhere, another scheme is ignored': async (t) => {
      const send = (authorization: string, path: string) =>
        t.session.stranger.send('GET', path, { headers: { authorization } });
      (await send('Bearer nobody', '/api/v1/nodes')).refuses(unauthorized);
      (await send('bearer nobody', '/version')).refuses(unauthorized);
      const refused = mayNot({ user: nobody, verb: 'list', resource: 'nodes' });
      (await send('Basic bm86Ym9keQ==', '/api/v1/nodes')).refuses(refused);
      (await send('Bearer', '/api/v1/nodes')).refuses(refused);
      const spaced = await send('Bearer  nobody', '/api/v1/nodes');
      spaced.refuses(refused);
      spaced.judge(spaced.warnings, [
        '299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"',
      ]);
    },

    'the roles view, edit and admin allow in a namespace what their names say': async (t) => {
      const namespace = await t.namespace();
      const may = async (who: string, verb: string, resource: string, of = '') =>
        (await ask(t, { user: who, resourceAttributes: { verb, resource, group: of, namespace } })).is(201).status
          .allowed;
      const names = ['view', 'edit', 'admin', 'cluster-admin'].map((role) => [role, t.name(role)] as const);
      for (const [role, name] of names) await bind(t, namespace, roleRef('ClusterRole', role), user(name));
      for (const [, name] of names) {
        await untilAllowed(t, { user: name, resourceAttributes: { verb: 'get', resource: 'configmaps', namespace } });
      }
      const questions = [
        ['list', 'pods', '', [true, true, true, true]],
        ['get', 'secrets', '', [false, true, true, true]],
        ['create', 'deployments', 'apps', [false, true, true, true]],
        ['get', 'roles', 'rbac.authorization.k8s.io', [false, false, true, true]],
        ['create', 'rolebindings', 'rbac.authorization.k8s.io', [false, false, true, true]],
        ['update', 'resourcequotas', '', [false, false, false, true]],
        ['impersonate', 'serviceaccounts', '', [false, true, true, true]],
        ['get', 'widgets', 'example.com', [false, false, false, true]],
      ] as const;
      for (const [verb, resource, of, expected] of questions) {
        const answers: unknown[] = [];
        for (const [, name] of names) answers.push(await may(name, verb, resource, of));
        t.last?.judge(answers, [...expected], `${verb} ${resource}`);
      }
    },

    'the default roles are marked as such': async (t) => {
      const marked = {
        metadata: {
          annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
          labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
        },
      };
      (await t.get(`${clusterRoles}/cluster-admin`)).is(200, {
        ...marked,
        rules: [
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
          { verbs: ['*'], nonResourceURLs: ['*'] },
        ],
      });
      (await t.get(`${clusterRoles}/view`)).is(200, {
        ...marked,
        aggregationRule: {
          clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } }],
        },
      });
      (await t.get(`${clusterRoleBindings}/system:discovery`)).is(200, {
        ...marked,
        roleRef: roleRef('ClusterRole', 'system:discovery'),
        subjects: [group('system:authenticated')],
      });
      (await t.get(`${clusterRoles}/system:auth-delegator`)).is(200, marked);
      (await t.get(`${roles('kube-system')}/extension-apiserver-authentication-reader`)).is(200, marked);
    },

    'a role that gathers others has their rules': {
      needs: 'controllers',
      async proof(t) {
        const [gathering, label] = [t.name('gathering'), t.name('example.com/part-of')];
        const selector = { matchLabels: { [label]: 'true' } };
        (
          await t.post(clusterRoles, {
            metadata: { name: gathering },
            aggregationRule: { clusterRoleSelectors: [selector] },
            rules: [rule('delete', 'nodes')],
          })
        ).is(201);
        const part = async (name: string, ...rules: readonly object[]) =>
          (await t.post(clusterRoles, { metadata: { name: t.name(name), labels: { [label]: 'true' } }, rules })).is(
            201,
          );
        const [pod, secret] = [rule('get', 'pods'), rule('get', 'secrets')];
        // In the order of their names, each rule once.
        const second = await part('b', secret, pod);
        await part('a', pod);
        const gathered = async (...rules: readonly object[]) =>
          await t.eventually(async () => (await t.get(`${clusterRoles}/${gathering}`)).is(200, { rules }));
        await gathered(pod, secret);
        (await t.delete(`${clusterRoles}/${second.metadata.name}`)).is(200);
        await gathered(pod);
        const { metadata } = await t.eventually(async () =>
          (await t.get(`${clusterRoles}/${gathering}`)).is(200, {
            metadata: {
              managedFields: including({
                manager: 'clusterrole-aggregation-controller',
                operation: 'Apply',
                fieldsV1: { 'f:rules': {} },
              }),
            },
          }),
        );
        t.last?.judge(metadata.name, gathering);
      },
    },
  },
};
