import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCampaign } from '../campaign.ts';

test('fifty virtual hours of faults, edits by others, crashes and restarts: converged, silent, and no larger', async (t) => {
  for (const seed of [1, 2]) {
    const report = await runCampaign({ hours: 50, seed });
    t.diagnostic(`seed ${seed}: ${JSON.stringify(report)}`);
    const [early, late] = report.heap;
    assert.ok(late < early * 1.15, `the heap grew from ${early} to ${late} bytes`);
  }
});
