import assert from 'node:assert/strict';
import { test } from 'node:test';
import { licenceMistakes, type PackedPackage, packageMistakes, repositoryMistakes } from './package-mistakes.ts';
import { planOf } from './release-plan.ts';

const url = 'https://git.example.com/you/keelson.git';
const released = { version: '1.0.0', names: ['@keelson/x', '@keelson/core'], repository: url };
const whole: PackedPackage = {
  manifest: {
    name: '@keelson/x',
    version: '1.0.0',
    license: 'Apache-2.0',
    publishConfig: { access: 'public', provenance: true },
    repository: { url },
    dependencies: { '@keelson/core': '1.0.0', yaml: '2.9.1' },
  },
  files: ['LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md', 'package.json', 'index.js', 'index.d.ts'],
};
const { manifest, files } = whole;

const cases: readonly (readonly [string, PackedPackage, readonly RegExp[]])[] = [
  ['a package that is whole', whole, []],
  ['another version', { files, manifest: { ...manifest, version: '0.9.0' } }, [/has the version 0\.9\.0/]],
  ['another licence', { files, manifest: { ...manifest, license: 'MIT' } }, [/has the licence MIT/]],
  ['no licence', { files, manifest: { ...manifest, license: undefined } }, [/names no licence/]],
  ['another repository', { files, manifest: { ...manifest, repository: {} } }, [/has the repository undefined/]],
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
  [
    'a loose peer',
    { files, manifest: { ...manifest, peerDependencies: { '@keelson/x': '^1' } } },
    [/x \^1, and not just 1\.0\.0/],
  ],
  [
    'a dependency that stays here',
    { files, manifest: { ...manifest, dependencies: { '@keelson/tools-x': '1.0.0' } } },
    [/needs @keelson\/tools-x, which is not published/],
  ],
  [
    'a dependency of no registry',
    { files, manifest: { ...manifest, optionalDependencies: { yaml: 'file:../yaml' } } },
    [/wants yaml "file:\.\.\/yaml", which is no version/],
  ],
];
for (const [what, packed, expected] of cases) {
  test(`${what} is judged before it is published`, () => {
    const mistakes = packageMistakes(packed, released);
    assert.equal(mistakes.length, expected.length, mistakes.join('\n'));
    for (const [i, pattern] of expected.entries()) assert.match(mistakes[i] ?? '', pattern);
  });
}

test('provenance needs the URL of a public repository, and nobody invents one', () => {
  assert.deepEqual(repositoryMistakes(url), []);
  assert.deepEqual(repositoryMistakes(`git+${url}`), []);
  assert.match(repositoryMistakes(undefined)[0] ?? '', /needs repository\.url.*--repository URL/);
  for (const wrong of ['', 'keelson', 'git@git.example.com:you/keelson.git', 'https://git.example.com/']) {
    assert.match(repositoryMistakes(wrong)[0] ?? '', /is no URL of a public repository/, wrong);
  }
});

test('a dependency may have one of several licences, and must have one', () => {
  const of = (license: unknown) => licenceMistakes([{ name: 'a', version: '1.0.0', license }]);
  for (const license of ['MIT', '(GPL-3.0 OR MIT)', 'BlueOak-1.0.0']) assert.deepEqual(of(license), []);
  assert.deepEqual(of('GPL-3.0'), ['a 1.0.0 has the licence GPL-3.0']);
  assert.deepEqual(of('MIT AND GPL-3.0'), ['a 1.0.0 has the licence MIT AND GPL-3.0']);
  for (const license of [undefined, { type: 'MIT' }]) {
    assert.deepEqual(of(license), ['a 1.0.0 names no licence as npm asks for it']);
  }
});

test('a release has one version, and a changelog of each package that tells of it', () => {
  const planned = { name: 'a', before: '0.0.0', version: '0.1.0', changelog: '# a\n\n## 0.1.0\n\n- New.\n' };
  assert.equal(planOf([planned, { ...planned, name: 'b' }]).version, '0.1.0');
  assert.throws(
    () => planOf([planned, { ...planned, name: 'b', version: '0.2.0' }]),
    /not in step: a 0\.1\.0, b 0\.2\.0/,
  );
  assert.throws(
    () => planOf([planned, { ...planned, name: 'b', before: '9.9.9' }]),
    /in the checkout are not in step: a 0\.0\.0, b 9\.9\.9/,
  );
  assert.throws(() => planOf([{ ...planned, changelog: '# a\n' }]), /No changelog tells of a 0\.1\.0/);
  assert.throws(() => planOf([{ ...planned, version: '0.0.0' }]), /nothing to release/);
});
