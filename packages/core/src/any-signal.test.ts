import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { anySignal } from './any-signal.ts';
import { nextTurn } from './system.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('the first of several signals ends all, for its reason', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  using either = anySignal([first.signal, undefined, second.signal]);
  assert.ok(!either.signal.aborted);
  second.abort('second');
  first.abort('first');
  assert.equal(either.signal.reason, 'second');
});

test('of signals that are over already, the first that is listed says why', () => {
  using either = anySignal([new AbortController().signal, AbortSignal.abort('a'), AbortSignal.abort('b')]);
  assert.equal(either.signal.reason, 'a');
});

test('once it is disposed, it hears of nothing', () => {
  const source = new AbortController();
  const either = anySignal([source.signal]);
  either[Symbol.dispose]();
  source.abort();
  assert.ok(!either.signal.aborted);
});

test('what listens is not held when nobody can abort any more', async () => {
  let held = 0;
  const registry = new FinalizationRegistry(() => {
    held -= 1;
  });
  for (let i = 0; i < 20; i += 1) {
    const source = new AbortController();
    // As in an operator that was killed: whoever listens could also abort, and nothing is disposed.
    anySignal([source.signal]).signal.addEventListener('abort', () => source.abort());
    registry.register(source, undefined);
    held += 1;
  }
  for (let turn = 0; turn < 10 && held > 1; turn += 1) {
    collect();
    await nextTurn();
  }
  assert.ok(held <= 1, `${held} of 20 are held`); // the last one may still be in a register
});
