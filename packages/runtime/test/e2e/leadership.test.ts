/** Leadership on a real API server, among processes that are killed and stopped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availability } from '@keelson/tools-kubernetes';
import { handOverLimitMs, limitMs, runOutages } from '../outages.ts';

const found = await availability();

test('a leader that is killed, and one that is stopped past its lease, are replaced in time; nobody writes outside its term', {
  skip: found.available ? false : found.reason,
}, async (t) => {
  const report = await runOutages(2);
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(
    report.outages.filter(({ tookMs }) => tookMs > limitMs),
    [],
  );
  assert.ok(report.handOverMs < handOverLimitMs, JSON.stringify(report));
  assert.ok(report.sends > 20 && report.audited > 20, JSON.stringify(report));
});
