import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedManifest } from './build.ts';
import type { Manifest } from './workspace.ts';

const base = { name: '@keelson/x', version: '1.2.3', description: 'X' };
const node = { engines: { node: '>=22' }, publishConfig: { access: 'public', provenance: true } };
const versionOf = (name: string) => ({ '@keelson/core': '1.2.3', '@keelson/client': '1.2.4' })[name];

const cases: readonly { says: string; manifest: Manifest; expected: object }[] = [
  {
    says: 'names built files',
    manifest: { ...base, exports: { '.': './src/index.ts', './system': './src/deep/system.ts' } },
    expected: {
      ...base,
      ...node,
      exports: {
        '.': { types: './index.d.ts', default: './index.js' },
        './system': { types: './deep/system.d.ts', default: './deep/system.js' },
      },
    },
  },
  {
    says: 'keeps the pattern of an exports map',
    manifest: { ...base, exports: { './*': './src/generated/*.ts' } },
    expected: { ...base, ...node, exports: { './*': { types: './generated/*.d.ts', default: './generated/*.js' } } },
  },
  {
    says: 'names built commands',
    manifest: {
      ...base,
      exports: {},
      imports: { '#z': './src/z.ts' },
      bin: { x: './src/main.ts', y: './src/y/main.ts' },
    },
    expected: { ...base, ...node, exports: {}, imports: { '#z': './z.js' }, bin: { x: './main.js', y: './y/main.js' } },
  },
  {
    says: 'pins siblings to their versions and leaves third-party ranges alone',
    manifest: { ...base, exports: {}, dependencies: { '@keelson/core': '*', '@keelson/client': '*', yaml: '^2.9.1' } },
    expected: {
      ...base,
      ...node,
      exports: {},
      dependencies: { '@keelson/core': '1.2.3', '@keelson/client': '1.2.4', yaml: '^2.9.1' },
    },
  },
  {
    says: 'keeps peers, and files to publish, as they are',
    manifest: {
      ...base,
      exports: {},
      files: ['**/*.js'],
      peerDependencies: { zod: '^4' },
      peerDependenciesMeta: { zod: { optional: true } },
    },
    expected: {
      ...base,
      ...node,
      exports: {},
      files: ['**/*.js'],
      peerDependencies: { zod: '^4' },
      peerDependenciesMeta: { zod: { optional: true } },
    },
  },
];

for (const { says, manifest, expected } of cases) {
  test(`the published package.json ${says}`, () => {
    assert.deepEqual(publishedManifest(manifest, versionOf), expected);
  });
}

test('in the published package.json the types come before the code, as resolvers need it', () => {
  const published = publishedManifest({ ...base, exports: { '.': './src/index.ts' } }, versionOf);
  assert.match(JSON.stringify(published), /"types":"[^"]+","default"/);
});
