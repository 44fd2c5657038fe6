import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldFacts } from './field-facts.ts';
import { fieldSchemasOf, firstSentence } from './field-schemas.ts';
import type { Documents, Schema } from './openapi.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${meta}.${name}` });
const text: Schema = { type: 'string', default: '' };

function fields(schemas: Readonly<Record<string, Schema>>, facts: Partial<FieldFacts>) {
  const named = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${meta}.${name}`, schema]));
  const documents: Documents = new Map([['api/v1', { components: { schemas: named } }]]);
  const found = fieldSchemasOf(documents, { roots: [], schemas: {}, only: {}, ...facts });
  return Object.fromEntries(found.map(({ module, name, schema }) => [`${module}/${name}`, schema]));
}

test('a root brings all that it is made of, and nothing else', () => {
  const found = fields(
    {
      Root: { type: 'object', properties: { a: { allOf: [ref('A')] }, many: { type: 'array', items: ref('B') } } },
      A: { type: 'object', properties: { b: { type: 'object', additionalProperties: ref('C') } } },
      B: { type: 'object' },
      C: { type: 'object' },
      Other: { type: 'object' },
    },
    { roots: ['meta/v1/Root'] },
  );
  assert.deepEqual(Object.keys(found), ['meta/v1/A', 'meta/v1/B', 'meta/v1/C', 'meta/v1/Root']);
  assert.deepEqual(found['meta/v1/Root'], {
    type: 'object',
    properties: { a: { $ref: 'meta/v1/A' }, many: { type: 'array', items: { $ref: 'meta/v1/B' } } },
  });
});

test('a default stays where a map list tells its items apart by a field that may be left out, and goes everywhere else', () => {
  const found = fields(
    {
      Root: {
        type: 'object',
        properties: {
          ports: {
            type: 'array',
            items: { default: {}, allOf: [ref('Port')] },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['port', 'protocol'],
          },
        },
      },
      Port: {
        type: 'object',
        required: ['port'],
        properties: {
          port: { type: 'integer', default: 0 },
          protocol: { type: 'string', default: 'TCP', enum: ['TCP'] },
          host: text,
        },
      },
    },
    { roots: ['meta/v1/Root'] },
  );
  assert.deepEqual(found, {
    'meta/v1/Port': {
      type: 'object',
      properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, host: { type: 'string' } },
      required: ['port'],
    },
    'meta/v1/Root': {
      type: 'object',
      properties: {
        ports: {
          type: 'array',
          items: { $ref: 'meta/v1/Port' },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
        },
      },
    },
  });
});

test('facts say what a type that marshals itself is, and which fields a type keeps', () => {
  const found = fields(
    {
      Root: { type: 'object', properties: { at: ref('Time'), meta: ref('Meta') } },
      Time: { type: 'string', format: 'date-time' },
      Meta: { type: 'object', required: ['name', 'uid'], properties: { name: text, uid: text, owner: ref('Owner') } },
      Owner: { type: 'object' },
    },
    {
      roots: ['meta/v1/Root'],
      schemas: { 'meta/v1/Time': { type: 'string' } },
      only: { 'meta/v1/Meta': ['name'] },
    },
  );
  assert.deepEqual(Object.keys(found), ['meta/v1/Meta', 'meta/v1/Root', 'meta/v1/Time']);
  assert.deepEqual(found['meta/v1/Meta'], {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  });
  assert.deepEqual(found['meta/v1/Time'], { type: 'string' });
});

test('a fact that fits nothing is an error', () => {
  assert.throws(() => fields({}, { roots: ['v1/Nothing'] }), /v1\/Nothing is in field-facts\.ts/);
  assert.throws(() => fields({}, { only: { 'v1/Nothing': [] } }), /v1\/Nothing is in field-facts\.ts/);
});

const sentences: readonly (readonly [text: string | undefined, first: string])[] = [
  [undefined, ''],
  ['Name of the port', 'Name of the port'],
  ['Name of the port. Must be unique.', 'Name of the port.'],
  ['A path, e.g. /etc, on the node. More info: here', 'A path, e.g. /etc, on the node.'],
  ['Something, i.e. Another thing. More.', 'Something, i.e. Another thing.'],
  ['One line\nand another.\n\nA second paragraph.', 'One line and another.'],
];

test('a description is cut to its first sentence', () => {
  for (const [whole, first] of sentences) assert.equal(firstSentence(whole), first);
});
