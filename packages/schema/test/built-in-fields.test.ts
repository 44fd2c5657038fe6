import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InputOf } from '@keelson/core';
import { crdOf, defineKind, rawSchema } from '@keelson/schema';
import * as meta from '@keelson/schema/meta/v1';
import * as v1 from '@keelson/schema/v1';
import { compileStructural } from '@keelson/schema/validation';
import { z } from 'zod';
import { App, template } from './app.ts';

const schemaOf = (kind: Parameters<typeof crdOf>[0]) => crdOf(kind).spec.versions[0]?.schema?.openAPIV3Schema ?? {};

function kindWith<const Spec extends z.ZodRawShape>(shape: Spec) {
  const spec = z.object(shape);
  return defineKind({
    group: 'apps.example.com',
    kind: 'App',
    hub: 'v1',
    versions: { v1: { storage: true, spec } },
  });
}

test('every built-in type can be a field, alone and in a list', () => {
  const types = Object.entries({ ...v1, ...meta });
  assert.ok(types.length > 100);
  for (const [name, type] of types) {
    assert.doesNotThrow(() => kindWith({ one: type, many: z.array(type).optional() }), name);
  }
});

test('a pod template is kept whole, and what it has not is pruned', () => {
  const schema = compileStructural(schemaOf(App));
  const object = { apiVersion: 'apps.example.com/v1', kind: 'App', metadata: { name: 'a' }, spec: { template } };
  assert.deepEqual(schema.prune(object), { value: object, pruned: [] });
  assert.deepEqual(schema.validate(object), []);
  const odd = { ...object, spec: { template: { metadata: { uid: 'u' }, spec: { containers: [], colour: 'red' } } } };
  assert.deepEqual(schema.prune(odd).pruned, ['spec.template.metadata.uid', 'spec.template.spec.colour']);
});

test('a container needs a name, which no default fills in', () => {
  const schema = compileStructural(schemaOf(App));
  const object = { spec: { template: { spec: { containers: [{ image: 'web:1' }] } } } };
  assert.deepEqual(
    schema.validate(schema.default(object)).map(({ field, reason }) => [field, reason]),
    [['spec.template.spec.containers[0].name', 'FieldValueRequired']],
  );
});

test('quantities, and integers or strings, are judged as the API server would', () => {
  const schema = compileStructural(schemaOf(kindWith({ memory: meta.Quantity, port: meta.IntOrString })));
  const problems = (memory: unknown, port: unknown) =>
    schema.validate({ spec: { memory, port } }).map(({ field }) => field);
  for (const good of ['64Mi', 1, '0.5', '.5', '1e3', '-1', '+2k', '100m']) assert.deepEqual(problems(good, 80), []);
  for (const bad of ['64 Mi', '', '1KiB', 'much', true]) assert.deepEqual(problems(bad, 'http'), ['spec.memory']);
  assert.deepEqual(problems('1', 1.5), ['spec.port']);
});

test('the author has the last word on the description and on rules, the type on everything else', () => {
  const { properties } = schemaOf(kindWith({ resources: v1.ResourceRequirements.describe('Of each server.') }));
  const { description, properties: fields } = properties?.spec?.properties?.resources ?? {};
  assert.equal(description, 'Of each server.');
  assert.deepEqual(Object.keys(fields ?? {}), ['claims', 'limits', 'requests']);
});

test('fields have the types of core', () => {
  const kind = kindWith({ tolerations: z.array(v1.Toleration).optional() });
  const written: InputOf<typeof kind> = {
    metadata: { name: 'a' },
    spec: { tolerations: [{ key: 'a', operator: 'Exists' }] },
  };
  // @ts-expect-error a key is a string
  const wrong: InputOf<typeof kind> = { metadata: { name: 'a' }, spec: { tolerations: [{ key: 1 }] } };
  assert.notDeepEqual(written, wrong);
});

test('a raw schema stands in the CRD as it is given', () => {
  const kind = kindWith({ weight: rawSchema<number>({ type: 'number', not: { enum: [0] } }).default(1) });
  const { weight } = schemaOf(kind).properties?.spec?.properties ?? {};
  assert.deepEqual(weight, { type: 'number', not: { enum: [0] }, default: 1 });
});

test('a raw schema that the API server would refuse is refused, and so is a default that does not fit it', () => {
  assert.throws(() => kindWith({ a: rawSchema({ type: 'array' }) }), /spec\.a\[\]: must be specified/);
  assert.throws(() => kindWith({ a: rawSchema<number>({ type: 'number', minimum: 2 }).default(1) }), /spec\.a: /);
});
