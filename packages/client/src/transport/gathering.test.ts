import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn } from '@keelson/core/system';
import { ManualClock } from '../../test/manual-clock.ts';
import { Gathering } from './gathering.ts';

function gathering({ clock = new ManualClock(), gatherMs = (): number => 100 } = {}) {
  const heard: string[] = [];
  const stream = new Gathering({
    gatherMs,
    clock,
    onPiece: (piece) => heard.push(Buffer.from(piece).toString()),
    onRest: (isResting) => heard.push(isResting ? '(' : ')'),
  });
  return { clock, heard, stream, push: (text: string) => stream.push(Buffer.from(text)) };
}

test('what comes alone is handed on at once, and nothing is read then for a while', async () => {
  const { clock, heard, push } = gathering();
  push('a');
  await nextTurn();
  assert.deepEqual(heard, ['(', 'a']);
  await clock.advance(99);
  assert.deepEqual(heard, ['(', 'a']);
  await clock.advance(1);
  assert.deepEqual(heard, ['(', 'a', ')']);
  await clock.advance(1000);
  push('b');
  await nextTurn();
  assert.deepEqual(heard, ['(', 'a', ')', '(', 'b']);
});

test('what is there to be read is handed on in one piece', async () => {
  const { heard, push } = gathering();
  push('a');
  push('b');
  assert.deepEqual(heard, []);
  await nextTurn();
  assert.deepEqual(heard, ['(', 'ab']);
});

test('what had been received when the rest began comes after it', async () => {
  const { clock, heard, push } = gathering();
  push('a');
  await nextTurn();
  push('b');
  await nextTurn();
  await clock.advance(99);
  assert.deepEqual(heard, ['(', 'a']);
  await clock.advance(1);
  await nextTurn();
  assert.deepEqual(heard, ['(', 'a', ')', '(', 'b']);
});

test('of much that is there to be read, one piece follows the other without a rest', async () => {
  const pieces: string[] = [];
  const clock = new ManualClock();
  const stream = new Gathering({
    gatherMs: () => 100,
    clock,
    onPiece: (piece) => pieces.push(String(piece.length)),
    onRest: (isResting) => pieces.push(isResting ? '(' : ')'),
  });
  for (let turn = 0; turn < 3; turn++) {
    for (let i = 0; i < 9; i++) stream.push(Buffer.alloc(16 * 1024));
    await nextTurn();
  }
  stream.push(Buffer.alloc(7));
  await nextTurn();
  const much = String(9 * 16 * 1024);
  assert.deepEqual(pieces, [much, much, much, '(', '7']);
});

test('a timer that rings a bit too early, or is asked for at an odd time, does not lead to another rest at once', async () => {
  for (const [beginMs, endMs] of [
    [99.5, 200],
    [80, 200],
    [75, 100],
    [30.25, 100],
  ] as const) {
    const { clock, heard, push } = gathering();
    clock.jump(beginMs);
    push('a');
    await nextTurn();
    await clock.advance(endMs - beginMs - 1);
    assert.deepEqual(heard, ['(', 'a'], `begun at ${beginMs}`);
    await clock.advance(2);
    assert.deepEqual(heard, ['(', 'a', ')'], `begun at ${beginMs}`);
  }
});

test('all streams that gather for the same time read again in the same moment', async () => {
  const clock = new ManualClock();
  const [one, other] = [gathering({ clock }), gathering({ clock })];
  await clock.advance(30);
  one.push('a');
  await nextTurn();
  await clock.advance(30);
  other.push('b');
  await nextTurn();
  await clock.advance(39);
  assert.deepEqual(
    [one.heard, other.heard],
    [
      ['(', 'a'],
      ['(', 'b'],
    ],
  );
  await clock.advance(1);
  assert.deepEqual(
    [one.heard, other.heard],
    [
      ['(', 'a', ')'],
      ['(', 'b', ')'],
    ],
  );
});

test('as long as it is told 0, what comes is handed on as it comes', async () => {
  let everyMs = 0;
  const { heard, push } = gathering({ gatherMs: () => everyMs });
  push('a');
  push('b');
  assert.deepEqual(heard, ['a', 'b']);
  everyMs = 100;
  push('c');
  assert.deepEqual(heard, ['a', 'b']);
  await nextTurn();
  assert.deepEqual(heard, ['a', 'b', '(', 'c']);
});

test('at the end what waits is handed on, and no timer is left', async () => {
  for (const isResting of [true, false]) {
    const { clock, heard, stream, push } = gathering();
    push('a');
    if (isResting) await nextTurn();
    push('b');
    stream.end();
    assert.deepEqual(heard, isResting ? ['(', 'a', 'b'] : ['ab']);
    await nextTurn();
    assert.equal(clock.timers, 0);
    assert.deepEqual(heard.at(-1), isResting ? 'b' : 'ab');
  }
});
