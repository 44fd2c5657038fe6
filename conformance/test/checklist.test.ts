/** The ids that areas prove lead to CHECKLIST.md, and what is listed there as proven is. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { areas } from '@keelson/conformance';

const rows = readFileSync(new URL('../CHECKLIST.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, id = '']) => /^[A-Z]+\d+$/.test(id))
  .map(([, id = '', , provenBy = '']) => ({ id, provenBy: provenBy === 'not yet' ? [] : provenBy.split(', ') }));

test('every id stands in the checklist once', () => {
  assert.ok(rows.length > 40, 'the rows are where this test looks for them');
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
});

test('every id that an area proves is in the checklist', () => {
  const known = new Set(rows.map(({ id }) => id));
  const unknown = areas.flatMap(({ name, proves }) =>
    proves.filter((id) => !known.has(id)).map((id) => `${name} ${id}`),
  );
  assert.deepEqual(unknown, []);
});

for (const { id, provenBy } of rows) {
  test(`${id} is proven by ${provenBy.join(', ') || 'nothing yet'}`, () => {
    const proving = areas.filter(({ proves }) => proves.includes(id)).map(({ name }) => name);
    assert.deepEqual(provenBy.toSorted(), proving.toSorted(), 'the last column of CHECKLIST.md names the areas');
  });
}
