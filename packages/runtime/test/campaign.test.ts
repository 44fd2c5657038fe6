/** The campaign for a virtual hour; fifty of them are in long/campaign.test.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCampaign } from './campaign.ts';

for (const says of ['apply', 'report'] as const) {
  test(`an hour of virtual time with faults, edits by others, crashes and restarts, statuses by ${says}: converged, and silent`, async () => {
    const { faults, crashes } = await runCampaign({ hours: 1, seed: 11, says });
    assert.ok(crashes > 0 && Object.values(faults).every((count) => count > 0), JSON.stringify({ faults, crashes }));
  });
}
