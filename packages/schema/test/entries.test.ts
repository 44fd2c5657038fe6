/** What each entry of the package loads: a kind without rules no CEL, a server no zod. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** All modules that a source file imports at run time, itself and those of its imports included. */
function loadedBy(file: URL, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file.href)) return seen;
  seen.add(file.href);
  const source = readFileSync(file, 'utf8');
  for (const [, specifier = ''] of source.matchAll(/^(?:import|export)(?! type) [^;]*?from '([^']+)';/gms)) {
    if (specifier.startsWith('.')) loadedBy(new URL(specifier, file), seen);
    else seen.add(specifier);
  }
  return seen;
}

const entry = (name: string) => loadedBy(new URL(`../src/${name}.ts`, import.meta.url));
const loadsCel = (modules: ReadonlySet<string>) => [...modules].some((each) => each.includes('/src/cel/'));

test('a kind without rules loads no CEL', () => {
  const modules = entry('index');
  assert.ok(modules.has('zod'));
  assert.ok(!loadsCel(modules));
});

test('rule() brings CEL along', () => {
  assert.ok(loadsCel(entry('rules')));
});

test('a server loads no zod', () => {
  const modules = entry('validation');
  assert.ok(loadsCel(modules));
  assert.ok(!modules.has('zod'));
});
