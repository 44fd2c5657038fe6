import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveView } from './live-view.ts';

function viewOf(columns: number | undefined) {
  const printed: string[] = [];
  const view = new LiveView({ err: (text) => printed.push(text), errColumns: () => columns });
  return { view, printed };
}

test('without a terminal a line is printed when it says something new, and no sooner', () => {
  const { view, printed } = viewOf(undefined);
  view.show([
    { key: 'a', text: 'a: 10 %', plain: 'a is sent' },
    { key: 'b', text: 'b waits' },
  ]);
  view.show([
    { key: 'a', text: 'a: 20 %', plain: 'a is sent' },
    { key: 'b', text: 'b runs' },
  ]);
  view.clear();
  assert.deepEqual(printed, ['a is sent\n', 'b waits\n', 'b runs\n']);
});

test('on a terminal the lines are written over, cut to its width, and gone in the end', () => {
  const { view, printed } = viewOf(10);
  view.show([
    { key: 'a', text: 'a: 10 %' },
    { key: 'b', text: 'b is\na long one' },
  ]);
  view.show([{ key: 'a', text: 'a: 20 %' }]);
  view.show([{ key: 'a', text: 'a: 20 %' }]);
  view.clear();
  view.clear();
  assert.deepEqual(printed, ['a: 10 %\nb is a l…\n', '\u001b[2A\u001b[Ja: 20 %\n', '\u001b[1A\u001b[J']);
});
