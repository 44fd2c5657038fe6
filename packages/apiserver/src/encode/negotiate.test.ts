import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '../status.ts';
import { negotiate, prefersYaml } from './negotiate.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const cases: readonly (readonly [string | undefined, object])[] = [
  [undefined, { type: 'object' }],
  ['*/*', { type: 'object' }],
  ['application/json', { type: 'object' }],
  ['application/vnd.kubernetes.protobuf,application/json', { type: 'object' }],
  [`${table},${table.replace('v1', 'v1beta1')},application/json`, { type: 'table', version: 'v1' }],
  ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', { type: 'object' }],
  ['application/json;q=0.5, application/json;as=Table;v=v1;g=meta.k8s.io', { type: 'table', version: 'v1' }],
  [
    'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    { type: 'partial', version: 'v1', isList: true },
  ],
];

for (const [accept, expected] of cases) {
  test(`who accepts ${accept ?? 'anything'} gets ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(negotiate(accept), expected);
  });
}

for (const accept of [
  'text/plain',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;v=v9;g=meta.k8s.io',
]) {
  test(`who accepts only ${accept} is told what there is`, () => {
    assert.throws(
      () => negotiate(accept),
      (error) => error instanceof StatusError && error.status.code === 406,
    );
  });
}

test('YAML is for those who prefer it', () => {
  assert.equal(prefersYaml('application/yaml'), true);
  assert.equal(prefersYaml('application/json, application/yaml'), false);
  assert.equal(prefersYaml('application/json;q=0.1, application/yaml'), true);
  assert.equal(prefersYaml(undefined), false);
});
