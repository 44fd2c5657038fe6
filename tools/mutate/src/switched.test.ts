import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { mutantsOf } from './mutants.ts';
import { switched } from './switched.ts';

const text = `function size(n) { if (n > 2 && n < 9) return 'many'; log.push(n); return n === 1 ? 'one' : 'few'; }`;

/** What the function answers for some numbers, and what it logged, with a mutant. */
function answers(active?: string): string {
  const log: number[] = [];
  const size = runInNewContext(`${switched(text, mutantsOf(text), 'm#')}; size`, {
    log,
    $mutant: (id: string) => id === active,
  });
  return [1, 2, 5, 9].map(size).concat(log).join();
}

test('without an active mutant, the source does what it did', () => {
  assert.equal(answers(), 'one,few,many,few,1,2,9');
});

test('each mutant does what its edit says, and no other', () => {
  for (const [number, { start, end, text: to }] of mutantsOf(text).entries()) {
    const edited = `${text.slice(0, start)}${to}${text.slice(end)}`;
    const log: number[] = [];
    const expected = [1, 2, 5, 9]
      .map(runInNewContext(`${edited}; size`, { log }))
      .concat(log)
      .join();
    assert.equal(answers(`m#${number}`), expected, `${text.slice(start, end)} → ${to}`);
  }
});
