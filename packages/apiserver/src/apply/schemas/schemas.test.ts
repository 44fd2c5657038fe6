import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OpenApiDocument, typeSchemaFromOpenApi } from './open-api-schema.ts';
import { typeSchemaFromStructural } from './structural-schema.ts';
import { deducedSchema, type TypeSchema, untypedAtomic } from './type-schema.ts';

const ref = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
const document: OpenApiDocument = {
  components: {
    schemas: {
      Widget: {
        type: 'object',
        required: ['spec', 'owner', 'codes'],
        properties: {
          spec: { ...ref('Spec'), default: {} },
          owner: ref('Spec'),
          codes: { type: 'array', items: { type: 'integer' } },
          size: ref('io.k8s.apimachinery.pkg.api.resource.Quantity'),
          raw: ref('io.k8s.apimachinery.pkg.runtime.RawExtension'),
          frozen: { ...ref('Spec'), 'x-kubernetes-map-type': 'atomic' },
        },
      },
      Spec: {
        type: 'object',
        properties: {
          name: { type: 'string', default: '' },
          count: { type: 'integer', default: 0 },
          protocol: { type: 'string', default: 'TCP' },
          child: ref('Spec'),
          when: { type: 'string', format: 'date-time' },
          bytes: { type: 'string', format: 'byte' },
          any: {},
          byKey: {
            type: 'array',
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'name',
            items: ref('Spec'),
          },
          asSet: { type: 'array', 'x-kubernetes-patch-strategy': 'merge', items: { type: 'string' } },
          plain: { type: 'array', 'x-kubernetes-patch-strategy': 'retainKeys', items: { type: 'string' } },
          listed: {
            type: 'array',
            'x-kubernetes-list-type': 'atomic',
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'name',
            items: ref('Spec'),
          },
        },
      },
      'io.k8s.apimachinery.pkg.api.resource.Quantity': {},
      'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object' },
    },
  },
};

function fieldOf(type: TypeSchema, name: string): TypeSchema {
  const field = type.map?.fields.get(name);
  assert.ok(field, name);
  return field.type;
}

test('a type of an OpenAPI document is compiled once, and may contain itself', () => {
  const spec = typeSchemaFromOpenApi(document, 'Spec');
  assert.equal(typeSchemaFromOpenApi(document, 'Spec'), spec);
  assert.equal(fieldOf(spec, 'child'), spec);
  assert.equal(fieldOf(typeSchemaFromOpenApi(document, 'Widget'), 'owner'), spec);
  assert.throws(() => typeSchemaFromOpenApi(document, 'Nothing'), /no schema Nothing/);
});

test('lists merge as their list type says, and as their patch strategy says without one', () => {
  const spec = typeSchemaFromOpenApi(document, 'Spec');
  const relationships = ['byKey', 'asSet', 'plain', 'listed'].map((name) => fieldOf(spec, name).list);
  assert.deepEqual(
    relationships.map((list) => [list?.relationship, list?.keys]),
    [
      ['map', ['name']],
      ['set', []],
      ['atomic', []],
      ['atomic', []],
    ],
  );
});

test('scalars are typed as far as the server types them', () => {
  const spec = typeSchemaFromOpenApi(document, 'Spec');
  assert.deepEqual(
    ['name', 'count', 'when', 'bytes'].map((name) => fieldOf(spec, name).scalar),
    ['string', 'numeric', 'untyped', 'string'],
  );
  const any = fieldOf(spec, 'any');
  assert.deepEqual([any.scalar, any.list?.relationship, any.map?.additional], ['untyped', 'atomic', deducedSchema]);
});

test('quantities are scalars, raw extensions have one owner, and a field may be atomic where its type is not', () => {
  const widget = typeSchemaFromOpenApi(document, 'Widget');
  assert.deepEqual(fieldOf(widget, 'size'), { scalar: 'untyped' });
  assert.equal(fieldOf(widget, 'raw').map, untypedAtomic.map);
  assert.equal(fieldOf(widget, 'frozen').map?.relationship, 'atomic');
  assert.equal(fieldOf(widget, 'owner').map?.relationship, 'granular');
});

test('a custom resource has metadata and knows no fields but its own', () => {
  const type = typeSchemaFromStructural({ type: 'object', properties: { spec: { type: 'object', properties: {} } } });
  assert.deepEqual(Array.from(type.map?.fields.keys() ?? []), ['spec', 'apiVersion', 'kind', 'metadata']);
  assert.equal(type.map?.additional, undefined);
  const metadata = fieldOf(type, 'metadata');
  assert.deepEqual(fieldOf(metadata, 'ownerReferences').list?.keys, ['uid']);
  assert.equal(fieldOf(metadata, 'ownerReferences').list?.items.map?.relationship, 'atomic');
  assert.equal(fieldOf(metadata, 'finalizers').list?.relationship, 'set');
});

test('an embedded resource has metadata too, and unknown fields are let through all the way down', () => {
  const type = typeSchemaFromStructural({
    type: 'object',
    properties: {
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { spec: { type: 'object', properties: { known: { type: 'string' } } } },
      },
    },
  });
  const template = fieldOf(type, 'template');
  assert.equal(fieldOf(fieldOf(template, 'metadata'), 'labels').map?.relationship, 'granular');
  assert.equal(template.map?.additional, deducedSchema);
  assert.equal(fieldOf(template, 'spec').map?.additional, deducedSchema);
});

test('without a schema everything is deduced', () => {
  assert.equal(typeSchemaFromStructural(undefined).map, deducedSchema.map);
});
