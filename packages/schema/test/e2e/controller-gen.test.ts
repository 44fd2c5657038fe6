/**
 * controller-gen, built from its Go module, and `crdOf` make CRDs of the same ten kinds: they mean the same, and what
 * differs is listed in docs/schema.md.
 *
 * Go keeps what it built in its own cache, outside of the checkout; the first run takes minutes, the next seconds.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { parseAllDocuments } from 'yaml';
import { type Difference, differences } from '../controller-gen/difference.ts';
import { knownDifferences } from '../controller-gen/known-differences.ts';
import { ours } from '../controller-gen/ours.ts';

const run = promisify(execFile);
const hasGo = await run('go', ['version']).then(
  () => true,
  () => false,
);

describe('controller-gen', { skip: hasGo ? false : 'Go is not on the PATH' }, () => {
  const found: Difference[] = [];
  let theirs: readonly NewCustomResourceDefinition[];

  before(async () => {
    const { stdout } = await run('go', ['tool', 'controller-gen', 'crd', 'paths=./...', 'output:crd:stdout'], {
      cwd: fileURLToPath(new URL('../controller-gen', import.meta.url)),
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly' },
      maxBuffer: 2 ** 26,
    });
    theirs = parseAllDocuments(stdout).map((each) => each.toJS() as NewCustomResourceDefinition);
    for (const crd of ours) {
      const counterpart = theirs.find(({ metadata }) => metadata.name === crd.metadata.name);
      found.push(...differences(counterpart, JSON.parse(JSON.stringify(crd)), crd.spec.names.kind));
    }
  });

  test('makes CRDs of the same ten kinds', () => {
    const names = (crds: readonly NewCustomResourceDefinition[]) => crds.map(({ metadata }) => metadata.name).sort();
    assert.equal(ours.length, 10);
    assert.deepEqual(names(theirs), names(ours));
  });

  test('makes CRDs that mean the same, but for the known differences', () => {
    const known = Object.values(knownDifferences);
    assert.deepEqual(
      found.filter((each) => !known.some((isKnown) => isKnown(each))),
      [],
    );
  });

  test('differs in everything that docs/schema.md lists, and in nothing else', () => {
    const page = readFileSync(new URL('../../../../docs/schema.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('## Differences from controller-gen\n');
    const listed = [...section.matchAll(/^\| ([a-z][^|]*[^| ]) \|/gm)].map(([, what]) => what);
    const seen = Object.entries(knownDifferences).filter(([, isKnown]) => found.some(isKnown));
    assert.deepEqual(listed, Object.keys(knownDifferences));
    assert.deepEqual(
      seen.map(([what]) => what),
      listed,
    );
  });
});
