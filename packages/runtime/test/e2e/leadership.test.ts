/** Leadership on a real API server, among processes that are killed and stopped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availability } from '@keelson/tools-kubernetes';
import { runOutages } from '../outages.ts';

const found = await availability();

test('a leader that is killed, and one that is stopped past its lease, are replaced; one that is told to stop hands over; nobody writes outside its term', {
  skip: found.available ? false : found.reason,
}, async (t) => {
  const report = await runOutages(2);
  t.diagnostic(JSON.stringify(report));
  // How soon is measured in test/long; here the machine may be busy with something else.
  assert.ok(report.isGivenBack, JSON.stringify(report));
  assert.ok(report.sends > 3 && report.audited > 3, JSON.stringify(report));
});
