import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedOutcome, done, isTerminal, type Outcome, requeueAfter, TerminalError } from './outcome.ts';

test('an outcome is done, or again after a time', () => {
  assert.deepEqual(checkedOutcome(done, 'reconcile'), { type: 'done' });
  assert.deepEqual(checkedOutcome(requeueAfter(0.5), 'finalize'), { type: 'requeue', afterMs: 0.5 });
});

test('a delay that is no delay is refused where it is said', () => {
  for (const afterMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined]) {
    assert.throws(() => requeueAfter(afterMs as number), {
      name: 'RangeError',
      code: 'ERR_OUTCOME',
      message: /greater than 0, received/,
    });
  }
});

test('what is no outcome is named', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, 'reconcile returned nothing; it must return done or requeueAfter(ms)'],
    [null, 'reconcile returned null; it must return done or requeueAfter(ms)'],
    ['done', "reconcile returned 'done'; it must return done or requeueAfter(ms)"],
    [5000, 'reconcile returned 5000; it must return done or requeueAfter(ms)'],
    [{ requeue: true }, 'reconcile returned { requeue: true }; it must return done or requeueAfter(ms)'],
    [requeueAfter, 'reconcile returned [Function: requeueAfter]; it must return done or requeueAfter(ms)'],
    [{ type: 'requeue', afterMs: 0 }, 'reconcile asked to come back after 0 ms; that must be greater than 0'],
    [{ type: 'requeue', afterMs: -1 }, 'reconcile asked to come back after -1 ms; that must be greater than 0'],
    [
      { type: 'requeue', afterMs: Number.NaN },
      'reconcile asked to come back after NaN ms; that must be greater than 0',
    ],
    [{ type: 'requeue' }, 'reconcile asked to come back after undefined ms; that must be greater than 0'],
  ];
  for (const [answer, message] of cases) {
    assert.throws(() => checkedOutcome(answer as Outcome, 'reconcile'), {
      name: 'OutcomeError',
      code: 'ERR_OUTCOME',
      message,
    });
  }
});

test('a terminal error is known by its code, whichever copy of the package made it', () => {
  const error = new TerminalError('never');
  assert.deepEqual([error.name, error.code, isTerminal(error)], ['TerminalError', 'ERR_TERMINAL', true]);
  assert.ok(isTerminal(Object.assign(new Error('of another copy'), { code: 'ERR_TERMINAL' })));
  for (const other of [
    new Error('x'),
    Object.assign(new Error('x'), { code: 'ERR_API' }),
    { code: 'ERR_TERMINAL' },
    undefined,
  ])
    assert.equal(isTerminal(other), false);
});
