import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { Place, type Problem } from './place.ts';
import { refuseNonStructural } from './problems.ts';

function problemsOf(schema: JSONSchemaProps): readonly Problem[] {
  const problems: Problem[] = [];
  refuseNonStructural(schema, new Place('spec', problems));
  return problems;
}

const string: JSONSchemaProps = { type: 'string' };
const named: JSONSchemaProps = { type: 'object', properties: { name: string }, required: ['name'] };

const structural: readonly (readonly [what: string, schema: JSONSchemaProps])[] = [
  ['alternatives of values', { ...string, anyOf: [{ format: 'ipv4' }, { not: { pattern: '^a' } }] }],
  ['alternatives that name its fields', { ...named, oneOf: [{ properties: { name: { enum: ['a'] } } }] }],
  ['a set of scalars', { type: 'array', items: string, 'x-kubernetes-list-type': 'set' }],
  [
    'a set of atomic objects',
    { type: 'array', items: { ...named, 'x-kubernetes-map-type': 'atomic' }, 'x-kubernetes-list-type': 'set' },
  ],
  [
    'a list by a key with a default',
    {
      type: 'array',
      items: { type: 'object', properties: { name: { ...string, default: 'a' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  ],
];

for (const [what, schema] of structural) {
  test(`a schema with ${what} is structural`, () => {
    assert.deepEqual(problemsOf(schema), []);
  });
}

const refused: readonly (readonly [what: string, schema: JSONSchemaProps, path: string, reason: RegExp])[] = [
  ['no type', { type: 'object', properties: { a: {} } }, 'spec.a', /no type/],
  ['no items', { type: 'array' }, 'spec', /items/],
  ['an item without a type', { type: 'array', items: {} }, 'spec[]', /no type/],
  ['named and other fields', { ...named, additionalProperties: string }, 'spec', /not both/],
  ['a type in an alternative', { ...string, anyOf: [{ type: 'string' }] }, 'spec', /type cannot stand/],
  ['a default deep in an alternative', { ...named, not: { allOf: [{ default: {} }] } }, 'spec', /default cannot stand/],
  [
    'a field that only an alternative names',
    { ...named, anyOf: [{ properties: { size: {} } }] },
    'spec.size',
    /the schema does not/,
  ],
  ['a type beside int-or-string', { ...string, 'x-kubernetes-int-or-string': true }, 'spec', /z\.union/],
  ['an embedded scalar', { ...string, 'x-kubernetes-embedded-resource': true }, 'spec', /z\.looseObject/],
  ['unknown fields of a scalar', { ...string, 'x-kubernetes-preserve-unknown-fields': true }, 'spec', /for objects/],
  ['a list type of an object', { ...named, 'x-kubernetes-list-type': 'set' }, 'spec', /for lists/],
  ['a map type of a list', { type: 'array', items: string, 'x-kubernetes-map-type': 'atomic' }, 'spec', /for objects/],
  ['a set of objects', { type: 'array', items: named, 'x-kubernetes-list-type': 'set' }, 'spec', /atomic/],
  ['a list map without keys', { type: 'array', items: named, 'x-kubernetes-list-type': 'map' }, 'spec', /map-keys/],
  [
    'keys without a list map',
    { type: 'array', items: named, 'x-kubernetes-list-map-keys': ['name'] },
    'spec',
    /map-keys/,
  ],
  [
    'a key that is no field',
    { type: 'array', items: named, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] },
    'spec',
    /"id" is no scalar/,
  ],
  [
    'a key that may be absent',
    {
      type: 'array',
      items: { type: 'object', properties: { name: string } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    'spec',
    /may be absent/,
  ],
  ['an empty rule', { ...string, 'x-kubernetes-validations': [{ rule: '' }] }, 'spec', /empty/],
  [
    'a message of two lines',
    { ...string, 'x-kubernetes-validations': [{ rule: 'true', message: 'a\nb' }] },
    'spec',
    /one line/,
  ],
];

for (const [what, schema, path, reason] of refused) {
  test(`a schema with ${what} is refused`, () => {
    const problems = problemsOf(schema);
    assert.deepEqual(
      problems.map((problem) => problem.path),
      [path],
      JSON.stringify(problems),
    );
    assert.match(problems[0]?.reason ?? '', reason);
  });
}
