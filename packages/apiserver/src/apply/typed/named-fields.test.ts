import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printPaths, setOf } from '@keelson/core/fields';
import { typeSchemaFromStructural } from '../schemas/structural-schema.ts';
import { withNamedFields } from './named-fields.ts';

test('named fields of structs are added on the way to a member, members of maps and items are not', () => {
  const type = typeSchemaFromStructural({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          map: { type: 'object', additionalProperties: { type: 'object', properties: { x: { type: 'string' } } } },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        },
      },
    },
  });
  const set = setOf(['f:spec', 'f:map', 'f:k', 'f:x'], ['f:spec', 'f:set', 'v:"a"']);
  assert.deepEqual(printPaths(withNamedFields(set, type)), [
    '.spec',
    '.spec.map',
    '.spec.set',
    '.spec.map.k.x',
    '.spec.set[="a"]',
  ]);
});
