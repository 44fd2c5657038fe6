import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSource } from './dev-sources.ts';

const place = { folder: '/p', file: '/p/src/operator.ts', main: undefined };

test('sources and package.json matter, and neither tests nor what editors leave beside them', () => {
  const cases: readonly (readonly [name: string, folder: string, expected: boolean])[] = [
    ['operator.ts', '/p/src', true],
    ['api/v1/website.mts', '/p/src', true],
    ['data.json', '/p/src', true],
    ['view.tsx', '/p/src', true],
    ['operator.test.ts', '/p/src', false],
    ['operator.ts~', '/p/src', false],
    ['.operator.ts.swp', '/p/src', false],
    ['api/.#website.ts', '/p/src', false],
    ['4913', '/p/src', false],
    ['package.json', '/p', true],
    ['package-lock.json', '/p', false],
    ['vite.config.ts', '/p', false],
  ];
  for (const [name, folder, expected] of cases) assert.equal(isSource(name, folder, place), expected, name);
});

test('beside an operator in the folder of the package, the sources there matter', () => {
  const flat = { ...place, file: '/p/operator.ts' };
  assert.ok(isSource('helper.ts', '/p', flat));
  assert.ok(!isSource('README.md', '/p', flat));
});
