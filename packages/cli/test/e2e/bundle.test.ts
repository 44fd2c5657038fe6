/** Bundles before the validators of the Operator Framework, with the suite of OperatorHub: they find what ours find. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { availability, peerProgram } from '@keelson/tools-kubernetes';
import { breakBundle, brokenBundles, wholeBundle, writeBundle } from '../broken-bundles.ts';

interface TheirFinding {
  readonly bundle: string;
  readonly level: 'Error' | 'Warning';
  readonly text: string;
}

const possible = await availability();
const skip = !possible.available && possible.reason;

describe('the validators of the Operator Framework', { skip }, () => {
  let folder: string;
  let found: readonly TheirFinding[];
  const ours = ['memcached', 'echo'].map((name) =>
    fileURLToPath(new URL(`../../../../operators/${name}/bundle`, import.meta.url)),
  );
  const folderOf = (i: number) => join(folder, String(i));
  before(async () => {
    const validator = await peerProgram('bundle-validator');
    folder = await mkdtemp(join(tmpdir(), 'keelson-bundles-'));
    await writeBundle(join(folder, 'whole'), wholeBundle());
    for (const [i, each] of brokenBundles.entries()) await writeBundle(folderOf(i), breakBundle(each));
    const folders = [...ours, join(folder, 'whole'), ...brokenBundles.map((_, i) => folderOf(i))];
    const lines = execFileSync(validator, folders, { encoding: 'utf8' }).trim().split('\n');
    found = lines.map((line) => JSON.parse(line) as TheirFinding);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('find nothing in the bundles of both operators', () => {
    assert.deepEqual(
      found.filter(({ bundle }) => [...ours, join(folder, 'whole')].includes(bundle)),
      [],
    );
  });

  for (const [i, { what, findings }] of brokenBundles.entries()) {
    test(`find what ours find in one with ${what}`, () => {
      const theirs = found.filter(({ bundle }) => bundle === folderOf(i));
      const isSame = ({ level, text }: TheirFinding, [expected, , words]: (typeof findings)[number]) =>
        level.toLowerCase() === expected && words.test(text);
      // They tell some things twice, by two validators.
      assert.deepEqual(
        theirs.filter((each) => !findings.some((expected) => isSame(each, expected))),
        [],
      );
      assert.deepEqual(
        findings.filter((expected) => !theirs.some((each) => isSame(each, expected))),
        [],
      );
    });
  }
});
