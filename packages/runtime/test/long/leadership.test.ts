/** The same as test/e2e/leadership.test.ts, eight times more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handOverLimitMs, limitMs, runOutages } from '../outages.ts';

test('eight leaders in turn are killed or stopped past their lease: another acts in time, and nobody writes outside its term', async (t) => {
  const report = await runOutages(8);
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(
    report.outages.filter(({ tookMs }) => tookMs > limitMs),
    [],
  );
  assert.ok(report.handOverMs < handOverLimitMs, JSON.stringify(report));
  assert.ok(report.sends > 100 && report.audited > 100, JSON.stringify(report));
});
