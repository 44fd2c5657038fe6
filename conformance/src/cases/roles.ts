/** Roles and bindings as objects: what they must be, and that nobody gives away more than he has. */
import type { Area } from '../case.ts';
import type { Refusal } from '../exchange.ts';
import {
  type Account,
  grantEverywhere,
  group,
  type Rule,
  rbac,
  roleRef,
  rule,
  serviceAccount,
  user,
} from '../identities.ts';
import { age } from '../match.ts';
import { configMap } from '../objects.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../paths.ts';
import { type Cause, invalid, notFound } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const dryRun = { dryRun: 'All' };

const unsupported = (field: string, value: string, ...supported: readonly string[]): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: "${value}": supported values: ${supported.map((each) => `"${each}"`).join(', ')}`,
  field,
});
const required = (field: string, why?: string): Cause => ({
  reason: 'FieldValueRequired',
  message: why === undefined ? 'Required value' : `Required value: ${why}`,
  field,
});
const wrong = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

const notHeld = (account: Account, namespace: string, kind: string, name: string, ...missing: string[]): Refusal => ({
  code: 403,
  reason: 'Forbidden',
  message: `${kind}.${rbac} "${name}" is forbidden: user "${account.user}" (groups=["system:serviceaccounts" "system:serviceaccounts:${namespace}" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`,
  details: { name, group: rbac, kind },
});

/** Somebody who may write roles and bindings, and has a few rights beside. */
async function steward(t: Trial, namespace: string, ...more: readonly Rule[]): Promise<Account> {
  const account = await serviceAccount(t, namespace, 'steward');
  const writing = rule('create update patch get', 'roles rolebindings clusterroles clusterrolebindings', {
    apiGroups: [rbac],
  });
  const held = [
    rule('get list', 'pods pods/log'),
    rule('get', '*/scale', { apiGroups: ['apps'] }),
    rule('get', 'secrets', { resourceNames: ['a', 'b'] }),
    { verbs: ['get'], nonResourceURLs: ['/a/*'] },
  ];
  await grantEverywhere(t, account.user, writing, ...held, ...more);
  return account;
}

export const rolesAndBindings: Area = {
  name: 'roles and bindings',
  proves: ['U1', 'V2'],
  cases: {
    'a rule has verbs, and either groups and resources or paths': async (t) => {
      const rules = [
        { verbs: [] },
        { verbs: ['get'], nonResourceURLs: ['/a'] },
        { verbs: ['get'], nonResourceURLs: ['/a'], resources: ['pods'] },
      ];
      const both = 'rules cannot apply to both regular resources and non-resource URLs';
      const empty = [
        required('rules[0].verbs', 'verbs must contain at least one value'),
        required('rules[0].apiGroups', 'resource rules must supply at least one api group'),
        required('rules[0].resources', 'resource rules must supply at least one resource'),
      ];
      (await t.post(clusterRoles, { metadata: { name: t.name('role') }, rules: [rules[0]] })).is(422, {
        details: { causes: empty },
      });
      const inNamespace = 'namespaced rules cannot apply to non-resource URLs';
      (await t.post(roles(await t.namespace()), { metadata: { name: 'a' }, rules })).refuses(
        invalid(
          `Role.${rbac}`,
          'a',
          ...empty,
          wrong('rules[1].nonResourceURLs', ['/a'], inNamespace),
          wrong('rules[2].nonResourceURLs', ['/a'], inNamespace),
          wrong('rules[2].nonResourceURLs', ['/a'], both),
        ),
      );
    },

    'a role gathers by selectors, if it gathers at all': async (t) => {
      const name = t.name('role');
      (await t.post(clusterRoles, { metadata: { name }, aggregationRule: {} })).refuses(
        invalid(
          `ClusterRole.${rbac}`,
          name,
          required(
            'aggregationRule.clusterRoleSelectors',
            'at least one clusterRoleSelector required if aggregationRule is non-nil',
          ),
        ),
      );
    },

    'a role binding names a role and whom it is for': async (t) => {
      const path = roleBindings(await t.namespace());
      (await t.post(path, { metadata: { name: 'a' } })).refuses(
        invalid(
          `RoleBinding.${rbac}`,
          'a',
          unsupported('roleRef.kind', '', 'Role', 'ClusterRole'),
          required('roleRef.name'),
        ),
      );
      const subjects = [
        { kind: 'Robot', name: 'a' },
        { kind: 'User' },
        { kind: 'User', name: 'a', apiGroup: 'x' },
        { kind: 'ServiceAccount', name: 'A_' },
        { kind: 'ServiceAccount', name: 'a', apiGroup: 'x' },
        { kind: 'Group', name: 'g', namespace: 'ignored' },
      ];
      (
        await t.post(path, {
          metadata: { name: 'a' },
          roleRef: { apiGroup: 'x', kind: 'Robot', name: 'a/b' },
          subjects,
        })
      ).refuses(
        invalid(
          `RoleBinding.${rbac}`,
          'a',
          unsupported('roleRef.apiGroup', 'x', rbac),
          unsupported('roleRef.kind', 'Robot', 'Role', 'ClusterRole'),
          wrong('roleRef.name', 'a/b', "may not contain '/'"),
          unsupported('subjects[0].kind', 'Robot', 'ServiceAccount', 'User', 'Group'),
          required('subjects[1].name'),
          unsupported('subjects[2].apiGroup', 'x', rbac),
          wrong(
            'subjects[3].name',
            'A_',
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ),
          unsupported('subjects[4].apiGroup', 'x', ''),
        ),
      );
    },

    'a binding for the cluster names a cluster role, and service accounts with their namespace': async (t) => {
      const name = t.name('binding');
      const subjects = [{ kind: 'ServiceAccount', name: 'a' }, {}];
      (
        await t.post(clusterRoleBindings, { metadata: { name }, roleRef: { kind: 'Role', name: 'a' }, subjects })
      ).refuses(
        invalid(
          `ClusterRoleBinding.${rbac}`,
          name,
          unsupported('roleRef.kind', 'Role', 'ClusterRole'),
          required('subjects[0].namespace'),
          required('subjects[1].name'),
          unsupported('subjects[1].kind', '', 'ServiceAccount', 'User', 'Group'),
        ),
      );
    },

    'the group of role and subjects may be left out': async (t) => {
      const path = roleBindings(await t.namespace());
      const subjects = [
        { kind: 'User', name: 'a' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's' },
      ];
      (await t.post(path, { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 'r' }, subjects })).is(201, {
        roleRef: roleRef('Role', 'r'),
        subjects: [user('a'), group('g'), { kind: 'ServiceAccount', name: 's', apiGroup: undefined }],
      });
    },

    'a table shows the role of a binding, and who has it': async (t) => {
      const path = roleBindings(await t.namespace());
      const subjects = [
        user('u'),
        user('v'),
        group('g'),
        { kind: 'ServiceAccount', name: 's' },
        { kind: 'ServiceAccount', name: 's', namespace: 'other' },
      ];
      (await t.post(path, { metadata: { name: 'a' }, roleRef: roleRef('ClusterRole', 'view'), subjects })).is(201);
      const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
      const columns = (kind: string, role: RegExp) => [
        { name: 'Name', format: 'name', priority: 0 },
        { name: 'Role', description: role, priority: 0 },
        { name: 'Age', priority: 0 },
        { name: 'Users', description: `Users in the ${kind}`, priority: 1 },
        { name: 'Groups', description: `Groups in the ${kind}`, priority: 1 },
        { name: 'ServiceAccounts', description: `ServiceAccounts in the ${kind}`, priority: 1 },
      ];
      (await t.get(path, { headers })).is(200, {
        columnDefinitions: columns('roleBinding', /^RoleRef can reference a Role in the current namespace or /),
        rows: [{ cells: ['a', 'ClusterRole/view', age, 'u, v', 'g', '/s, other/s'] }],
      });
      (await t.get(`${clusterRoleBindings}/system:discovery`, { headers })).is(200, {
        columnDefinitions: columns('clusterRoleBinding', /^RoleRef can only reference a ClusterRole /),
        rows: [{ cells: ['system:discovery', 'ClusterRole/system:discovery', age, '', 'system:authenticated', ''] }],
      });
    },

    'nobody puts into a role what he does not hold': async (t) => {
      const namespace = await t.namespace();
      const account = await steward(t, namespace);
      const { headers } = account;
      const send = (path: string, body: object) =>
        t.session.stranger.send('POST', path, { query: dryRun, headers, body });
      const held = [
        rule('list', 'pods'),
        rule('get', 'deployments/scale', { apiGroups: ['apps'] }),
        rule('get', 'secrets', { resourceNames: ['b'] }),
      ];
      (await send(roles(namespace), { metadata: { name: 'a' }, rules: held })).is(201);
      const more = [
        rule('get delete list watch', 'pods nodes'),
        rule('get', 'deployments/scale deployments', { apiGroups: ['apps'] }),
        rule('get list', 'secrets', { resourceNames: ['a', 'c'] }),
      ];
      (await send(roles(namespace), { metadata: { name: 'a' }, rules: more })).refuses(
        notHeld(
          account,
          namespace,
          'roles',
          'a',
          '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete" "list" "watch"]}',
          '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}',
          '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["list"]}',
          '{APIGroups:[""], Resources:["secrets"], ResourceNames:["c"], Verbs:["get" "list"]}',
          '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}',
        ),
      );
      const paths = [{ verbs: ['get', 'post'], nonResourceURLs: ['/a/b', '/b'] }];
      (await send(clusterRoles, { metadata: { name: 'a' }, rules: paths })).refuses(
        notHeld(
          account,
          namespace,
          'clusterroles',
          'a',
          '{NonResourceURLs:["/a/b"], Verbs:["post"]}',
          '{NonResourceURLs:["/b"], Verbs:["get"]}',
          '{NonResourceURLs:["/b"], Verbs:["post"]}',
        ),
      );
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
      (await send(clusterRoles, { metadata: { name: 'a' }, aggregationRule })).refuses({
        code: 403,
        reason: 'Forbidden',
        message: `clusterroles.${rbac} "a" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
        details: { name: 'a', group: rbac, kind: 'clusterroles' },
      });
    },

    'an update is judged by all that the role then has': async (t) => {
      const namespace = await t.namespace();
      const account = await steward(t, namespace);
      const path = `${roles(namespace)}/strong`;
      (await t.post(roles(namespace), { metadata: { name: 'strong' }, rules: [rule('get', 'nodes')] })).is(201);
      const headers = { ...account.headers, 'content-type': 'application/merge-patch+json' };
      const patch = (body: object) => t.session.stranger.send('PATCH', path, { headers, body });
      (await patch({ metadata: { labels: { a: 'b' } } })).refuses(
        notHeld(account, namespace, 'roles', 'strong', '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}'),
      );
      // Except by what the garbage collector must be able to do.
      (await patch({ metadata: { finalizers: ['example.com/wait'] } })).is(200);
      (await patch({ metadata: { finalizers: null } })).is(200);
      (await patch({ rules: [rule('get', 'pods')], metadata: { labels: { a: 'b' } } })).is(200);
    },

    'nobody binds a role that has what he does not hold': async (t) => {
      const namespace = await t.namespace();
      const account = await steward(t, namespace);
      const send = (path: string, kind: 'Role' | 'ClusterRole', name: string) =>
        t.session.stranger.send('POST', path, {
          query: dryRun,
          headers: account.headers,
          body: { metadata: { name: 'a' }, roleRef: roleRef(kind, name), subjects: [user('jane')] },
        });
      const everything = ['{APIGroups:["*"], Resources:["*"], Verbs:["*"]}', '{NonResourceURLs:["*"], Verbs:["*"]}'];
      (await send(roleBindings(namespace), 'ClusterRole', 'cluster-admin')).refuses(
        notHeld(account, namespace, 'rolebindings', 'a', ...everything),
      );
      (await send(clusterRoleBindings, 'ClusterRole', 'cluster-admin')).refuses(
        notHeld(account, namespace, 'clusterrolebindings', 'a', ...everything),
      );
      (await t.post(roles(namespace), { metadata: { name: 'weak' }, rules: [rule('get', 'pods')] })).is(201);
      await t.eventually(async () => (await send(roleBindings(namespace), 'Role', 'weak')).is(201));
      // That the role is missing is said of the binding.
      (await send(roleBindings(namespace), 'Role', 'none')).refuses(notFound(`rolebindings.${rbac}`, 'none'));
      (await send(roleBindings(namespace), 'ClusterRole', 'none')).refuses(notFound(`rolebindings.${rbac}`, 'none'));
    },

    'the verbs escalate and bind lift that': async (t) => {
      const namespace = await t.namespace();
      const lifting = [
        rule('escalate', 'roles', { apiGroups: [rbac] }),
        rule('bind', 'clusterroles', { apiGroups: [rbac], resourceNames: ['cluster-admin'] }),
      ];
      const { headers } = await steward(t, namespace, ...lifting);
      const send = (path: string, body: object) =>
        t.session.stranger.send('POST', path, { query: dryRun, headers, body });
      const rules = [rule('*', '*', { apiGroups: ['*'] })];
      const binding = (role: string) => ({
        metadata: { name: 'a' },
        roleRef: roleRef('ClusterRole', role),
        subjects: [user('jane')],
      });
      (await send(roles(namespace), { metadata: { name: 'a' }, rules })).is(201);
      (await send(clusterRoles, { metadata: { name: 'a' }, rules })).is(403);
      (await send(roleBindings(namespace), binding('cluster-admin'))).is(201);
      (await send(roleBindings(namespace), binding('admin'))).is(403);
      (await send(clusterRoleBindings, binding('cluster-admin'))).is(201);
    },

    'who may not delete an object gives it no owner': {
      needs: 'owner permissions',
      async proof(t) {
        const namespace = await t.namespace();
        const account = await serviceAccount(t, namespace, 'steward');
        await grantEverywhere(
          t,
          account.user,
          rule('create patch', 'configmaps'),
          rule('delete', 'configmaps', { resourceNames: ['mine'] }),
        );
        const path = `/api/v1/namespaces/${namespace}/configmaps`;
        for (const name of ['mine', 'theirs']) (await t.post(path, configMap(name))).is(201);
        const owner = { apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: 'u' };
        const headers = { ...account.headers, 'content-type': 'application/merge-patch+json' };
        const patch = (name: string, metadata: object) =>
          t.session.stranger.send('PATCH', `${path}/${name}`, { headers, query: dryRun, body: { metadata } });
        (await patch('mine', { ownerReferences: [owner] })).is(200);
        (await patch('theirs', { labels: { a: 'b' } })).is(200);
        (await patch('theirs', { ownerReferences: [owner] })).refuses({
          code: 403,
          reason: 'Forbidden',
          message: 'configmaps "theirs" is forbidden: cannot set an ownerRef on a resource you can\'t delete: , <nil>',
          details: { name: 'theirs', kind: 'configmaps' },
        });
      },
    },

    'who may not set finalizers of an owner does not keep it from being deleted': {
      needs: 'owner permissions',
      async proof(t) {
        const namespace = await t.namespace();
        const account = await serviceAccount(t, namespace, 'steward');
        await grantEverywhere(t, account.user, rule('create', 'configmaps'), rule('update', 'secrets/finalizers'));
        const path = `/api/v1/namespaces/${namespace}/configmaps`;
        const create = (owner: object) =>
          t.session.stranger.send('POST', path, {
            headers: account.headers,
            query: dryRun,
            body: configMap('a', {}, { ownerReferences: [{ name: 'owner', uid: 'u', ...owner }] }),
          });
        const refused = (why: string): Refusal => ({
          code: 403,
          reason: 'Forbidden',
          message: `configmaps "a" is forbidden: ${why}`,
          details: { name: 'a', kind: 'configmaps' },
        });
        (await create({ apiVersion: 'v1', kind: 'ConfigMap' })).is(201);
        (await create({ apiVersion: 'v1', kind: 'Secret', blockOwnerDeletion: true })).is(201);
        (await create({ apiVersion: 'v1', kind: 'ConfigMap', blockOwnerDeletion: true })).refuses(
          refused(
            "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
          ),
        );
        (await create({ apiVersion: 'example.com/v1', kind: 'None', blockOwnerDeletion: true })).refuses(
          refused(
            'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion example.com/v1 Kind None: no matches for kind "None" in version "example.com/v1"',
          ),
        );
      },
    },
  },
};
