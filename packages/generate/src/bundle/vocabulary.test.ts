import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNewer, versionRange } from './vocabulary.ts';

test('versions are in the order of semver.org', () => {
  const inOrder = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc-1.1',
    '1.0.0',
    '1.0.10',
    '1.2.0',
    '10.0.0',
  ];
  for (const [i, version] of inOrder.entries()) {
    for (const [j, other] of inOrder.entries()) assert.equal(isNewer(version, other), i > j, `${version} > ${other}`);
  }
  assert.equal(isNewer('1.0.0+2', '1.0.0+1'), false, 'what follows a + does not count');
});

test('a range is versions with what they are compared by', () => {
  for (const range of ['<1.0.0', '>= 1.0.0 <1.2.0', '1.x || 1.2.x', '1.0.0 || >1.1.0-rc.1 !=1.2.0'])
    assert.match(range, versionRange);
  for (const range of ['', '<1.0', '^1.0.0', '>=1.0.0<1.2.0', '> 1', 'all']) assert.doesNotMatch(range, versionRange);
});
