import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFields, encodeFields } from '@keelson/core/fields';
import type { OpenApiSchema } from '../schemas/open-api-schema.ts';
import { typeSchemaFromStructural } from '../schemas/structural-schema.ts';
import { reconcileWithSchema } from './reconcile-schema.ts';

function typeWith(list: string, map: string) {
  const items: OpenApiSchema = { type: 'object', properties: { name: { type: 'string' } } };
  return typeSchemaFromStructural({
    type: 'object',
    properties: {
      list: { type: 'array', 'x-kubernetes-list-type': list, 'x-kubernetes-list-map-keys': ['name'], items },
      map: { type: 'object', 'x-kubernetes-map-type': map, additionalProperties: { type: 'string' } },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  });
}

const granular = {
  'f:list': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} } },
  'f:map': { '.': {}, 'f:a': {} },
  'f:free': { 'f:a': { 'f:b': {} } },
};

test('fields of a list or map that became atomic are owned as a whole', () => {
  const fields = encodeFields(reconcileWithSchema(decodeFields(granular), typeWith('atomic', 'atomic')));
  assert.deepEqual(fields, { 'f:list': {}, 'f:map': {}, 'f:free': { 'f:a': { 'f:b': {} } } });
});

test('fields that agree with the schema stay the very same set', () => {
  const set = decodeFields(granular);
  assert.equal(reconcileWithSchema(set, typeWith('map', 'granular')), set);
  const atomic = decodeFields({ 'f:list': {}, 'f:map': {} });
  assert.equal(reconcileWithSchema(atomic, typeWith('map', 'granular')), atomic);
  assert.equal(reconcileWithSchema(atomic, typeWith('atomic', 'atomic')), atomic);
});
