import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ApiError,
  causesOf,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotAllowed,
  isNotFound,
  isRequestEntityTooLarge,
  isServerError,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isTransportError,
  isUnauthorized,
  TransportError,
} from './errors.ts';

const answer = (code: number, reason: string) => new ApiError('get pods a/b', { code, reason, message: 'why' });

const predicates = [
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotAllowed,
  isNotFound,
  isRequestEntityTooLarge,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  isTransportError,
  isUnauthorized,
];
const trueOf = (error: unknown) => predicates.filter((predicate) => predicate(error)).map(({ name }) => name);

test('every failure is told apart by its reason', () => {
  const cases: readonly (readonly [error: Error, predicate: string])[] = [
    [answer(400, 'BadRequest'), 'isBadRequest'],
    [answer(401, 'Unauthorized'), 'isUnauthorized'],
    [answer(403, 'Forbidden'), 'isForbidden'],
    [answer(404, 'NotFound'), 'isNotFound'],
    [answer(405, 'MethodNotAllowed'), 'isMethodNotAllowed'],
    [answer(409, 'AlreadyExists'), 'isAlreadyExists'],
    [answer(409, 'Conflict'), 'isConflict'],
    [answer(410, 'Gone'), 'isGone'],
    [answer(410, 'Expired'), 'isGone'],
    [answer(413, 'RequestEntityTooLarge'), 'isRequestEntityTooLarge'],
    [answer(422, 'Invalid'), 'isInvalid'],
    [answer(429, 'TooManyRequests'), 'isTooManyRequests'],
    [answer(500, 'InternalError'), 'isInternalError'],
    [answer(500, 'ServerTimeout'), 'isTimeout'],
    [answer(503, 'ServiceUnavailable'), 'isServiceUnavailable'],
    [answer(504, 'Timeout'), 'isTimeout'],
    [new TransportError('get pods a/b', 'connection refused'), 'isTransportError'],
  ];
  for (const [error, predicate] of cases) assert.deepEqual(trueOf(error), [predicate], JSON.stringify(error));
});

test('a failure whose reason nobody knows is told apart by its code', () => {
  assert.deepEqual(trueOf(answer(404, 'NoSuchTenant')), ['isNotFound']);
  assert.deepEqual(trueOf(answer(409, '')), ['isConflict']);
  assert.deepEqual(trueOf(answer(504, 'Unknown')), ['isTimeout']);
  assert.deepEqual(trueOf(answer(418, 'Teapot')), []);
  assert.deepEqual(trueOf(new ApiError('get pods a/b', {})), []);
  // A reason that is known counts, whatever the code.
  assert.deepEqual(trueOf(answer(404, 'Forbidden')), ['isForbidden']);
});

test('what the server could not do is a server error by its code', () => {
  for (const error of [answer(500, 'InternalError'), answer(503, 'X'), answer(504, 'Timeout')]) {
    assert.ok(isServerError(error));
  }
  assert.ok(!isServerError(answer(429, 'TooManyRequests')));
  assert.ok(!isServerError(new TransportError('get pods a/b', 'connection refused')));
});

test('an error of another copy of this package is recognised by its code', () => {
  const foreign = Object.assign(new Error('x'), { code: 'ERR_API', status: { reason: 'NotFound', code: 404 } });
  assert.ok(isNotFound(foreign));
  assert.ok(!isNotFound({ code: 'ERR_API', status: { reason: 'NotFound' } }), 'not an Error');
});

test('the message says what was attempted and what the server answered', () => {
  assert.equal(answer(404, 'NotFound').message, 'get pods a/b: why');
  assert.equal(new ApiError('get pods a/b', { code: 502 }).message, 'get pods a/b: status 502');
});

test('a resourceVersion from the future is told apart by its cause', () => {
  const details = { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] };
  assert.ok(isTooLargeResourceVersion(new ApiError('list pods', { code: 504, reason: 'Timeout', details })));
  assert.ok(!isTooLargeResourceVersion(answer(504, 'Timeout')));
  assert.deepEqual(causesOf(new Error('x')), []);
});
