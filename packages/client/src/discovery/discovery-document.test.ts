import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAggregated, readGroup } from './discovery-document.ts';

const deployments = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  resource: 'deployments',
  scope: 'Namespaced',
  singular: 'deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  verbs: ['get', 'list'],
  subresources: ['scale', 'status'],
};

test('everything at once', () => {
  const document = readAggregated({
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'apps' },
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'deployments',
                responseKind: { group: '', version: '', kind: 'Deployment' },
                scope: 'Namespaced',
                singularResource: 'deployment',
                shortNames: ['deploy'],
                categories: ['all'],
                verbs: ['get', 'list'],
                subresources: [{ subresource: 'scale' }, { subresource: 'status' }],
              },
            ],
          },
        ],
      },
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            resources: [
              { resource: 'nodes', responseKind: { kind: 'Node' }, scope: 'Cluster', verbs: ['get'] },
              { resource: 'onlysubresources', scope: 'Namespaced', verbs: [] },
            ],
          },
          { version: 'v2' },
        ],
      },
    ],
  });
  assert.ok(document.type === 'findings');
  assert.deepEqual(document.failures, []);
  assert.deepEqual(document.kinds, [
    deployments,
    {
      group: '',
      version: 'v1',
      kind: 'Node',
      resource: 'nodes',
      scope: 'Cluster',
      singular: '',
      shortNames: [],
      categories: [],
      verbs: ['get'],
      subresources: [],
    },
  ]);
});

test('a group whose server does not answer is told from one that has nothing', () => {
  const document = readAggregated({
    kind: 'APIGroupDiscoveryList',
    items: [
      { metadata: { name: 'silent.example' }, versions: [{ version: 'v1', freshness: 'Stale' }] },
      { metadata: { name: 'empty.example' }, versions: [{ version: 'v1', freshness: 'Current', resources: [] }] },
      {
        metadata: { name: 'remembered.example' },
        versions: [
          {
            version: 'v1',
            freshness: 'Stale',
            resources: [{ resource: 'olds', responseKind: { kind: 'Old' }, scope: 'Cluster', verbs: [] }],
          },
        ],
      },
    ],
  });
  assert.ok(document.type === 'findings');
  assert.deepEqual(
    document.kinds.map(({ kind }) => kind),
    ['Old'],
  );
  assert.deepEqual(
    document.failures.map(({ group, version, error }) => [group, version, error.message]),
    [
      [
        'silent.example',
        'v1',
        'discover silent.example/v1: the server of this group does not answer; look at its APIService',
      ],
      [
        'remembered.example',
        'v1',
        'discover remembered.example/v1: the server of this group does not answer; look at its APIService',
      ],
    ],
  );
});

test('an index, and a document for each group version', () => {
  assert.deepEqual(readAggregated({ kind: 'APIVersions', versions: ['v1'] }), { type: 'index', paths: ['/api/v1'] });
  const groups = [{ versions: [{ groupVersion: 'apps/v1' }, { groupVersion: 'apps/v1beta1' }] }];
  assert.deepEqual(readAggregated({ kind: 'APIGroupList', groups }), {
    type: 'index',
    paths: ['/apis/apps/v1', '/apis/apps/v1beta1'],
  });
  const kind = 'Deployment';
  assert.deepEqual(
    readGroup({
      groupVersion: 'apps/v1',
      resources: [
        {
          name: 'deployments',
          singularName: 'deployment',
          namespaced: true,
          kind,
          verbs: ['get', 'list'],
          shortNames: ['deploy'],
          categories: ['all'],
        },
        { name: 'deployments/scale', namespaced: true, kind: 'Scale', verbs: ['get'] },
        { name: 'deployments/status', namespaced: true, kind, verbs: ['get'] },
      ],
    }),
    [deployments],
  );
  assert.deepEqual(readGroup({ groupVersion: 'v1', resources: [] }), []);
});

test('a document of many resources looks at each a few times, and not at all of them for each', () => {
  let looks = 0;
  const resources = Array.from({ length: 1000 }, (_, i) => ({
    get name() {
      looks += 1;
      return i % 2 === 0 ? `r${i}` : `r${i - 1}/status`;
    },
    kind: 'R',
    namespaced: true,
    verbs: [],
  }));
  const kinds = readGroup({ groupVersion: 'example.com/v1', resources });
  assert.equal(kinds.length, 500);
  assert.ok(kinds.every(({ subresources }) => subresources.join() === 'status'));
  assert.ok(looks <= 5 * resources.length, `${looks} looks`);
});
