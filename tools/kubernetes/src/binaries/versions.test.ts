import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUserFacingError } from '../machine/user-facing-error.ts';
import { parseKubernetesVersion } from './versions.ts';

test('a version may be written with or without its v', () => {
  const expected = { text: 'v1.36.4', major: '1', minor: '36', staging: 'v0.36.4' };
  assert.deepEqual(parseKubernetesVersion('v1.36.4'), expected);
  assert.deepEqual(parseKubernetesVersion('1.36.4'), expected);
});

test('a pre-release keeps its suffix in the staging modules', () => {
  assert.equal(parseKubernetesVersion('v1.37.0-rc.1').staging, 'v0.37.0-rc.1');
});

for (const text of ['', 'latest', '1.36', 'v2.0.0', 'v1.36.4-gke.1', ' v1.36.4']) {
  test(`"${text}" is refused as a version`, () => {
    assert.throws(() => parseKubernetesVersion(text), isUserFacingError);
  });
}
