import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer, type Talk } from './fixtures.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const definition = (version: object = {}) => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } }, default: {} },
            },
          },
        },
        ...version,
      },
    ],
  },
});

const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const widget = (name: string, more: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...more },
});

const groups = async (talk: Talk) =>
  (await talk.ok('GET', '/apis')).groups.map(({ name }: { name: string }) => name) as string[];

test('a kind is served as soon as its definition was created, and gone with it', async () => {
  await using started = startServer();
  const { talk } = started;
  const created = await talk.ok('POST', definitions, definition());
  assert.equal(created.status.conditions, null);
  assert.ok((await groups(talk)).includes('example.com'));
  assert.equal((await talk.ok('POST', widgets, widget('a'))).spec.size, 1);
  const { paths } = JSON.parse((await talk.send('GET', '/openapi/v3')).text);
  assert.ok(paths['apis/example.com/v1']);
  const document = await talk.ok('GET', paths['apis/example.com/v1'].serverRelativeURL);
  assert.equal(document.components.schemas['com.example.v1.Widget'].properties.spec.properties.size.type, 'integer');
  assert.ok(
    document.paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}'].patch.parameters.some(
      ({ name }: { name: string }) => name === 'fieldValidation',
    ),
  );
  await talk.ok('DELETE', `${definitions}/widgets.example.com`);
  assert.equal((await talk.send('GET', widgets)).status, 404);
  assert.ok(!(await groups(talk)).includes('example.com'));
});

test('a definition waits for the last of its objects, whose watchers see them go', async () => {
  await using started = startServer();
  const { talk } = started;
  await talk.ok('POST', definitions, definition());
  await talk.ok('POST', widgets, widget('a'));
  await talk.ok('POST', widgets, widget('b', { finalizers: ['example.com/wait'] }));
  using watching = await talk.watch(`${widgets}?watch=1`);
  assert.deepEqual(await watching.names(2), ['ADDED a', 'ADDED b']);
  await talk.ok('DELETE', `${definitions}/widgets.example.com`);
  assert.deepEqual(await watching.names(2), ['DELETED a', 'MODIFIED b']);
  assert.equal((await talk.send('POST', widgets, widget('c'))).status, 403);
  await talk.mergePatch(`${widgets}/b`, { metadata: { finalizers: null } });
  assert.deepEqual(await watching.names(2), ['DELETED b', 'end']);
  assert.equal((await talk.send('GET', `${definitions}/widgets.example.com`)).status, 404);
});

test('a new default shows in objects that were stored before it', async () => {
  await using started = startServer();
  const { talk } = started;
  await talk.ok('POST', definitions, definition());
  await talk.ok('POST', widgets, widget('a'));
  const patch = [
    {
      op: 'add',
      path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/colour',
      value: { type: 'string', default: 'red' },
    },
  ];
  await talk.ok('PATCH', `${definitions}/widgets.example.com`, patch, {
    'content-type': 'application/json-patch+json',
  });
  assert.deepEqual((await talk.ok('GET', `${widgets}/a`)).spec, { size: 1, colour: 'red' });
  assert.deepEqual((await talk.ok('GET', widgets)).items[0].spec, { size: 1, colour: 'red' });
});

test("an object is read in every version that is served, by that version's schema", async () => {
  await using started = startServer();
  const { talk } = started;
  const both = definition();
  const [v1] = both.spec.versions;
  assert.ok(v1);
  const v2 = {
    ...v1,
    name: 'v2',
    storage: false,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { shade: { type: 'string', default: 'dark' } } } },
      },
    },
  };
  await talk.ok('POST', definitions, { ...both, spec: { ...both.spec, versions: [v1, v2] } });
  await talk.ok('POST', widgets, widget('a'));
  const read = await talk.ok('GET', widgets.replace('/v1/', '/v2/'));
  assert.equal(read.items[0].apiVersion, 'example.com/v2');
  assert.deepEqual(read.items[0].spec, { shade: 'dark' });
  assert.deepEqual((await talk.ok('GET', `${widgets}/a`)).spec, { size: 1 });
  using watching = await talk.watch(`${widgets.replace('/v1/', '/v2/')}?watch=1`);
  assert.equal((await watching.next())?.object.apiVersion, 'example.com/v2');
});

test('two definitions of one group cannot have the same kind', async () => {
  await using started = startServer();
  const { talk } = started;
  await talk.ok('POST', definitions, definition());
  const other = definition();
  await talk.ok('POST', definitions, {
    metadata: { name: 'gadgets.example.com' },
    spec: { ...other.spec, names: { plural: 'gadgets', kind: 'Widget' } },
  });
  const { status } = await talk.ok('GET', `${definitions}/gadgets.example.com`);
  assert.deepEqual(
    status.conditions.map(({ type, status: value, reason }: Record<string, string>) => `${type}=${value} ${reason}`),
    ['NamesAccepted=False ListKindConflict', 'Established=False NotAccepted'],
  );
  await talk.ok('DELETE', `${definitions}/widgets.example.com`);
  const freed = await talk.ok('GET', `${definitions}/gadgets.example.com`);
  assert.deepEqual(
    freed.status.conditions.map(({ type, status: value }: Record<string, string>) => `${type}=${value}`),
    ['NamesAccepted=True', 'Established=True'],
  );
});

test('writers in different versions are all remembered', async () => {
  await using started = startServer();
  const { talk } = started;
  const { metadata, spec } = definition();
  const [v1] = spec.versions;
  assert.ok(v1);
  await talk.ok('POST', definitions, {
    metadata,
    spec: { ...spec, versions: [v1, { ...v1, name: 'v2', storage: false }] },
  });
  await talk.ok('POST', `${widgets}?fieldManager=one`, { ...widget('a'), spec: { size: 2 } });
  const inV2 = widgets.replace('/v1/', '/v2/');
  await talk.mergePatch(`${inV2}/a?fieldManager=two`, { metadata: { labels: { a: 'b' } } });
  const { managedFields } = (await talk.ok('GET', `${widgets}/a`)).metadata;
  assert.deepEqual(
    managedFields.map(({ manager, apiVersion }: Record<string, string>) => `${manager} ${apiVersion}`).sort(),
    ['one example.com/v1', 'two example.com/v2'],
  );
});
