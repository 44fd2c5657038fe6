import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ApiError,
  causesOf,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isServerError,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isTransportError,
  isUnauthorized,
  TransportError,
} from './errors.ts';

const answer = (code: number, reason: string) => new ApiError('get pods a/b', { code, reason, message: 'why' });

test('every failure is told apart by its reason', () => {
  const cases = [
    [isNotFound, answer(404, 'NotFound')],
    [isAlreadyExists, answer(409, 'AlreadyExists')],
    [isConflict, answer(409, 'Conflict')],
    [isInvalid, answer(422, 'Invalid')],
    [isForbidden, answer(403, 'Forbidden')],
    [isUnauthorized, answer(401, 'Unauthorized')],
    [isGone, answer(410, 'Expired')],
    [isTooManyRequests, answer(429, 'TooManyRequests')],
    [isServerError, answer(503, 'ServiceUnavailable')],
    [isTransportError, new TransportError('get pods a/b', 'connection refused')],
  ] as const;
  for (const [predicate] of cases) {
    const matching = cases.filter(([, error]) => predicate(error));
    assert.deepEqual(
      matching.map(([own]) => own.name),
      [predicate.name],
    );
  }
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
