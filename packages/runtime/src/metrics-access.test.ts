import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { systemClock } from '@keelson/core/system';
import { metricsAccess } from './metrics-access.ts';

/** An API server that answers when it is told to. */
function given() {
  const told = Promise.withResolvers<void>();
  let asked = 0;
  const answer = (review: object) => ({
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield Buffer.from(JSON.stringify({ metadata: {}, ...review }));
    })(),
  });
  const client = createClient({
    transport: {
      async request({ path }) {
        if (path.includes('subjectaccessreviews')) return answer({ spec: {}, status: { allowed: true } });
        asked += 1;
        await told.promise;
        return answer({ spec: {}, status: { authenticated: true, user: { username: 'me' } } });
      },
      async [Symbol.asyncDispose]() {},
    },
  });
  return {
    accessOf: metricsAccess({ client, clock: systemClock, path: '/metrics' }),
    asked: () => asked,
    release: told.resolve,
  };
}

test('strangers with ever new tokens are asked about four at a time, and the others come later', async () => {
  const { accessOf, asked, release } = given();
  const answers = Array.from({ length: 50 }, (_, i) => accessOf(`Bearer token-${i}`));
  assert.deepEqual(new Set(await Promise.all(answers.slice(4))), new Set(['busy']));
  assert.equal(asked(), 4);
  release();
  assert.deepEqual(await Promise.all(answers.slice(0, 4)), Array(4).fill('allowed'));
  assert.equal(await accessOf('Bearer token-49'), 'allowed', 'and there is room again');
});

test('many who come with one token at once are one question', async () => {
  const { accessOf, asked, release } = given();
  const answers = Array.from({ length: 50 }, () => accessOf('Bearer the-same'));
  release();
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['allowed']));
  assert.equal(asked(), 1);
});
