/** The ids that areas prove lead to CHECKLIST.md, and what is listed there as proven is. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { areas } from '@keelson/conformance';

const rows = readFileSync(new URL('../CHECKLIST.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, id = '']) => /^[A-Z]+\d+$/.test(id))
  .map(([, id = '', , proven]) => ({ id, proven }));

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

test('every row of the checklist is proven by an area, or says that it is not yet', () => {
  const proving = new Set(areas.flatMap(({ proves }) => proves));
  const wrong = rows.filter(({ id, proven }) => proven !== (proving.has(id) ? 'yes' : 'not yet'));
  assert.deepEqual(wrong, []);
});
