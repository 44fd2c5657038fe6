/**
 * What a request costs against the size of its body: for each way to say something a body that was made to be slow, sent
 * whole and in a quarter of its size. Four times as much may take about four times as long, and never sixteen times.
 * Whether it is accepted is no matter here, as long as it is no failure of the server's own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMaps, startServer } from './fixtures.ts';
import { enveloped, message, protobuf } from './protobuf-messages.ts';

const size = 256 * 1024;
/** Below this there is nothing to compare but noise. */
const negligibleMs = 40;
/** Linear work has 4, quadratic 16. */
const maxGrowth = 9;

type Request = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'GET', path: string, body: string | Buffer, type: string];

const json = 'application/json';
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const patch = 'application/json-patch+json';
const apply = 'application/apply-patch+yaml';
const dry = `${configMaps}?dryRun=All`;
const named = `${configMaps}/there?dryRun=All`;
const many = <T>(bytes: number, each: number, make: (i: number) => T): T[] =>
  Array.from({ length: Math.ceil(bytes / each) }, (_, i) => make(i));
const members = (bytes: number, prefix = 'k') =>
  `{${many(bytes, 14, (i) => `"${prefix}${String(i).padStart(6, '0')}":""`).join(',')}}`;
const owners = (bytes: number) =>
  JSON.stringify(many(bytes, 60, (i) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `o${i}`, uid: `u${i}` })));
const post = (bytes: string | Buffer, type = json): Request => ['POST', dry, bytes, type];
const map = (rest: string, metadata = '"name":"a"') =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{${metadata}}${rest}}`;
type Field = readonly [number, string | Buffer | number];
const inProtobuf = (fields: readonly Field[]) =>
  post(
    enveloped(
      'v1',
      'ConfigMap',
      Buffer.concat([message([1, message([1, 'a'])]), ...fields.map((each) => message(each))]),
    ),
    protobuf['content-type'],
  );

const table: Readonly<Record<string, (bytes: number) => Request>> = {
  'a protobuf map': (bytes) => inProtobuf(many(bytes, 16, (i) => [2, message([1, `k${i}`], [2, 'v'])] as const)),
  'a protobuf map of one key': (bytes) => inProtobuf(many(bytes, 10, () => [2, message([1, 'k'], [2, 'v'])] as const)),
  'unknown fields in protobuf': (bytes) => inProtobuf(many(bytes, 8, () => [99, 'x'] as const)),
  'owner references in protobuf': (bytes) => {
    const references: Field[] = many(
      bytes,
      40,
      (i) => [13, message([1, 'Node'], [3, `o${i}`], [4, `u${i}`], [5, 'v1'])] as const,
    );
    return post(enveloped('v1', 'ConfigMap', message([1, message([1, 'a'], ...references)])), protobuf['content-type']);
  },
  'a map of many keys': (bytes) => post(map(`,"data":${members(bytes)}`)),
  'many labels': (bytes) => post(map('', `"name":"a","labels":${members(bytes)}`)),
  'many annotations': (bytes) => post(map('', `"name":"a","annotations":${members(bytes / 3)}`)),
  'many owner references': (bytes) => post(map('', `"name":"a","ownerReferences":${owners(bytes)}`)),
  'many equal owner references': (bytes) =>
    post(map('', `"name":"a","ownerReferences":${owners(bytes).replaceAll(/[ou]\d+/g, 'x')}`)),
  'many finalizers': (bytes) =>
    post(map('', `"name":"a","finalizers":[${many(bytes, 20, (i) => `"example.com/f${i}"`).join(',')}]`)),
  'one member many times': (bytes) => post(map(many(bytes, 22, (i) => `,"data":{"k${i}":""}`).join(''))),
  'many unknown members': (bytes) => post(`{"metadata":{"name":"a"},${members(bytes).slice(1)}`),
  'many managers': (bytes) => {
    const fields = '"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{}}';
    return post(
      map('', `"name":"a","managedFields":[${many(bytes, 110, (i) => `{"manager":"m${i}",${fields}}`).join(',')}]`),
    );
  },
  'a manager of many fields': (bytes) => {
    const entry = `{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":${members(bytes, 'f:').replaceAll('""', '{}')}}}`;
    return post(map('', `"name":"a","managedFields":[${entry}]`));
  },
  'half an object': (bytes) => post(`${'{"a":'.repeat(400)}"${'x'.repeat(bytes)}`),
  'many brackets': (bytes) => post('['.repeat(bytes)),
  spaces: (bytes) => post(' '.repeat(bytes)),
  escapes: (bytes) => post(map(`,"data":{"k":"${'\\u0041'.repeat(bytes / 6)}"}`)),
  'numbers that are large': (bytes) => post(map(`,"none":[${many(bytes, 6, () => '1e999').join(',')}]`)),
  'a container of many variables': (bytes) => [
    'POST',
    '/api/v1/namespaces/default/pods?dryRun=All',
    JSON.stringify({
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c', image: 'i', env: many(bytes, 30, (i) => ({ name: `v${i}`, value: '' })) }] },
    }),
    json,
  ],
  'many containers': (bytes) => [
    'POST',
    '/api/v1/namespaces/default/pods?dryRun=All',
    JSON.stringify({
      metadata: { name: 'a' },
      spec: { containers: many(bytes, 30, (i) => ({ name: `c${i}`, image: 'i', ports: [{ containerPort: 80 }] })) },
    }),
    json,
  ],
  'YAML of many keys': (bytes) =>
    post(`metadata:\n  name: a\ndata:\n${many(bytes / 4, 12, (i) => `  k${i}: ""`).join('\n')}`, 'application/yaml'),
  'YAML of one key many times': (bytes) =>
    post(`metadata:\n  name: a\ndata:\n${many(bytes / 4, 12, () => '  k: ""').join('\n')}`, 'application/yaml'),
  'YAML of many anchors': (bytes) =>
    post(
      `metadata:\n  name: a\ndata:\n${many(bytes / 4, 14, (i) => `  k${i}: &a${i} x`).join('\n')}`,
      'application/yaml',
    ),
  'a merge patch of many keys': (bytes) => ['PATCH', named, map(`,"data":${members(bytes)}`, ''), merge],
  'a strategic patch of many owners': (bytes) => [
    'PATCH',
    named,
    map('', `"ownerReferences":${owners(bytes)}`),
    strategic,
  ],
  'a strategic patch that deletes many owners': (bytes) => [
    'PATCH',
    named,
    map('', `"ownerReferences":${owners(bytes).replaceAll('{', '{"$patch":"delete",')}`),
    strategic,
  ],
  'a strategic patch that orders many finalizers': (bytes) => [
    'PATCH',
    named,
    map('', `"$setElementOrder/finalizers":[${many(bytes, 10, (i) => `"f${i}"`).join(',')}]`),
    strategic,
  ],
  'a JSON patch of many operations': (bytes) => [
    'PATCH',
    named,
    `[${many(bytes, 48, (i) => `{"op":"add","path":"/data/k${i}","value":""}`).join(',')}]`,
    patch,
  ],
  'an apply of many keys': (bytes) => [
    'PATCH',
    `${configMaps}/new?fieldManager=m&dryRun=All`,
    map(`,"data":${members(bytes)}`, '"name":"new"'),
    apply,
  ],
  'an apply of many owners': (bytes) => [
    'PATCH',
    `${configMaps}/new?fieldManager=m&dryRun=All`,
    map('', `"name":"new","ownerReferences":${owners(bytes)}`),
    apply,
  ],
  'a label selector': (bytes) => ['GET', `${configMaps}?labelSelector=${'a%3Db,'.repeat(bytes / 6)}a`, '', json],
  'a field selector': (bytes) => [
    'GET',
    `${configMaps}?fieldSelector=${'metadata.name%3Db,'.repeat(bytes / 18)}metadata.name%3Db`,
    '',
    json,
  ],
  'a continue token': (bytes) => ['GET', `${configMaps}?limit=1&continue=${'e30'.repeat(bytes / 3)}`, '', json],
  'a path of many parts': (bytes) => ['GET', `${configMaps}${'/a'.repeat(bytes / 2)}`, '', json],
};

async function costOf([method, path, body, type]: Request): Promise<number> {
  const before = process.threadCpuUsage();
  const answer = await talk.send(method, path, body === '' ? undefined : body, { 'content-type': type });
  const { user, system } = process.threadCpuUsage(before);
  // What the real server answers with 500, it says of patches that its own merging cannot do.
  assert.ok(answer.status < 500 || answer.body.reason !== 'InternalError', answer.text.slice(0, 500));
  return (user + system) / 1000;
}

const { talk } = startServer();
await talk.ok('POST', configMaps, { metadata: { name: 'there' }, data: {} });

for (const [name, make] of Object.entries(table)) {
  test(`${name}: the cost grows as the request does`, async (t) => {
    let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let tries = 0; tries < 4; tries++) {
      large = Math.min(large, await costOf(make(size)));
      if (large < negligibleMs) break;
      small = Math.min(small, await costOf(make(size / 4)));
      if (large / small <= maxGrowth) break;
    }
    t.diagnostic(`${large.toFixed(0)} ms for ${size / 1024} KiB, ${small.toFixed(0)} ms for a quarter`);
    assert.ok(large < negligibleMs || large / small <= maxGrowth, `${(large / small).toFixed(1)} times as long`);
  });
}
