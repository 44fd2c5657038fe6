import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { compileNode } from '../tree/schema-node.ts';
import { sharedFields } from './shared-fields.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };
const object = (properties: Record<string, JSONSchemaProps>): JSONSchemaProps => ({ type: 'object', properties });
const list = (items: JSONSchemaProps): JSONSchemaProps => ({ type: 'array', items });
const loose: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const any: JSONSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true };
const either: JSONSchemaProps = { 'x-kubernetes-int-or-string': true };
const embedded: JSONSchemaProps = { ...object({}), 'x-kubernetes-embedded-resource': true };
const map = (values: JSONSchemaProps): JSONSchemaProps => ({ type: 'object', additionalProperties: values });

const cases: readonly (readonly [
  what: string,
  from: JSONSchemaProps,
  to: JSONSchemaProps,
  value: unknown,
  expected: unknown,
])[] = [
  ['a value of the same type, whatever it is', { ...integer, maximum: 9 }, { ...integer, maximum: 5 }, 7, 7],
  ['no value of another type', integer, text, 7, undefined],
  ['no integer to an integer or a text', integer, either, 7, undefined],
  ['null where that is allowed', { ...text, nullable: true }, { ...text, nullable: true }, null, null],
  ['no null elsewhere', { ...text, nullable: true }, text, null, undefined],
  [
    'the fields that both have',
    object({ a: text, b: text }),
    object({ a: text, c: text }),
    { a: 'x', b: 'y' },
    { a: 'x' },
  ],
  [
    'the fields of items',
    list(object({ a: text, b: text })),
    list(object({ a: text })),
    [{ a: 'x', b: 'y' }],
    [{ a: 'x' }],
  ],
  ['no list of other items', list(integer), list(text), [1], undefined],
  ['no list of which an item is missing', list({ ...text, nullable: true }), list(text), ['x', null], undefined],
  ['the entries of maps', map(object({ a: text })), map(object({})), { k: { a: 'x' } }, { k: {} }],
  ['anything into what takes anything', object({ a: text }), any, { a: 'x' }, { a: 'x' }],
  ['named fields into what keeps unknown ones', object({ a: text }), loose, { a: 'x' }, { a: 'x' }],
  [
    'unknown fields into named ones, by their values',
    loose,
    object({ a: text, b: text, c: integer, d: list(text), e: object({ f: either }), g: either }),
    { a: 'x', b: 1, c: 1, d: ['x'], e: { f: 1 }, g: true, h: 1 },
    { a: 'x', c: 1, d: ['x'], e: { f: 1 } },
  ],
  ['the metadata of embedded objects', embedded, embedded, { metadata: { name: 'x' } }, { metadata: { name: 'x' } }],
];

for (const [what, from, to, value, expected] of cases) {
  test(`two versions share ${what}`, () => {
    assert.deepEqual(sharedFields(compileNode(from), compileNode(to), value), expected);
  });
}
