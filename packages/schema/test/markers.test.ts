/** docs/schema.md names a counterpart for every marker of controller-gen, and a test of it that exists. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crdOf } from '@keelson/schema';
import { markedKinds } from './markers/marked-kinds.ts';
import { markers } from './markers/markers.ts';

const page = new URL('../../../docs/schema.md', import.meta.url);
const rows = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `+'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, marker = '', counterpart = '', shown = '']) => ({
    marker: /^`\+([^=`]*)/.exec(marker)?.[1] ?? marker,
    counterpart,
    tests: [...shown.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name = '', file = '']) => ({ name, file })),
  }));

test('the table has every marker once', () => {
  assert.deepEqual(rows.map(({ marker }) => marker).sort(), [...markers].sort());
});

test('every marker has a counterpart with a test, or says that there is none', () => {
  for (const { marker, counterpart, tests } of rows) {
    assert.ok(counterpart !== '', marker);
    if (!counterpart.startsWith('None')) assert.ok(tests.length > 0, marker);
  }
});

test('the tests that the table names exist', () => {
  for (const { marker, tests } of rows) {
    for (const { name, file } of tests) {
      const source = readFileSync(new URL(file, page), 'utf8');
      assert.ok(source.includes(`'${name}'`), `${marker}: ${name} is in ${file}`);
    }
  }
});

test('a marked kind stands in the rows of its markers', () => {
  const shown = markedKinds.filter(({ what, markers: own }) =>
    own.every((marker) => rows.find((row) => row.marker === marker)?.tests.some(({ name }) => name === what)),
  );
  assert.deepEqual(
    markedKinds.filter((each) => !shown.includes(each)).map(({ what, markers: own }) => [what, own]),
    [],
  );
});

for (const { what, kind, expected } of markedKinds) {
  test(`a kind can have ${what}`, () => {
    assert.partialDeepStrictEqual(crdOf(kind), expected);
  });
}
