/** Which rights a method asks for: verbs, subresources, names, and the objects that a write makes on its way. */
import { access, accessByToken } from '../access.ts';
import type { Area } from '../case.ts';
import { rule } from '../identities.ts';
import { configMap, lease, pod } from '../objects.ts';

const maps = '/api/v1/namespaces/{mine}/configmaps';
const podPath = '/api/v1/namespaces/{mine}/pods';
const leasePath = '/apis/coordination.k8s.io/v1/namespaces/{mine}/leases';
const rolePath = '/apis/rbac.authorization.k8s.io/v1/namespaces/{mine}';
const apply = { 'content-type': 'application/apply-patch+yaml' };
const merge = { 'content-type': 'application/merge-patch+json' };
const onLeases = (verbs: string) => rule(verbs, 'leases', { apiGroups: ['coordination.k8s.io'] });
const onRoles = (verbs: string, resources = 'roles') =>
  rule(verbs, resources, { apiGroups: ['rbac.authorization.k8s.io'] });
const role = { metadata: { name: 'more' }, rules: [rule('get', 'secrets')] };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const named = (verbs: string, resources: string, ...resourceNames: readonly string[]) =>
  rule(verbs, resources, { resourceNames });

export const accessVerbs: Area = {
  name: 'access by verb',
  proves: ['U1', 'E1'],
  cases: {
    // A write that makes an object needs the right to make it.
    'an apply that changes an object needs no right to make one': access(
      'mine',
      [rule('patch', 'configmaps')],
      {
        given: [maps, configMap('a')],
        request: `PATCH ${maps}/a?fieldManager=one`,
        headers: apply,
        body: configMap('a'),
      },
      200,
    ),
    'an update that changes an object needs no right to make one': access(
      'mine',
      [onRoles('update')],
      {
        given: [`${rolePath}/roles`, { metadata: { name: 'a' } }],
        request: `PUT ${rolePath}/roles/a`,
        body: { metadata: { name: 'a' } },
      },
      200,
    ),
    'an apply that makes an object by right does so': access(
      'mine',
      [rule('patch create', 'configmaps')],
      { request: `PATCH ${maps}/a?fieldManager=one`, headers: apply, body: configMap('a') },
      201,
    ),
    'an apply that would make an object needs the right to': access(
      'mine',
      [rule('patch', 'configmaps')],
      { request: `PATCH ${maps}/a?fieldManager=one`, headers: apply, body: configMap('a') },
      { verb: 'create', resource: 'configmaps', namespace: 'mine', name: 'a' },
    ),
    'a dry apply that would make an object needs the right to': access(
      'mine',
      [rule('patch', 'configmaps')],
      { request: `PATCH ${maps}/a?fieldManager=one&dryRun=All`, headers: apply, body: configMap('a') },
      { verb: 'create', resource: 'configmaps', namespace: 'mine', name: 'a' },
    ),
    'an update that would make an object needs the right to': access(
      'mine',
      [onLeases('update get')],
      { request: `PUT ${leasePath}/a`, body: lease('a') },
      { verb: 'create', group: 'coordination.k8s.io', resource: 'leases', namespace: 'mine', name: 'a' },
    ),
    'an update that makes an object by right does so': access(
      'mine',
      [onLeases('update create')],
      { request: `PUT ${leasePath}/a`, body: lease('a') },
      201,
    ),
    'the right to make one object of that name is enough': access(
      'mine',
      [onLeases('update'), { ...onLeases('create'), resourceNames: ['a'] }],
      { request: `PUT ${leasePath}/a`, body: lease('a') },
      201,
    ),
    'where an update makes nothing, the right to make is not asked for': access(
      'mine',
      [rule('update', 'configmaps')],
      { request: `PUT ${maps}/a`, body: configMap('a') },
      404,
    ),
    'a merge patch makes nothing': access(
      'mine',
      [rule('patch', 'configmaps')],
      { request: `PATCH ${maps}/a`, headers: merge, body: {} },
      404,
    ),
    'the right to make objects is none to apply them': access(
      'mine',
      [rule('create update', 'configmaps')],
      { request: `PATCH ${maps}/a?fieldManager=one`, headers: apply, body: configMap('a') },
      { verb: 'patch', resource: 'configmaps', namespace: 'mine', name: 'a' },
    ),

    // Verbs.
    'the right to update is none to patch': access(
      'mine',
      [rule('update', 'configmaps')],
      { request: `PATCH ${maps}/a`, headers: merge, body: {} },
      { verb: 'patch', resource: 'configmaps', namespace: 'mine', name: 'a' },
    ),
    'the right to delete is none to delete many': access(
      'mine',
      [rule('delete', 'configmaps')],
      { request: `DELETE ${maps}` },
      { verb: 'deletecollection', resource: 'configmaps', namespace: 'mine' },
    ),
    'the right to delete many is none to delete one': access(
      'mine',
      [rule('deletecollection', 'configmaps')],
      { request: `DELETE ${maps}/a` },
      { verb: 'delete', resource: 'configmaps', namespace: 'mine', name: 'a' },
    ),
    'the right to delete many needs none to list': access(
      'mine',
      [rule('deletecollection', 'configmaps')],
      { request: `DELETE ${maps}?labelSelector=none=none` },
      200,
    ),
    'the right to list is none to watch': access(
      'mine',
      [rule('list', 'configmaps')],
      { request: `GET ${maps}?watch=1` },
      { verb: 'watch', resource: 'configmaps', namespace: 'mine' },
    ),
    'the right to watch is none to list': access(
      'mine',
      [rule('watch', 'configmaps')],
      { request: `GET ${maps}` },
      { verb: 'list', resource: 'configmaps', namespace: 'mine' },
    ),
    'a watch that is not wanted is a list': access(
      'mine',
      [rule('list', 'configmaps')],
      { request: `GET ${maps}?watch=false` },
      200,
    ),
    'a watch shows what there is without the right to list': access(
      'mine',
      [rule('watch', 'configmaps')],
      { request: `GET ${maps}?watch=true&timeoutSeconds=1` },
      200,
    ),
    'the right to read one is none to list': access(
      'mine',
      [rule('get', 'configmaps')],
      { request: `GET ${maps}` },
      { verb: 'list', resource: 'configmaps', namespace: 'mine' },
    ),
    'what is asked of one object is no watch': access(
      'mine',
      [rule('get', 'configmaps')],
      { request: `GET ${maps}/a?watch=true` },
      404,
    ),
    'verbs are written small': access(
      'mine',
      [rule('LIST get', 'configmaps')],
      { request: `GET ${maps}` },
      { verb: 'list', resource: 'configmaps', namespace: 'mine' },
    ),

    // Names.
    'a name in a rule lets that object be changed': access(
      'mine',
      [named('update', 'configmaps', 'a')],
      { request: `PUT ${maps}/a`, body: configMap('a') },
      404,
    ),
    'a name in a rule lets no other be changed': access(
      'mine',
      [named('update', 'configmaps', 'a')],
      { request: `PUT ${maps}/b`, body: configMap('b') },
      { verb: 'update', resource: 'configmaps', namespace: 'mine', name: 'b' },
    ),
    'the name in the path counts, not the one in the body': access(
      'mine',
      [named('update', 'configmaps', 'a')],
      { request: `PUT ${maps}/b`, body: configMap('a') },
      { verb: 'update', resource: 'configmaps', namespace: 'mine', name: 'b' },
    ),
    'a rule with names deletes not many': access(
      'mine',
      [named('deletecollection', 'configmaps', 'a')],
      { request: `DELETE ${maps}` },
      { verb: 'deletecollection', resource: 'configmaps', namespace: 'mine' },
    ),
    'a rule with names deletes many that are that one': access(
      'mine',
      [named('deletecollection', 'configmaps', 'a')],
      { request: `DELETE ${maps}?fieldSelector=metadata.name=a` },
      { verb: 'deletecollection', resource: 'configmaps', namespace: 'mine' },
    ),
    'a rule with names watches that one': access(
      'mine',
      [named('watch', 'configmaps', 'a')],
      { request: `GET ${maps}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name=a` },
      200,
    ),
    'two selected names are no name': access(
      'mine',
      [named('list', 'configmaps', 'a')],
      { request: `GET ${maps}?fieldSelector=metadata.name=a,metadata.name=a` },
      200,
    ),
    'a name in a rule counts for its subresource': access(
      'mine',
      [named('get', 'pods/status', 'a')],
      { request: `GET ${podPath}/a/status` },
      404,
    ),
    'a star is no name': access(
      'mine',
      [named('get', 'configmaps', '*')],
      { request: `GET ${maps}/a` },
      { verb: 'get', resource: 'configmaps', namespace: 'mine', name: 'a' },
    ),

    // Subresources.
    'a log is read by the right to logs': access(
      'mine',
      [rule('get', 'pods/log')],
      { request: `GET ${podPath}/a/log` },
      404,
    ),
    'the right to pods is none to their logs': access(
      'mine',
      [rule('*', 'pods')],
      { request: `GET ${podPath}/a/log` },
      { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'mine', name: 'a' },
    ),
    'a status is changed by the right to it': access(
      'mine',
      [rule('patch', 'pods/status')],
      { request: `PATCH ${podPath}/a/status`, headers: merge, body: {} },
      404,
    ),
    'the right to a status is none to the object': access(
      'mine',
      [rule('patch', 'pods/status')],
      { request: `PATCH ${podPath}/a`, headers: merge, body: {} },
      { verb: 'patch', resource: 'pods', namespace: 'mine', name: 'a' },
    ),
    'who evicts makes an eviction': access(
      'mine',
      [rule('create', 'pods/eviction')],
      {
        request: `POST ${podPath}/a/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } },
      },
      404,
    ),
    'the right to delete pods is none to evict them': access(
      'mine',
      [rule('delete create', 'pods')],
      {
        request: `POST ${podPath}/a/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } },
      },
      { verb: 'create', resource: 'pods', subresource: 'eviction', namespace: 'mine', name: 'a' },
    ),
    'who binds a pod makes a binding': access(
      'mine',
      [rule('create', 'pods')],
      { request: `POST ${podPath}/a/binding`, body: { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } } },
      { verb: 'create', resource: 'pods', subresource: 'binding', namespace: 'mine', name: 'a' },
    ),
    'a token is made by a right of its own': access(
      'mine',
      [rule('*', 'serviceaccounts')],
      { request: 'POST /api/v1/namespaces/{mine}/serviceaccounts/default/token', body: { spec: {} } },
      { verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: 'mine', name: 'default' },
    ),
    'a scale is changed by a right of its own': access(
      'mine',
      [rule('*', 'deployments', { apiGroups: ['apps'] })],
      { request: 'PATCH /apis/apps/v1/namespaces/{mine}/deployments/a/scale', headers: merge, body: {} },
      { verb: 'patch', group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'mine', name: 'a' },
    ),
    'running a program in a pod is a right of its own': access(
      'mine',
      [rule('*', 'pods')],
      { request: `POST ${podPath}/a/exec?command=id` },
      { verb: 'create', resource: 'pods', subresource: 'exec', namespace: 'mine', name: 'a' },
    ),
    'running a program by GET asks for the right to get': access(
      'mine',
      [rule('create', 'pods/exec')],
      { request: `GET ${podPath}/a/exec?command=id` },
      { verb: 'get', resource: 'pods', subresource: 'exec', namespace: 'mine', name: 'a' },
    ),
    'reaching a port is a right of its own': access(
      'mine',
      [rule('*', 'pods')],
      { request: `POST ${podPath}/a/portforward` },
      { verb: 'create', resource: 'pods', subresource: 'portforward', namespace: 'mine', name: 'a' },
    ),
    'the way through to a service is a right of its own': access(
      'mine',
      [rule('*', 'services')],
      { request: 'GET /api/v1/namespaces/{mine}/services/a/proxy/path' },
      { verb: 'get', resource: 'services', subresource: 'proxy', namespace: 'mine', name: 'a' },
    ),
    'the way through to a service knows methods': access(
      'mine',
      [rule('get', 'services/proxy')],
      { request: 'POST /api/v1/namespaces/{mine}/services/http:a:80/proxy/path' },
      { verb: 'create', resource: 'services', subresource: 'proxy', namespace: 'mine', name: 'http:a:80' },
    ),
    'the way through to a node is above namespaces': access(
      'mine',
      [rule('*', '*')],
      { request: 'GET /api/v1/nodes/n/proxy/metrics' },
      { verb: 'get', resource: 'nodes', subresource: 'proxy', name: 'n' },
    ),
    'the right to a subresource that is not there is none to another': access(
      'mine',
      [rule('get', 'pods/none')],
      { request: `GET ${podPath}/a/none` },
      404,
    ),

    // Rights that are about rights.
    'a role with more than its maker has is refused': access(
      'mine',
      [onRoles('create')],
      { request: `POST ${rolePath}/roles`, body: role },
      403,
    ),
    'who may escalate makes it': access(
      'mine',
      [onRoles('create escalate')],
      { request: `POST ${rolePath}/roles`, body: role },
      201,
    ),
    'who holds the rules makes it': access(
      'mine',
      [onRoles('create'), rule('get', 'secrets')],
      { request: `POST ${rolePath}/roles`, body: role },
      201,
    ),
    'who applies a role with more is refused too': access(
      'mine',
      [onRoles('create patch')],
      {
        request: `PATCH ${rolePath}/roles/more?fieldManager=one`,
        headers: apply,
        body: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', ...role },
      },
      403,
    ),
    'a binding of more than its maker has is refused': access(
      'mine',
      [onRoles('create', 'rolebindings')],
      { request: `POST ${rolePath}/rolebindings`, body: { metadata: { name: 'b' }, roleRef } },
      403,
    ),
    'who may bind that role binds it': access(
      'mine',
      [onRoles('create', 'rolebindings'), { ...onRoles('bind', 'clusterroles'), resourceNames: ['view'] }],
      { request: `POST ${rolePath}/rolebindings`, body: { metadata: { name: 'b' }, roleRef } },
      201,
    ),
    'who may bind another role does not bind this one': access(
      'mine',
      [onRoles('create', 'rolebindings'), { ...onRoles('bind', 'clusterroles'), resourceNames: ['edit'] }],
      { request: `POST ${rolePath}/rolebindings`, body: { metadata: { name: 'b' }, roleRef } },
      403,
    ),
    'the verb impersonate is about a name': accessByToken(
      [named('impersonate', 'users', 'paul')],
      { request: `GET ${maps}`, headers: { 'impersonate-user': 'paul' } },
      403,
    ),
    'who may act as somebody has the rights of that one': accessByToken(
      [named('impersonate', 'groups', 'system:masters'), named('impersonate', 'users', 'paul')],
      { request: `GET ${maps}`, headers: { 'impersonate-user': 'paul', 'impersonate-group': 'system:masters' } },
      200,
    ),
    'who acts as somebody has not his own rights': accessByToken(
      [named('impersonate', 'users', 'paul'), rule('list', 'configmaps')],
      { request: `GET ${maps}`, headers: { 'impersonate-user': 'paul' } },
      403,
    ),
    'a token is good without any rule for what everybody may': accessByToken([], { request: 'GET /apis' }, 200),

    // What an object says does not widen what may be done.
    'a pod of another namespace is not made by its body': access(
      'mine',
      [rule('*', 'pods')],
      { request: `POST ${podPath}?dryRun=All`, body: pod('a', {}, { namespace: '{theirs}' }) },
      400,
    ),
    'a name that is generated asks for the right to create': access(
      'mine',
      [rule('create', 'configmaps')],
      { request: `POST ${maps}?dryRun=All`, body: { metadata: { generateName: 'a-' } } },
      201,
    ),
  },
};
