import assert from 'node:assert/strict';
import { EventEmitter, on } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deadline } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { isSource, watchSources } from './dev-sources.ts';

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

test('a folder of sources that was replaced by another is watched, too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-sources-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const each of ['src', 'fresh']) {
    mkdirSync(join(folder, each));
    writeFileSync(join(folder, each, 'operator.ts'), '');
  }
  const heard = new EventEmitter();
  using sources = watchSources({ onChange: ({ path }) => heard.emit('change', path), onError: assert.fail });
  using limit = deadline(systemClock, 10_000, 'a change');
  const changes = on(heard, 'change', { signal: limit.signal });
  const noticed = async (expected: string) => {
    for await (const [path] of { [Symbol.asyncIterator]: () => ({ next: () => changes.next() }) }) {
      if (path === expected) return;
    }
  };
  sources.follow({ folder, file: join(folder, 'src/operator.ts'), main: undefined });
  renameSync(join(folder, 'src'), join(folder, 'stale'));
  renameSync(join(folder, 'fresh'), join(folder, 'src'));
  await noticed('src');
  writeFileSync(join(folder, 'src/operator.ts'), '// changed');
  await noticed('src/operator.ts');
});
