import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, failure, Refusal, readJson } from './planned-answer.ts';

test('an answer is read as it was given', async () => {
  const given = answer(201, { a: 1 });
  assert.deepEqual([given.status, given.headers], [201, { 'content-type': 'application/json' }]);
  assert.deepEqual(await readJson(given), { a: 1 });
});

test('a failure says what it is about, in the form of a Status', async () => {
  const path = '/apis/apps/v1/namespaces/default/deployments/system%3Aweb';
  const given = failure(409, 'Conflict', 'it changed', path);
  assert.equal(given.status, 409);
  const error = await readJson(given).then(
    () => assert.fail(),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Refusal)) assert.fail();
  assert.equal(error.message, 'the write would be refused');
  let text = '';
  for await (const chunk of error.response.body) text += Buffer.from(chunk).toString();
  assert.deepEqual(JSON.parse(text), {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    code: 409,
    reason: 'Conflict',
    message: 'it changed',
    details: { name: 'system:web', kind: 'deployments' },
  });
});

test('that there is no such object is no failure; that there is no such kind, or no Status at all, is one', async () => {
  assert.equal(await readJson(failure(404, 'NotFound', 'gone', '/api/v1/nodes/n')), undefined);
  const nameless = { apiVersion: 'v1', kind: 'Status', code: 404 };
  for (const body of [{ ...nameless, details: {} }, nameless]) {
    await assert.rejects(readJson(answer(404, body)), Refusal);
  }
  const page = {
    ...answer(404, {}),
    body: (async function* () {
      yield Buffer.from('404 page not found');
    })(),
  };
  await assert.rejects(readJson(page), Refusal);
  await assert.rejects(readJson(failure(300, 'x', 'x', '/api/v1/nodes/n')), Refusal);
});
