import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BillOptions, billOfMaterials } from './bill-of-materials.ts';

interface Described {
  readonly SPDXID: string;
  readonly name: string;
  readonly licenseDeclared: string;
  readonly externalRefs?: readonly { readonly referenceLocator: string }[];
}

const packagesIn = (options: Partial<BillOptions>): readonly Described[] =>
  JSON.parse(
    String(
      billOfMaterials({
        name: '@scope/web-operator',
        version: '1.0.0',
        created: '1970-01-01T00:00:00Z',
        dependencies: [],
        base: [],
        ...options,
      }),
    ),
  ).packages;

const urlsIn = (options: Partial<BillOptions>) =>
  packagesIn(options).flatMap(({ externalRefs = [] }) => externalRefs.map((each) => each.referenceLocator));

test('a bill of materials names the operator and every package once, with its licence', () => {
  const engine = { name: '@scope/engine', version: '1.0.0', license: 'MIT' };
  const base = [{ name: 'libc6', version: '2.36', purl: 'deb' }] as const;
  const packages = packagesIn({ license: 'Apache-2.0', dependencies: [engine, engine], base });
  assert.deepEqual(
    packages.map(({ name, licenseDeclared }) => [name, licenseDeclared]),
    [
      ['@scope/web-operator', 'Apache-2.0'],
      ['libc6', 'NOASSERTION'],
      ['@scope/engine', 'MIT'],
    ],
  );
});

test('a package has an address that scanners know', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const urls = urlsIn({
    base: [
      { name: 'libc6', version: '2.36-9+deb12u1', purl: 'deb', architecture: 'arm64' },
      { name: 'registry.example.com/library/node', version: digest, purl: 'oci' },
      { name: 'node', version: '24.0.0', purl: 'generic' },
    ],
    dependencies: [{ name: '@scope/engine', version: '1.0.0' }],
  });
  assert.deepEqual(urls, [
    'pkg:deb/debian/libc6@2.36-9%2Bdeb12u1?arch=arm64',
    `pkg:oci/node@sha256%3A${'a'.repeat(64)}?repository_url=registry.example.com/library/node`,
    'pkg:generic/node@24.0.0',
    'pkg:npm/%40scope/engine@1.0.0',
  ]);
});

test('two packages whose names differ by a sign that identifiers cannot have are two', () => {
  const named = (name: string) => ({ name, version: '1.0.0' });
  const packages = packagesIn({ dependencies: ['a_b', 'a-b', 'a.b', '@a/b'].map(named) });
  assert.equal(new Set(packages.map(({ SPDXID }) => SPDXID)).size, 5);
  for (const { SPDXID } of packages) assert.match(SPDXID, /^SPDXRef-[A-Za-z0-9.-]+$/);
});

test('a licence that is no expression of SPDX is not declared as one', () => {
  const declared = (license: unknown) => {
    const [, found] = packagesIn({ dependencies: [{ name: 'a', version: '1.0.0', license: license as string }] });
    return found?.licenseDeclared;
  };
  for (const license of ['MIT', '(MIT OR Apache-2.0)', 'GPL-2.0-only WITH Classpath-exception-2.0', 'LicenseRef-x']) {
    assert.equal(declared(license), license);
  }
  for (const license of ['SEE LICENSE IN LICENSE', 'UNLICENSED', '', undefined, { type: 'MIT' }]) {
    assert.equal(declared(license), 'NOASSERTION');
  }
});
