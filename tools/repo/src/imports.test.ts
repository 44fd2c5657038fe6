import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from './imports.ts';

test('a package is imported by its entries and by every file of a pattern', () => {
  const exports = { '.': './src/index.ts', './system': './src/deep/system.ts', './*': './src/generated/*.ts' };
  const files = ['generated/v1.js', 'generated/apps/v1.js', 'generated/v1.d.ts', 'index.js', 'chunks/generated/a.js'];
  assert.deepEqual(importsOf({ name: '@keelson/x', exports }, files), [
    '@keelson/x',
    '@keelson/x/system',
    '@keelson/x/apps/v1',
    '@keelson/x/v1',
  ]);
});
