/** Objects nested nine thousand levels deep, by every verb: answers that real Kubernetes takes up to half a minute for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Started, startServer } from './fixtures.ts';

const levels = 9000;
const nested = (end: string, depth = levels) => `${'{"a":'.repeat(depth)}${end}${'}'.repeat(depth)}`;
const deep = (spec: string) => `{"apiVersion":"example.com/v1","kind":"Any","metadata":{"name":"deep"},"spec":${spec}}`;
const kinds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const anys = '/apis/example.com/v1/namespaces/default/anys';
const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const definition = (openAPIV3Schema: unknown) => ({
  metadata: { name: 'anys.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'anys', kind: 'Any' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
  },
});

async function withDeepObject(): Promise<Started> {
  const started = startServer();
  await started.talk.ok('POST', kinds, definition(schema));
  await started.talk.ok('POST', anys, deep(nested('1')));
  return started;
}

const patches: readonly (readonly [type: string, body: string, end: string])[] = [
  ['merge-patch+json', `{"spec":${nested('2')}}`, '2'],
  ['merge-patch+json', `{"spec":${nested('{"b":null,"c":3}')}}`, '{"c":3}'],
  ['json-patch+json', `[{"op":"test","path":"/spec","value":${nested('1')}}]`, '1'],
  ['json-patch+json', `[{"op":"replace","path":"/spec${'/a'.repeat(levels)}","value":{"b":4}}]`, '{"b":4}'],
  ['apply-patch+yaml', deep(nested('5')), '5'],
];

for (const [type, body, end] of patches) {
  test(`a deep ${type} changes a deep object: ${body.slice(0, 30)} … ${end}`, async () => {
    await using started = await withDeepObject();
    const query = type.startsWith('apply') ? '?fieldManager=other&force=true' : '';
    const headers = { 'content-type': `application/${type}` };
    const answer = await started.talk.send('PATCH', `${anys}/deep${query}`, body, headers);
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    assert.ok(answer.text.includes(`"spec":${nested(end)}`));
    assert.ok((await started.talk.send('GET', anys)).text.includes(`"spec":${nested(end)}`));
  });
}

test('what an applier names no more goes, from the deepest level up', async () => {
  await using started = await withDeepObject();
  const apply = (spec: string, name: string) =>
    started.talk.send('PATCH', `${anys}/${name}?fieldManager=other`, deep(spec).replace('"deep"', `"${name}"`), {
      'content-type': 'application/apply-patch+yaml',
    });
  assert.equal((await apply(nested('1'), 'applied')).status, 201);
  const less = await apply('{"a":{"a":{"b":1}}}', 'applied');
  assert.equal(less.status, 200);
  assert.deepEqual(less.body.spec, { a: { a: { b: 1 } } });
});

test('an answer that is too deep to be indented or written as YAML is on one line, which is both', async () => {
  await using started = await withDeepObject();
  const plain = await started.talk.send('GET', `${anys}/deep`);
  const pretty = await started.talk.send('GET', `${anys}/deep?pretty=true`);
  assert.equal(pretty.text, plain.text);
  const yaml = await started.talk.send('GET', `${anys}/deep`, undefined, { accept: 'application/yaml' });
  assert.equal(yaml.headers['content-type'], 'application/yaml');
  assert.equal(yaml.text, plain.text);
});

test('an object whose managedFields would be too deep is refused, and nothing is left of it', async () => {
  await using started = await withDeepObject();
  await started.talk.ok('DELETE', `${anys}/deep`);
  const { status, body } = await started.talk.send('POST', anys, deep(nested('1', 9997)));
  assert.deepEqual([status, body.message], [500, "invalid character '{' exceeded max depth"]);
  assert.deepEqual((await started.talk.ok('GET', anys)).items, []);
  // Two halves that are deep enough together.
  await started.talk.ok('POST', anys, deep(nested('1')));
  const patch = `[{"op":"add","path":"/spec${'/a'.repeat(levels)}","value":${nested('1')}}]`;
  const grown = await started.talk.send('PATCH', `${anys}/deep`, patch, {
    'content-type': 'application/json-patch+json',
  });
  assert.equal(grown.status, 500);
  assert.ok((await started.talk.send('GET', anys)).text.includes(`"spec":${nested('1')}`));
});

test('definitions and strategic patches of more than a thousand levels are not implemented', async () => {
  await using started = startServer();
  let deepSchema: object = { type: 'string' };
  for (let i = 0; i < 600; i++) deepSchema = { type: 'object', properties: { a: deepSchema } };
  const refused = await started.talk.send('POST', kinds, definition(deepSchema));
  assert.deepEqual([refused.status, refused.body.reason], [501, 'NotImplemented']);
  await started.talk.ok('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  const patch = `{"none":${nested('1', 1000)}}`;
  const strategic = await started.talk.send('PATCH', '/api/v1/namespaces/default/configmaps/a', patch, {
    'content-type': 'application/strategic-merge-patch+json',
  });
  assert.deepEqual([strategic.status, strategic.body.reason], [501, 'NotImplemented']);
});
