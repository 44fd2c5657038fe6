import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCampaign } from '../campaign.ts';

const campaigns = [
  { seed: 1, says: 'apply' },
  { seed: 2, says: 'apply' },
  { seed: 1, says: 'report' },
  { seed: 2, says: 'report' },
] as const;

test('fifty virtual hours of faults, edits by others, crashes and restarts: converged, silent, and no larger', async (t) => {
  for (const { seed, says } of campaigns) {
    const report = await runCampaign({ hours: 50, seed, says });
    t.diagnostic(`seed ${seed}, statuses by ${says}: ${JSON.stringify(report)}`);
    const [early, late] = report.heap;
    assert.ok(late < early * 1.1, `the heap grew from ${early} to ${late} bytes`);
  }
});
