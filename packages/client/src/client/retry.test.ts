import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyRandom } from '../../test/manual-clock.ts';
import { type Outcome, retryAfterMs, retryDelay } from './retry.ts';

const answer = (status: number, retryAfterMs?: number): Outcome => ({ type: 'answer', status, retryAfterMs });
const broken: Outcome = { type: 'broken' };

const cases: readonly [string, { tries?: number; isRepeatable: boolean; outcome: Outcome }, number | undefined][] = [
  ['a write is repeated when the server says when', { isRepeatable: false, outcome: answer(429, 2000) }, 2000],
  [
    'a write is not repeated after a bare 429: that is an answer',
    { isRepeatable: false, outcome: answer(429) },
    undefined,
  ],
  ['nor is a read', { isRepeatable: true, outcome: answer(429) }, undefined],
  [
    'a write is not repeated after a 503, whatever it says',
    { isRepeatable: false, outcome: answer(503, 1000) },
    undefined,
  ],
  ['a write is not repeated after a broken connection', { isRepeatable: false, outcome: broken }, undefined],
  ['a read is repeated after a 503 when the server says', { isRepeatable: true, outcome: answer(503, 1000) }, 1000],
  ['a read is repeated after a 500', { isRepeatable: true, outcome: answer(500) }, 100],
  ['and waits twice as long the second time', { tries: 2, isRepeatable: true, outcome: answer(500) }, 200],
  ['a read is repeated after a broken connection', { isRepeatable: true, outcome: broken }, 100],
  ['what is not implemented will not be by waiting', { isRepeatable: true, outcome: answer(501) }, undefined],
  ['a 404 stands', { isRepeatable: true, outcome: answer(404, 1000) }, undefined],
  ['without advice there are four tries', { tries: 4, isRepeatable: true, outcome: broken }, undefined],
  ['with advice there are nine', { tries: 9, isRepeatable: true, outcome: answer(429, 1000) }, 1000],
  ['and a tenth, but no more', { tries: 10, isRepeatable: true, outcome: answer(429, 1000) }, undefined],
];

for (const [sentence, { tries = 1, isRepeatable, outcome }, expected] of cases) {
  test(`retry: ${sentence}`, () => {
    assert.equal(retryDelay({ tries, isRepeatable, outcome }, steadyRandom(0)), expected);
  });
}

test('retries are spread, and never earlier than the server asked', () => {
  const input = { tries: 1, isRepeatable: true };
  assert.equal(retryDelay({ ...input, outcome: answer(503, 1000) }, steadyRandom(0.5)), 1050);
  assert.equal(retryDelay({ ...input, outcome: broken }, steadyRandom(0.5)), 150);
});

test('Retry-After holds seconds or a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(retryAfterMs('3', now), 3000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:05 GMT', now), 5000);
  assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:05 GMT', now), 0);
  assert.equal(retryAfterMs('soon', now), undefined);
  assert.equal(retryAfterMs(undefined, now), undefined);
});
