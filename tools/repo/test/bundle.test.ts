import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundle } from '../src/bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-bundle-'));
after(() => rmSync(folder, { recursive: true }));

const sources = {
  'index.js':
    "export { Shared } from './deep/shared.js'; export const late = async () => (await import('./late.js')).late;",
  'kinds/a.js': "import { Shared } from '../deep/shared.js'; export const made = new Shared();",
  'deep/shared.js': "import { join } from 'node:path'; export class Shared { at = join('a', 'b'); }",
  'late.js': "globalThis.lateIsLoaded = true; export const late = 'late';",
  'unused.js': 'export const unused = 1;',
};

test('entries share one copy of what both need, late stays late, and what nobody reaches is gone', async () => {
  for (const [file, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  bundle(folder, ['./index.js', './kinds/*.js']);

  const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
  const [{ Shared, late }, { made }] = [await load('index.js'), await load('kinds/a.js')];
  assert.ok(made instanceof Shared);
  assert.equal('lateIsLoaded' in globalThis, false);
  assert.equal(await late(), 'late');
  const left = globSync('**/*.js', { cwd: folder }).map((file) => file.replace(/-\w+\.js$/, '.js'));
  assert.deepEqual(left.sort(), ['chunks/chunk.js', 'chunks/late.js', 'index.js', 'kinds/a.js']);
});
