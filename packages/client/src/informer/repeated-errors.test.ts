import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/manual-clock.ts';
import { RepeatedErrors } from './repeated-errors.ts';

function reporting() {
  const clock = new ManualClock();
  const told: string[] = [];
  const errors = new RepeatedErrors(({ message }) => told.push(message), clock);
  return { clock, told, errors, report: (message: string) => errors.report(new Error(message)) };
}

test('five of their like are told at once, the others as one after ten seconds', async () => {
  const { clock, told, report } = reporting();
  for (let i = 0; i < 24_000; i++) report(`line ${i} is bad`);
  assert.deepEqual(told, ['line 0 is bad', 'line 1 is bad', 'line 2 is bad', 'line 3 is bad', 'line 4 is bad']);
  await clock.advance(10_000);
  assert.deepEqual(told.slice(5), ['line 23999 is bad (23995 times more, or the like, in 10 s)']);
});

test('what goes on is told once in ten seconds', async () => {
  const { clock, told, report } = reporting();
  for (let second = 0; second < 60; second++) {
    for (let i = 0; i < 10; i++) report('bad');
    await clock.advance(1000);
  }
  assert.ok(told.length >= 5 + 5 && told.length <= 5 + 6, told.join('\n'));
});

test('what comes again later is told again, and nothing is left to ring', async () => {
  const { clock, told, report } = reporting();
  report('bad');
  assert.equal(clock.timers, 0);
  await clock.advance(10_000);
  report('bad');
  assert.deepEqual(told, ['bad', 'bad']);
  assert.equal(clock.timers, 0);
});

test('different errors are told each, up to a hundred; the rest as one', async () => {
  const { clock, told, report } = reporting();
  const names = Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x4e00 + i));
  for (const name of names) report(name);
  assert.equal(told.length, 105);
  await clock.advance(10_000);
  assert.equal(told.length, 106);
  assert.match(told[105] ?? '', /895 times more, or the like/);
});

test('disposing tells what was counted, and leaves no timer', () => {
  const { clock, told, report, errors } = reporting();
  for (let i = 0; i < 6; i++) report('bad');
  errors[Symbol.dispose]();
  assert.deepEqual(told.slice(5), ['bad (once more, or the like, in 10 s)']);
  assert.equal(clock.timers, 0);
});
