import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crdOf, defineKind } from '@keelson/schema';
import * as fc from 'fast-check';
import { z } from 'zod';
import { randomField } from './random-spec.ts';

// defineKind holds every result against the rules of structural schemas, and throws what breaks them.
test('whatever is built of what can be expressed is expressed by a structural schema', () => {
  fc.assert(
    fc.property(randomField, ({ schema, value }) => {
      const spec = z.object({ field: schema });
      const kind = defineKind({
        group: 'a.example.com',
        kind: 'A',
        hub: 'v1',
        versions: { v1: { storage: true, spec } },
      });
      const [version] = crdOf(kind).spec.versions;
      assert.ok(version?.schema?.openAPIV3Schema?.properties?.spec?.properties?.field);
      assert.equal(spec.safeParse({ field: value }).success, true);
    }),
  );
});
