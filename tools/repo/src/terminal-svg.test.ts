import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, terminalSvg } from './terminal-svg.ts';

const draw = (text: string) => terminalSvg(text, { columns: 10, title: 'a & b' });

test('colours become spans, and the lines can be read again', () => {
  const svg = draw('\u001b[36mPod\u001b[0m  <a>\nplain\n');
  assert.match(svg, /<tspan fill="#79c0ff">Pod<\/tspan> {2}&lt;a&gt;<\/text>/);
  assert.match(svg, /<title>a &amp; b<\/title>/);
  assert.deepEqual(linesOf(svg), ['Pod  <a>', 'plain']);
});

test('a line that is too long is cut, also where colours change', () => {
  assert.deepEqual(linesOf(draw('0123456789\n0123456789A\n01234\u001b[32m5678\u001b[0m9ABC')), [
    '0123456789',
    '012345678…',
    '012345678…',
  ]);
});
