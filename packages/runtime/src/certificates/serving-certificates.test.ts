import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import { VirtualClock } from '@keelson/testing';
import { certificateCheck, givenCertificates } from './serving-certificates.ts';

const day = 24 * 3_600_000;

test('a probe tells the days that are left, and what is wrong beside', () => {
  const check = (remarks: readonly string[]) =>
    certificateCheck({ problem: undefined, remarks, expiresAt: 61.9 * day }, 0);
  assert.deepEqual(check([]), {
    name: 'webhook-certificate',
    problem: undefined,
    note: { word: '', details: '61 days left' },
  });
  assert.deepEqual(check(['x is not there']).note, { word: 'degraded', details: '61 days left; x is not there' });
});

test('one that never changes is served until it ends', async () => {
  const clock = new VirtualClock();
  const lifetime = { startsAt: clock.now(), endsAt: clock.now() + day };
  const identity = createAuthority(systemRandom).issueServer('web', ['web'], lifetime);
  const given = givenCertificates(identity, clock);
  assert.equal(given.current, identity);
  assert.equal(given.health.problem, undefined);
  await clock.advance(day);
  assert.equal(given.current, undefined);
  assert.equal(given.health.problem, 'it expired at 2026-01-02T00:00:00Z; start again with another');
});
