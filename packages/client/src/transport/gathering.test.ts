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

test('all streams that gather for the same time read again in the same moment', async () => {
  const clock = new ManualClock();
  const [one, other] = [gathering({ clock }), gathering({ clock })];
  await clock.advance(30);
  one.push('a');
  await nextTurn();
  await clock.advance(50);
  other.push('b');
  await nextTurn();
  await clock.advance(19);
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
  const { clock, heard, push } = gathering({ gatherMs: () => everyMs });
  push('a');
  push('b');
  assert.deepEqual(heard, ['a', 'b']);
  everyMs = 100;
  push('c');
  assert.deepEqual(heard, ['a', 'b']);
  everyMs = 0; // told in between, it rests no longer than it has to
  await nextTurn();
  await clock.advance(0);
  assert.deepEqual(heard, ['a', 'b', '(', 'c', ')']);
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
