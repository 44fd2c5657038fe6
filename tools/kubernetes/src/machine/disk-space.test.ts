import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { diskSpaceMessage, requireDiskSpace } from './disk-space.ts';
import { isUserFacingError } from './user-facing-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-space-'));
const missing = join(folder, 'not', 'there');
after(() => rmSync(folder, { recursive: true }));

test('the sentence about space names what needs how much, where, and what is free', () => {
  assert.equal(
    diskSpaceMessage('/cache', 1.25e9, 5e9, 'building Kubernetes'),
    'No space: building Kubernetes needs 5.0 GB in /cache, and 1.3 GB are free.',
  );
});

test('more space than any disk has is refused, also for a directory that does not exist yet', async () => {
  await assert.rejects(requireDiskSpace(missing, Number.MAX_VALUE, 'everything'), isUserFacingError);
});

test('no space at all is granted', async () => {
  await requireDiskSpace(missing, 0, 'nothing');
});
