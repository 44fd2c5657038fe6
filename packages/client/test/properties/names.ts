/** Names of finalizers: those that ours refuse are those that the server refuses on a built-in kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finalizerProblem } from '@keelson/core';
import fc from 'fast-check';
import { ask, type Given } from './given.ts';

const part = fc.oneof(
  fc.constantFrom('example.com', 'a', 'A', 'a_b', '-a', 'a-', 'a..b', '', 'ü', 'a'.repeat(63), 'a'.repeat(64)),
  fc.constantFrom(`${'a'.repeat(63)}.`.repeat(3) + 'a'.repeat(61), `${'a'.repeat(63)}.`.repeat(3) + 'a'.repeat(62)),
  fc.string({ unit: fc.constantFrom(...'aZ0-_. '), maxLength: 4 }),
);
/** Without a domain only the names of Kubernetes itself are accepted, and those are not for us. */
const name = fc.array(part, { minLength: 2, maxLength: 3 }).map((parts) => parts.join('/'));

export function nameProperties(given: () => Given): void {
  test('a finalizer is refused where the server refuses it', async () => {
    await fc.assert(
      fc.asyncProperty(name, async (finalizer) => {
        const { transport, namespace } = given();
        const { code, body } = await ask(transport, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, {
          query: { dryRun: 'All' },
          body: { metadata: { name: 'finalized', finalizers: [finalizer] } },
        });
        assert.ok(code === 201 || code === 422, JSON.stringify(body));
        assert.equal(finalizerProblem(finalizer) === undefined, code === 201, body.message);
      }),
      { numRuns: 150 },
    );
  });
}
