/** The picture in README.md shows what `npm start` prints. `npm run generate:picture` takes it again. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { columns, picture, recordStart, withoutChance } from '../src/picture.ts';
import { linesOf, terminalSvg } from '../src/terminal-svg.ts';

/**
 * Two runs differ in the order of lines, and in how often a status on its way is seen: what is compared is which lines
 * there are, whichever pod they are about, without the counts in between.
 */
const shapes = (lines: readonly string[]) =>
  [...new Set(lines.map((line) => line.replace(/(sample-[a-z0-9]+-)[a-z0-9]{5}\b/, '$1pod')))]
    .filter((line) => !/ [12]\/3 ready$/.test(line))
    .toSorted();

test('docs/npm-start.svg shows what npm start prints', async () => {
  const now = terminalSvg(`$ npm start\n${withoutChance(await recordStart())}`, { columns, title: '' });
  assert.deepEqual(
    shapes(linesOf(readFileSync(picture, 'utf8'))),
    shapes(linesOf(now)),
    'npm run generate:picture takes it again',
  );
});
