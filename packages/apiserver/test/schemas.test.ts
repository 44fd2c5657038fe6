import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemasText } from '../scripts/schemas.ts';
import { builtInSchemas } from '../src/openapi/documents.ts';

test('data/schemas.json.gz is what scripts/schemas.ts makes of the OpenAPI documents', () => {
  assert.deepEqual(builtInSchemas(), JSON.parse(schemasText()));
});
