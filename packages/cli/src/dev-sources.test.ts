import assert from 'node:assert/strict';
import { EventEmitter, on } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deadline } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { type Change, isSource, watchSources } from './dev-sources.ts';

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

/** A project with these folders of sources, and a way to wait until a path of it is noticed. */
function watched(t: TestContext, folders: readonly string[], file = 'src/operator.ts') {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-sources-'));
  for (const each of folders) {
    mkdirSync(join(folder, each), { recursive: true });
    writeFileSync(join(folder, each, 'operator.ts'), '');
  }
  const heard = new EventEmitter();
  const all: string[] = [];
  const onChange = ({ path }: Change) => {
    all.push(path);
    heard.emit('change', path);
  };
  const sources = watchSources({ onChange, onError: assert.fail });
  const limit = deadline(systemClock, 10_000, 'a change');
  t.after(() => {
    sources[Symbol.dispose]();
    limit[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });
  const changes = on(heard, 'change', { signal: limit.signal });
  sources.follow({ folder, file: join(folder, file), main: undefined });
  return {
    all,
    at: (path: string) => join(folder, path),
    async noticed(expected: string) {
      for await (const [path] of { [Symbol.asyncIterator]: () => ({ next: () => changes.next() }) }) {
        if (path === expected) return;
      }
    },
  };
}

test('a folder of sources that was replaced by another is watched, too', async (t) => {
  const { at, noticed } = watched(t, ['src', 'fresh']);
  renameSync(at('src'), at('stale'));
  renameSync(at('fresh'), at('src'));
  await noticed('src');
  writeFileSync(at('src/operator.ts'), '// changed');
  await noticed('src/operator.ts');
});

test('a file is noticed however often it is saved by a rename, and in folders that came later', async (t) => {
  const { at, noticed } = watched(t, ['src/api']);
  for (let time = 1; time <= 3; time++) {
    writeFileSync(at('src/api/operator.ts~'), `// ${time}`);
    renameSync(at('src/api/operator.ts~'), at('src/api/operator.ts'));
    await noticed('src/api/operator.ts');
  }
  appendFileSync(at('src/api/operator.ts'), '// more');
  await noticed('src/api/operator.ts');
  mkdirSync(at('src/later'));
  await noticed('src/later');
  writeFileSync(at('src/later/more.ts'), '');
  await noticed('src/later/more.ts');
});

test('several files that are saved at once are one change; notes, hidden folders and dependencies are none', async (t) => {
  const { at, all, noticed } = watched(t, ['src', 'src/node_modules/x', 'src/.cache']);
  writeFileSync(at('src/a.ts'), '');
  writeFileSync(at('src/b.ts'), '');
  writeFileSync(at('src/notes.md'), '');
  writeFileSync(at('src/node_modules/x/c.ts'), '');
  writeFileSync(at('src/.cache/d.ts'), '');
  await noticed('src/b.ts'); // the last of those that matter
  assert.deepEqual(all, ['src/b.ts']);
});

test('an operator beside src has the sources in its own folder watched, too', async (t) => {
  const { at, noticed } = watched(t, ['src', 'lib/deep'], 'lib/operator.ts');
  writeFileSync(at('lib/deep/more.ts'), '');
  await noticed('lib/deep/more.ts');
  writeFileSync(at('src/more.ts'), '');
  await noticed('src/more.ts');
});
