/** Which rights a path asks for: namespaces, what lies below and beside them, subresources, paths that are no resources. */
import { access } from '../access.ts';
import type { Area } from '../case.ts';
import { rule } from '../identities.ts';

const everything = rule('*', '*', { apiGroups: ['*'] });
const onNamespaces = rule('get list watch create update patch delete deletecollection', 'namespaces');
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const namespace = (name: string) => ({ metadata: { name } });

export const accessPaths: Area = {
  name: 'access by path',
  proves: ['U1', 'E1'],
  cases: {
    // A namespace is in itself, and in no other.
    'a namespace is read by the rules in it': access(
      'mine',
      [onNamespaces],
      { request: 'GET /api/v1/namespaces/{mine}' },
      200,
    ),
    'a namespace is changed by the rules in it': access(
      'mine',
      [onNamespaces],
      { request: 'PUT /api/v1/namespaces/{mine}?dryRun=All', body: namespace('{mine}') },
      200,
    ),
    'a namespace is deleted by the rules in it': access(
      'mine',
      [onNamespaces],
      { request: 'DELETE /api/v1/namespaces/{mine}?dryRun=All' },
      200,
    ),
    'the rules in one namespace are none about another': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces/{theirs}' },
      { verb: 'get', resource: 'namespaces', namespace: 'theirs', name: 'theirs' },
    ),
    'the rules in one namespace delete no other': access(
      'mine',
      [everything],
      { request: 'DELETE /api/v1/namespaces/{theirs}' },
      { verb: 'delete', resource: 'namespaces', namespace: 'theirs', name: 'theirs' },
    ),
    'namespaces are listed above all of them': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces' },
      { verb: 'list', resource: 'namespaces' },
    ),
    'namespaces are made above all of them': access(
      'mine',
      [everything],
      { request: 'POST /api/v1/namespaces', body: namespace('{mine}-more') },
      { verb: 'create', resource: 'namespaces' },
    ),
    'another namespace cannot be read through this one': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces/{mine}/namespaces/{theirs}' },
      404,
    ),
    'another namespace cannot be replaced through this one': access(
      'mine',
      [everything],
      { request: 'PUT /api/v1/namespaces/{mine}/namespaces/{theirs}', body: namespace('{theirs}') },
      404,
    ),
    'another namespace cannot be patched through this one': access(
      'mine',
      [everything],
      {
        request: 'PATCH /api/v1/namespaces/{mine}/namespaces/{theirs}',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: {},
      },
      404,
    ),
    'another namespace cannot be deleted through this one': access(
      'mine',
      [everything],
      { request: 'DELETE /api/v1/namespaces/{mine}/namespaces/{theirs}' },
      404,
    ),
    'namespaces cannot be listed through one': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces/{mine}/namespaces' },
      404,
    ),
    'namespaces cannot be watched through one': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces/{mine}/namespaces?watch=true&timeoutSeconds=1' },
      404,
    ),
    'namespaces cannot be made through one': access(
      'mine',
      [everything],
      { request: 'POST /api/v1/namespaces/{mine}/namespaces', body: namespace('{mine}-more') },
      404,
    ),
    'the status of another namespace cannot be reached through this one': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces/{mine}/namespaces/{theirs}/status' },
      404,
    ),
    'a namespace cannot be reached through itself': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces/{mine}/namespaces/{mine}' },
      404,
    ),
    'nodes cannot be listed through a namespace': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces/{mine}/nodes' },
      404,
    ),
    'a node cannot be reached through a namespace': access(
      'mine',
      [everything],
      { request: 'DELETE /api/v1/namespaces/{mine}/nodes/none' },
      404,
    ),
    'cluster roles cannot be listed through a namespace': access(
      'mine',
      [everything],
      { request: `GET ${rbac}/namespaces/{mine}/clusterroles` },
      404,
    ),
    'a cluster role cannot be reached through a namespace': access(
      'mine',
      [everything],
      { request: `GET ${rbac}/namespaces/{mine}/clusterroles/cluster-admin` },
      404,
    ),
    'definitions cannot be listed through a namespace': access(
      'mine',
      [everything],
      { request: 'GET /apis/apiextensions.k8s.io/v1/namespaces/{mine}/customresourcedefinitions' },
      404,
    ),
    'reviews of the cluster cannot be made through a namespace': access(
      'mine',
      [everything],
      { request: 'POST /apis/authorization.k8s.io/v1/namespaces/{mine}/subjectaccessreviews', body: { spec: {} } },
      404,
    ),

    // What follows a namespace's name is a resource, but for two subresources of namespaces themselves.
    'status after a namespace is its subresource': access(
      'mine',
      [onNamespaces],
      { request: 'GET /api/v1/namespaces/{mine}/status' },
      { verb: 'get', resource: 'namespaces', subresource: 'status', namespace: 'mine', name: 'mine' },
    ),
    'finalize after a namespace is its subresource': access(
      'mine',
      [onNamespaces],
      { request: 'PUT /api/v1/namespaces/{mine}/finalize', body: namespace('{mine}') },
      { verb: 'update', resource: 'namespaces', subresource: 'finalize', namespace: 'mine', name: 'mine' },
    ),
    'the right to a status is asked for by its name': access(
      'mine',
      [rule('get', 'namespaces/status')],
      { request: 'GET /api/v1/namespaces/{mine}/status' },
      200,
    ),

    // The way in which a path is written changes nothing.
    'an escaped slash makes no other path': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces/{mine}%2F..%2F{theirs}/pods' },
      404,
    ),
    'an escaped slash parts like any other': access(
      'mine',
      [rule('list', 'pods')],
      { request: 'GET /api/v1/namespaces/{mine}%2Fpods' },
      200,
    ),
    'an escaped slash leads to a subresource': access(
      'mine',
      [rule('get', 'pods')],
      { request: 'GET /api/v1/namespaces/{mine}/pods/a%2Fstatus' },
      { verb: 'get', resource: 'pods', subresource: 'status', namespace: 'mine', name: 'a' },
    ),
    'no name between two slashes is no namespace': access(
      'mine',
      [everything],
      { request: 'GET /api/v1/namespaces//pods' },
      { verb: 'list', resource: 'pods' },
    ),
    'no name between two slashes is no resource either': access(
      'everywhere',
      [everything],
      { request: 'GET /api/v1//namespaces/{mine}/pods' },
      404,
    ),
    'an escape that is none is a bad request': access('mine', [], { request: 'GET /api/v1/namespaces/%zz/pods' }, 400),
    'an escaped letter is that letter': access(
      'mine',
      [rule('list', 'pods')],
      { request: 'GET /api/v1/namespaces/{mine}/%70ods' },
      200,
    ),
    'resources are written small': access(
      'mine',
      [rule('list', 'pods')],
      { request: 'GET /api/v1/namespaces/{mine}/Pods' },
      { verb: 'list', resource: 'Pods', namespace: 'mine' },
    ),
    'an old path of a watch asks for the right to watch': access(
      'mine',
      [rule('get list', 'pods')],
      { request: 'GET /api/v1/watch/namespaces/{mine}/pods' },
      { verb: 'watch', resource: 'pods', namespace: 'mine' },
    ),
    'an old path of a watch is about its namespace': access(
      'mine',
      [rule('watch', 'pods')],
      { request: 'GET /api/v1/watch/namespaces/{theirs}/pods?timeoutSeconds=1' },
      { verb: 'watch', resource: 'pods', namespace: 'theirs' },
    ),
    'all namespaces are more than one': access(
      'mine',
      [rule('list', 'pods')],
      { request: 'GET /api/v1/pods' },
      { verb: 'list', resource: 'pods' },
    ),

    // Groups.
    'a group is not another that has the same resource': access(
      'mine',
      [rule('list', 'events')],
      { request: 'GET /apis/events.k8s.io/v1/namespaces/{mine}/events' },
      { verb: 'list', group: 'events.k8s.io', resource: 'events', namespace: 'mine' },
    ),
    'the other group of events is asked for by its own name': access(
      'mine',
      [rule('list', 'events', { apiGroups: ['events.k8s.io'] })],
      { request: 'GET /apis/events.k8s.io/v1/namespaces/{mine}/events' },
      200,
    ),
    'a rule is not about one version': access(
      'mine',
      [rule('list', 'horizontalpodautoscalers', { apiGroups: ['autoscaling'] })],
      { request: 'GET /apis/autoscaling/v2/namespaces/{mine}/horizontalpodautoscalers' },
      200,
    ),
    'a version that is not there is refused before it is missed': access(
      'mine',
      [],
      { request: 'GET /apis/apps/v9/namespaces/{mine}/deployments' },
      { verb: 'list', group: 'apps', resource: 'deployments', namespace: 'mine' },
    ),

    // Paths that are no resources.
    'a path needs a right of its own': access(
      'everywhere',
      [everything],
      { request: 'GET /metrics' },
      { verb: 'get', path: '/metrics' },
    ),
    'a right to resources is none to what lies beside them': access(
      'everywhere',
      [everything],
      { request: 'GET /logs/' },
      { verb: 'get', path: '/logs/' },
    ),
    'the method of a path is its verb': access(
      'everywhere',
      [{ verbs: ['get'], nonResourceURLs: ['/none/*'] }],
      { request: 'POST /none/a', body: {} },
      { verb: 'post', path: '/none/a' },
    ),
    'a star ends a path and means all that begins so': access(
      'everywhere',
      [{ verbs: ['get'], nonResourceURLs: ['/none/*'] }],
      { request: 'GET /none/a/b' },
      404,
    ),
    'a path that ends without a star means itself': access(
      'everywhere',
      [{ verbs: ['get'], nonResourceURLs: ['/none'] }],
      { request: 'GET /none/a' },
      { verb: 'get', path: '/none/a' },
    ),
    'a star alone means every path': access(
      'everywhere',
      [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      { request: 'DELETE /none/a' },
      404,
    ),
    'a right to every path is none to resources': access(
      'everywhere',
      [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      { request: 'GET /api/v1/nodes' },
      { verb: 'list', resource: 'nodes' },
    ),
    'everybody may read which groups there are': access('mine', [], { request: 'GET /apis' }, 200),
    'everybody may read which resources a group has': access('mine', [], { request: 'GET /apis/apps/v1' }, 200),
    'everybody may read the documents of the API': access('mine', [], { request: 'GET /openapi/v3' }, 200),
    'everybody may read the version': access('mine', [], { request: 'GET /version' }, 200),
    'everybody may read whether the server is ready': access('mine', [], { request: 'GET /readyz' }, 200),
    'single checks of health are not for everybody': access(
      'mine',
      [],
      { request: 'GET /readyz/ping' },
      { verb: 'get', path: '/readyz/ping' },
    ),
    'everybody may ask what he may do': access(
      'mine',
      [],
      {
        request: 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
      },
      201,
    ),
    'what others may do is not for everybody': access(
      'mine',
      [],
      { request: 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews', body: { spec: { user: 'x' } } },
      { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
    ),
  },
};
