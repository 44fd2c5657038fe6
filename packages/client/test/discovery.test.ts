import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, createClient, createDiscovery } from '../src/index.ts';
import { configFor, type Script, sendJson, startServer } from './scripted-server.ts';
import { until } from './until.ts';

const resource = (name: string, kind: string) => ({
  resource: name,
  responseKind: { kind },
  scope: 'Namespaced',
  verbs: ['get'],
});

async function setup(script: Script) {
  const server = await startServer(script);
  const transport = connect(configFor(server.url));
  return {
    server,
    isAggregated: true,
    discovery: createDiscovery(createClient({ transport })),
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('a kind that appears is found without a restart, and what is known is not asked for again', async () => {
  const widgets = [{ version: 'v1', resources: [resource('widgets', 'Widget')] }];
  await using given = await setup(({ path }, response) =>
    sendJson(response, {
      kind: 'APIGroupDiscoveryList',
      items: path === '/api' ? [] : [{ metadata: { name: 'example.com' }, versions: widgets }],
    }),
  );
  const { server, discovery } = given;
  assert.equal((await discovery.find({ group: 'example.com', kind: 'Widget' }))?.resource, 'widgets');
  assert.equal((await discovery.find({ group: 'example.com', version: 'v1', resource: 'widgets' }))?.kind, 'Widget');
  assert.equal((await discovery.all()).length, 1);
  assert.equal(server.requests.length, 2);

  assert.equal(await discovery.find({ group: 'example.com', kind: 'Gadget' }), undefined);
  assert.equal(server.requests.length, 4);
  widgets.unshift({ version: 'v2', resources: [resource('gadgets', 'Gadget'), resource('widgets', 'Widget')] });
  const found = await Promise.all([1, 2, 3].map(() => discovery.find({ group: 'example.com', kind: 'Gadget' })));
  assert.deepEqual(
    found.map((kind) => kind?.version),
    ['v2', 'v2', 'v2'],
  );
  assert.equal(server.requests.length, 6, 'three questions, one look');
  assert.equal((await discovery.find({ group: 'example.com', kind: 'Widget' }))?.version, 'v2', 'the preferred one');
  discovery.invalidate();
  await discovery.all();
  assert.equal(server.requests.length, 8);
});

test('a look that began before a kind appeared does not hide it', async () => {
  let isInstalled = false;
  let hold = true;
  const waiting: (() => void)[] = [];
  await using given = await setup(({ path }, response) => {
    const resources = isInstalled ? [resource('widgets', 'Widget')] : [];
    const items =
      path === '/api' ? [] : [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources }] }];
    const answer = () => sendJson(response, { kind: 'APIGroupDiscoveryList', items });
    if (hold) waiting.push(answer);
    else answer();
  });
  const early = given.discovery.all();
  await until(() => waiting.length === 2);
  isInstalled = true;
  const late = given.discovery.find({ group: 'example.com', kind: 'Widget' });
  hold = false;
  for (const answer of waiting) answer();
  assert.equal((await early).length, 0);
  assert.equal((await late)?.resource, 'widgets');
});

test('what is learned before an invalidation is not kept after it', async () => {
  let plural = 'widgets';
  const waiting: (() => void)[] = [];
  await using given = await setup(({ path }, response) => {
    const versions = [{ version: 'v1', resources: [resource(plural, 'Widget')] }];
    const items = path === '/api' ? [] : [{ metadata: { name: 'example.com' }, versions }];
    waiting.push(() => sendJson(response, { kind: 'APIGroupDiscoveryList', items }));
  });
  const { discovery } = given;
  const early = discovery.all();
  await until(() => waiting.length === 2);
  plural = 'gizmos';
  discovery.invalidate();
  const late = discovery.find({ group: 'example.com', kind: 'Widget' });
  await until(() => waiting.length === 4);
  for (const answer of waiting.splice(2)) answer();
  assert.equal((await late)?.resource, 'gizmos');
  for (const answer of waiting.splice(0)) answer(); // the older look lands last
  assert.equal((await early)[0]?.resource, 'widgets');
  assert.equal((await discovery.find({ group: 'example.com', kind: 'Widget' }))?.resource, 'gizmos');
  assert.equal((await discovery.all())[0]?.resource, 'gizmos');
  assert.equal(given.server.requests.length, 4);
});

test('JSON that is no discovery is an error that names the path', async () => {
  for (const answer of [null, 'ok', [], { kind: 'APIGroupDiscoveryList', items: [null] }, { groups: [{}] }]) {
    await using given = await setup((_request, response) => sendJson(response, answer));
    await assert.rejects(given.discovery.all(), {
      name: 'TransportError',
      message: /^get \/apis?: the answer (does not have the form of discovery$|is .* and not an object)/,
    });
  }
});

test('a group whose server does not answer hides no other, in both forms', async () => {
  const unavailable = {
    kind: 'Status',
    reason: 'ServiceUnavailable',
    code: 503,
    message: 'unable to handle the request',
  };
  await using given = await setup(({ path, headers }, response) => {
    if (path === '/apis/silent.example/v1')
      sendJson(response, unavailable, 501); // not 503: that is asked again later
    else if (path === '/apis/apps/v1') {
      const deployments = { name: 'deployments', namespaced: true, kind: 'Deployment', verbs: [] };
      sendJson(response, { groupVersion: 'apps/v1', resources: [deployments] });
    } else if (path === '/api') sendJson(response, { kind: 'APIVersions', versions: [] });
    else if (given.isAggregated && headers.accept?.includes('apidiscovery')) {
      const items = [
        { metadata: { name: 'silent.example' }, versions: [{ version: 'v1', freshness: 'Stale' }] },
        {
          metadata: { name: 'apps' },
          versions: [{ version: 'v1', resources: [resource('deployments', 'Deployment')] }],
        },
      ];
      sendJson(response, { kind: 'APIGroupDiscoveryList', items });
    } else {
      const groups = ['silent.example/v1', 'apps/v1'].map((groupVersion) => ({ versions: [{ groupVersion }] }));
      sendJson(response, { kind: 'APIGroupList', groups });
    }
  });
  for (const [isAggregated, message] of [
    [false, 'get /apis/silent.example/v1: unable to handle the request'],
    [true, 'discover silent.example/v1: the server of this group does not answer; look at its APIService'],
  ] as const) {
    given.isAggregated = isAggregated;
    given.discovery.invalidate();
    assert.equal((await given.discovery.find({ group: 'apps', kind: 'Deployment' }))?.resource, 'deployments');
    assert.equal((await given.discovery.all()).length, 1);
    assert.equal(await given.discovery.find({ group: 'example.com', kind: 'Widget' }), undefined);
    await assert.rejects(given.discovery.find({ group: 'silent.example', kind: 'Thing' }), {
      name: 'ApiError',
      message,
    });
    await assert.rejects(given.discovery.find({ group: 'silent.example', version: 'v1', kind: 'Thing' }), { message });
    assert.equal(await given.discovery.find({ group: 'silent.example', version: 'v2', kind: 'Thing' }), undefined);
  }
});

test('a server that tells one group version at a time is understood', async () => {
  await using given = await setup(({ path }, response) => {
    const answers: Record<string, unknown> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': { kind: 'APIGroupList', groups: [{ versions: [{ groupVersion: 'apps/v1' }] }] },
      '/api/v1': {
        groupVersion: 'v1',
        resources: [{ name: 'nodes', namespaced: false, kind: 'Node', verbs: ['get'] }],
      },
      '/apis/apps/v1': {
        groupVersion: 'apps/v1',
        resources: [{ name: 'deployments', namespaced: true, kind: 'Deployment', verbs: [] }],
      },
    };
    sendJson(response, answers[path]);
  });
  assert.equal((await given.discovery.find({ group: '', kind: 'Node' }))?.scope, 'Cluster');
  assert.equal((await given.discovery.find({ group: 'apps', resource: 'deployments' }))?.scope, 'Namespaced');
});

test('an index of more group versions than any server has is refused, and none of them is asked for', async () => {
  const versions = Array.from({ length: 5001 }, (_, i) => ({ groupVersion: `example.com/v${i}` }));
  await using given = await setup(({ path }, response) =>
    sendJson(response, path === '/apis' ? { kind: 'APIGroupList', groups: [{ versions }] } : { kind: 'APIVersions' }),
  );
  await assert.rejects(given.discovery.all(), { message: /^get \/apis: it names 5001 group versions/ });
  assert.equal(given.server.requests.length, 2);
});
