import assert from 'node:assert/strict';
import { test } from 'node:test';
import { licenceMistakes, type PackedPackage, packageMistakes } from './package-mistakes.ts';
import { planOf } from './release-plan.ts';

const whole: PackedPackage = {
  manifest: {
    name: '@keelson/x',
    version: '1.0.0',
    license: 'Apache-2.0',
    publishConfig: { access: 'public', provenance: true },
    dependencies: { '@keelson/core': '1.0.0', yaml: '2.9.1' },
  },
  files: ['LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md', 'package.json', 'index.js', 'index.d.ts'],
};
const { manifest, files } = whole;

const cases: readonly (readonly [string, PackedPackage, readonly RegExp[]])[] = [
  ['a package that is whole', whole, []],
  ['another version', { files, manifest: { ...manifest, version: '0.9.0' } }, [/has the version 0\.9\.0/]],
  ['another licence', { files, manifest: { ...manifest, license: 'MIT' } }, [/has the licence MIT/]],
  ['no provenance', { files, manifest: { ...manifest, publishConfig: { access: 'public' } } }, [/without provenance/]],
  ['a private one', { files, manifest: { ...manifest, publishConfig: { provenance: true } } }, [/not be public/]],
  ['no licence text', { manifest, files: files.slice(1) }, [/has no LICENSE/]],
  ['a test', { manifest, files: [...files, 'a/b.test.js'] }, [/b\.test\.js, which nobody needs/]],
  ['a source', { manifest, files: [...files, 'a.ts'] }, [/a\.ts, which nobody needs/]],
  [
    'a loose sibling',
    { files, manifest: { ...manifest, dependencies: { '@keelson/core': '*' } } },
    [/core \*, and not just 1\.0\.0/],
  ],
];
for (const [what, packed, expected] of cases) {
  test(`${what} is judged before it is published`, () => {
    const mistakes = packageMistakes(packed, '1.0.0');
    assert.equal(mistakes.length, expected.length, mistakes.join('\n'));
    for (const [i, pattern] of expected.entries()) assert.match(mistakes[i] ?? '', pattern);
  });
}

test('a dependency may have one of several licences, and must have one', () => {
  const of = (license: string | undefined) => licenceMistakes([{ name: 'a', version: '1.0.0', license }]);
  for (const license of ['MIT', '(GPL-3.0 OR MIT)', 'BlueOak-1.0.0']) assert.deepEqual(of(license), []);
  assert.deepEqual(of('GPL-3.0'), ['a 1.0.0 has the licence GPL-3.0']);
  assert.deepEqual(of(undefined), ['a 1.0.0 has the licence of nobody']);
});

test('a release has one version, and a changelog of each package that tells of it', () => {
  const planned = { name: 'a', before: '0.0.0', version: '0.1.0', changelog: '# a\n\n## 0.1.0\n\n- New.\n' };
  assert.equal(planOf([planned, { ...planned, name: 'b' }]).version, '0.1.0');
  assert.throws(
    () => planOf([planned, { ...planned, name: 'b', version: '0.2.0' }]),
    /not in step: a 0\.1\.0, b 0\.2\.0/,
  );
  assert.throws(() => planOf([{ ...planned, changelog: '# a\n' }]), /No changelog tells of a 0\.1\.0/);
  assert.throws(() => planOf([{ ...planned, version: '0.0.0' }]), /nothing to release/);
});
