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
