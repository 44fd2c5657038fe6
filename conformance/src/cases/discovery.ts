/** Discovery, legacy and aggregated, and the paths that say that the server is well. */
import type { Area } from '../case.ts';
import { define, definition, widgets } from '../custom-resources.ts';
import { exactly, including } from '../match.ts';
import { customResourceDefinitions } from '../paths.ts';
import { noSuchResource } from '../refusals.ts';
import type { Trial } from '../trial.ts';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function aggregated(t: Trial, path: string, headers: Readonly<Record<string, string>> = {}) {
  return t.get(path, { headers: { accept: aggregatedType, ...headers } });
}

const deploymentsEntry = {
  resource: 'deployments',
  responseKind: { group: '', version: '', kind: 'Deployment' },
  scope: 'Namespaced',
  singularResource: 'deployment',
  verbs: allVerbs,
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: [
    {
      subresource: 'scale',
      responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      verbs: subresourceVerbs,
    },
    { subresource: 'status', responseKind: { group: '', version: '', kind: 'Deployment' }, verbs: subresourceVerbs },
  ],
};

export const discovery: Area = {
  name: 'discovery',
  proves: ['X1'],
  cases: {
    'an APIService that nobody answers for is stale, unavailable, and says why': async (t) => {
      const group = `${t.name('g')}.example.com`;
      const path = '/apis/apiregistration.k8s.io/v1/apiservices';
      const service = { namespace: 'default', name: 'nobody' };
      const spec = {
        group,
        version: 'v1',
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service,
      };
      (await t.post(path, { metadata: { name: `v1.${group}` }, spec })).is(201);
      await t.eventually(async () => {
        (await t.get(`${path}/v1.${group}`)).is(200, {
          status: {
            conditions: [
              {
                type: 'Available',
                status: 'False',
                reason: 'ServiceNotFound',
                message: 'service/nobody in "default" is not present',
              },
            ],
          },
        });
        for (const below of ['v1', 'v1/widgets', 'v1/namespaces/default/widgets/a']) {
          const answer = await t.get(`/apis/${group}/${below}`);
          answer.is(503);
          answer.judge(answer.text, 'service unavailable\n', 'the body');
        }
        const version = { groupVersion: `${group}/v1`, version: 'v1' };
        (await t.get(`/apis/${group}`)).is(200, { kind: 'APIGroup', name: group, versions: [version] });
        const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
        (await t.get('/apis', { headers: { accept } })).is(200, {
          items: including(exactly({ metadata: { name: group }, versions: [{ version: 'v1', freshness: 'Stale' }] })),
        });
      });
      (await t.delete(`${path}/v1.${group}`)).is(200);
      await t.eventually(async () => void (await t.get(`/apis/${group}/v1/widgets`)).is(404));
    },

    'the server is alive, ready and healthy': async (t) => {
      for (const path of ['/livez', '/readyz', '/healthz']) {
        const answer = await t.get(path);
        answer.is(200);
        answer.has('content-type', 'text/plain; charset=utf-8');
        answer.judge(answer.text, 'ok');
      }
    },

    'the server says its version': async (t) => {
      (await t.get('/version')).is(200, { major: '1', minor: /^\d+$/, gitVersion: /^v1\.\d+\.\d+/ });
    },

    '/api names the versions of the core group': async (t) => {
      (await t.get('/api')).is(200, {
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: /^.+:\d+$/ }],
      });
    },

    '/apis names the groups and the version that each prefers': async (t) => {
      const group = (name: string) => {
        const version = { groupVersion: `${name}/v1`, version: 'v1' };
        return exactly({ name, versions: [version], preferredVersion: version });
      };
      (await t.get('/apis')).is(200, {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: including(
          group('apps'),
          group('apiextensions.k8s.io'),
          group('coordination.k8s.io'),
          group('events.k8s.io'),
          group('rbac.authorization.k8s.io'),
        ),
      });
    },

    'a group says its versions': async (t) => {
      const version = { groupVersion: 'apps/v1', version: 'v1' };
      (await t.get('/apis/apps')).is(
        200,
        exactly({ kind: 'APIGroup', apiVersion: 'v1', name: 'apps', versions: [version], preferredVersion: version }),
      );
    },

    'a version of a group says its resources and subresources': async (t) => {
      const entry = { namespaced: true, kind: 'Deployment' };
      (await t.get('/apis/apps/v1')).is(200, {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: 'apps/v1',
        resources: including(
          exactly({
            ...entry,
            name: 'deployments',
            singularName: 'deployment',
            verbs: allVerbs,
            shortNames: ['deploy'],
            categories: ['all'],
            storageVersionHash: /^[\w+/]+=$/,
          }),
          exactly({ ...entry, name: 'deployments/status', singularName: '', verbs: subresourceVerbs }),
          exactly({
            ...entry,
            name: 'deployments/scale',
            singularName: '',
            group: 'autoscaling',
            version: 'v1',
            kind: 'Scale',
            verbs: subresourceVerbs,
          }),
          { name: 'replicasets', shortNames: ['rs'], categories: ['all'] },
        ),
      });
    },

    'the core version says its resources': async (t) => {
      const resource = (name: string, kind: string, shortNames: unknown, namespaced = true) => ({
        name,
        singularName: kind.toLowerCase(),
        namespaced,
        kind,
        verbs: allVerbs,
        shortNames,
      });
      (await t.get('/api/v1')).is(200, {
        kind: 'APIResourceList',
        groupVersion: 'v1',
        resources: including(
          resource('pods', 'Pod', ['po']),
          resource('services', 'Service', ['svc']),
          resource('configmaps', 'ConfigMap', ['cm']),
          resource('secrets', 'Secret', undefined),
          resource('events', 'Event', ['ev']),
          resource('serviceaccounts', 'ServiceAccount', ['sa']),
          // Namespaces cannot be deleted as a collection.
          {
            ...resource('namespaces', 'Namespace', ['ns'], false),
            verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
          },
          { name: 'namespaces/finalize', kind: 'Namespace', verbs: ['update'] },
          { name: 'namespaces/status', verbs: subresourceVerbs },
          { name: 'pods/status', verbs: subresourceVerbs },
        ),
      });
    },

    'an unknown group is plain text, an unknown version a Status': async (t) => {
      const answer = await t.get('/apis/doodads.example.com');
      answer.is(404);
      answer.judge(answer.text, '404 page not found\n');
      (await t.get('/apis/apps/v9')).refuses(noSuchResource);
    },

    'aggregated: /apis has all groups with their resources': async (t) => {
      const answer = await aggregated(t, '/apis');
      answer.has('content-type', aggregatedType);
      answer.has('vary', /Accept/);
      answer.is(200, {
        kind: 'APIGroupDiscoveryList',
        apiVersion: 'apidiscovery.k8s.io/v2',
        metadata: {},
        items: including({
          metadata: { name: 'apps' },
          versions: [{ version: 'v1', freshness: 'Current', resources: including(exactly(deploymentsEntry)) }],
        }),
      });
    },

    'aggregated: /api has the core group, which has no name': async (t) => {
      const answer = await aggregated(t, '/api');
      answer.has('content-type', aggregatedType);
      answer.is(200, {
        kind: 'APIGroupDiscoveryList',
        apiVersion: 'apidiscovery.k8s.io/v2',
        items: [
          {
            metadata: exactly({}),
            versions: [
              {
                version: 'v1',
                freshness: 'Current',
                resources: including(
                  exactly({
                    resource: 'configmaps',
                    responseKind: { group: '', version: '', kind: 'ConfigMap' },
                    scope: 'Namespaced',
                    singularResource: 'configmap',
                    verbs: allVerbs,
                    shortNames: ['cm'],
                  }),
                  { resource: 'namespaces', scope: 'Cluster' },
                ),
              },
            ],
          },
        ],
      });
    },

    'aggregated: the form that comes first of those that kubectl accepts is given': async (t) => {
      const accept = `${aggregatedType},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;
      (await aggregated(t, '/apis', { accept })).has('content-type', aggregatedType);
    },

    'aggregated: what has not changed is not sent again': async (t) => {
      // Other cases define kinds at the same time, which changes /apis but not /api.
      const first = await aggregated(t, '/api');
      first.has('etag', /^"[0-9A-F]+"$/);
      const second = await aggregated(t, '/api', { 'if-none-match': String(first.headers.etag) });
      second.is(304);
      second.judge(second.text, '');
    },

    'a custom resource appears': async (t) => {
      const widget = await widgets(t);
      const version = { groupVersion: widget.apiVersion, version: 'v1alpha1' };
      await t.eventually(async () => {
        (await t.get('/apis')).is(200, {
          groups: including(exactly({ name: widget.group, versions: [version], preferredVersion: version })),
        });
      });
      const entry = { singularName: '', namespaced: true, verbs: subresourceVerbs };
      (await t.get(`/apis/${widget.apiVersion}`)).is(200, {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: widget.apiVersion,
        resources: [
          exactly({
            name: 'widgets',
            singularName: 'widget',
            namespaced: true,
            kind: 'Widget',
            verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
            shortNames: ['wd'],
            categories: ['conformance'],
            storageVersionHash: /=$/,
          }),
          exactly({ ...entry, name: 'widgets/status', kind: 'Widget' }),
          exactly({ ...entry, name: 'widgets/scale', kind: 'Scale', group: 'autoscaling', version: 'v1' }),
        ],
      });
    },

    'aggregated: a custom resource appears': async (t) => {
      const widget = await widgets(t);
      const responseKind = { group: widget.group, version: 'v1alpha1', kind: 'Widget' };
      await t.eventually(async () => {
        (await aggregated(t, '/apis')).is(200, {
          items: including({
            metadata: { name: widget.group },
            versions: [
              {
                version: 'v1alpha1',
                freshness: 'Current',
                resources: [
                  exactly({
                    resource: 'widgets',
                    responseKind,
                    scope: 'Namespaced',
                    singularResource: 'widget',
                    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
                    shortNames: ['wd'],
                    categories: ['conformance'],
                    subresources: [
                      { subresource: 'status', responseKind, verbs: subresourceVerbs },
                      {
                        subresource: 'scale',
                        responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                        verbs: subresourceVerbs,
                      },
                    ],
                  }),
                ],
              },
            ],
          }),
        });
      });
    },

    'the versions of a custom resource are ordered by their maturity': async (t) => {
      const versions = ['v1alpha1', 'v2', 'v1beta1', 'v1', 'v10'].map((name) => ({
        ...definition().spec.versions[0],
        name,
        storage: name === 'v1',
      }));
      const { group } = await define(t, definition({}, { versions }));
      await t.eventually(async () => {
        (await t.get(`/apis/${group}`)).is(200, {
          versions: ['v10', 'v2', 'v1', 'v1beta1', 'v1alpha1'].map((version) => ({ version })),
          preferredVersion: { version: 'v10' },
        });
      });
    },

    'a custom resource disappears with its definition': async (t) => {
      const custom = await define(t, definition());
      await t.eventually(async () => (await t.get(`/apis/${custom.group}`)).is(200));
      (await t.delete(`${customResourceDefinitions}/${custom.crd}`)).is(200);
      await t.eventually(async () => {
        const answer = await aggregated(t, '/apis');
        const names = answer.is(200).items.map(({ metadata }) => metadata.name);
        answer.judge(names.includes(custom.group), false, 'still there');
      });
      await t.eventually(async () => (await t.get(`/apis/${custom.apiVersion}`)).is(404));
    },
  },
};
