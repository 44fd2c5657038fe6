import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransportResponse } from '@keelson/core';
import { bytesOf } from './bytes.ts';
import { parseAnswer, statusOf, warningsOf } from './response.ts';

async function* nothing() {}

const response = (status: number, type?: string): TransportResponse => ({
  status,
  headers: { 'content-type': type },
  body: nothing(),
});

const failure = (status: number, type: string, text: string) => statusOf(response(status, type), Buffer.from(text));

test("the server's Status is taken as it is", () => {
  const status = { kind: 'Status', code: 409, reason: 'Conflict', message: 'try again', details: { name: 'a' } };
  assert.deepEqual(failure(409, 'application/json', JSON.stringify(status)), status);
});

test('a Status without reason or code gets them from the answer', () => {
  const { reason, code } = failure(429, 'application/json', '{"kind":"Status","message":"slow down"}');
  assert.deepEqual([reason, code], ['TooManyRequests', 429]);
});

test('a page of a proxy becomes a Status that can be told apart, and is cut', () => {
  const { reason, code, message } = failure(502, 'text/html', `<html>\n<h1>Bad Gateway</h1>${'x'.repeat(1000)}`);
  assert.deepEqual([reason, code], ['Unknown', 502]);
  assert.match(message ?? '', /^status 502: <html> <h1>Bad Gateway<\/h1>x+…$/);
  assert.ok((message ?? '').length < 400);
});

test('a 404 that is not about an object asks for the definition', () => {
  const status = failure(404, 'text/plain', '404 page not found\n');
  assert.equal(status.reason, 'NotFound');
  assert.equal(status.details, undefined);
  assert.match(status.message ?? '', /404 page not found.*is its CustomResourceDefinition installed\?/);
});

test('JSON that is not a Status, and an empty answer, still become one', () => {
  assert.equal(failure(500, 'application/json', '{"error":"x"}').message, 'status 500: {"error":"x"}');
  assert.equal(failure(503, 'text/plain', '').message, 'status 503 without a text');
  assert.equal(failure(500, 'application/json', '{').reason, 'InternalError');
});

test('an answer that is not JSON says what it is', () => {
  assert.throws(() => parseAnswer('get pods a/b', response(200, 'text/html'), Buffer.from('<html>login</html>')), {
    name: 'TransportError',
    message:
      "get pods a/b: the answer is not JSON (text/html): <html>login</html>; does a proxy answer in the server's place?",
  });
});

test('an answer that is broken JSON is not shown: it may be half a Secret', () => {
  const half = Buffer.from('{"kind":"Secret","data":{"password":"aHVudGVyMg==');
  assert.throws(
    () => parseAnswer('get secrets a/b', response(200, 'application/json'), half),
    (error: Error) => {
      assert.equal(
        error.message,
        "get secrets a/b: the answer is broken JSON (49 bytes); does a proxy answer in the server's place?",
      );
      assert.equal(error.cause, undefined);
      return true;
    },
  );
});

test('what the transport knows about a refusal is said with it', () => {
  const refused = { ...response(401, 'application/json'), hint: 'the token of k was not accepted' };
  const { message, reason } = statusOf(refused, Buffer.from('{"kind":"Status","message":"Unauthorized"}'));
  assert.deepEqual([reason, message], ['Unauthorized', 'Unauthorized; the token of k was not accepted']);
  assert.equal(statusOf(refused, Buffer.from('null')).message, 'status 401: null; the token of k was not accepted');
});

test('bytes are put together in order, across characters', async () => {
  async function* chunks() {
    const bytes = Buffer.from('{"name":"größe 🚢"}');
    for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
  }
  assert.equal((await bytesOf(chunks())).toString(), '{"name":"größe 🚢"}');
  assert.equal((await bytesOf(nothing())).length, 0);
});

test('warnings are read from their header', () => {
  assert.deepEqual(warningsOf(undefined), []);
  assert.deepEqual(warningsOf('299 - "unknown field \\"spec.x\\"", 299 - "v1beta1 is deprecated, use v1"'), [
    'unknown field "spec.x"',
    'v1beta1 is deprecated, use v1',
  ]);
});
