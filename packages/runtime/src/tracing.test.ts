import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Tracer, traced } from './tracing.ts';

function recording() {
  const told: unknown[] = [];
  const tracer: Tracer = {
    startActiveSpan(name, { attributes }, run) {
      told.push([name, attributes]);
      return run({
        setAttribute() {},
        recordException: (error) => void told.push(error),
        setStatus: (status) => void told.push(status),
        end: () => void told.push('end'),
      });
    },
  };
  return { told, tracer };
}

test('work is done in a span that ends with it, and gives what it gives', async () => {
  const { told, tracer } = recording();
  const work = async () => {
    told.push('work');
    return 7;
  };
  assert.equal(await traced(tracer, 'reconcile web', { name: 'a' }, work), 7);
  assert.deepEqual(told, [['reconcile web', { name: 'a' }], 'work', 'end']);
  assert.equal(await traced(undefined, 'reconcile web', {}, work), 7);
});

test('a failure is recorded in the span and stays a failure, whatever was thrown', async () => {
  const error = new Error('down');
  for (const [thrown, expected] of [
    [error, [error, { code: 2, message: 'down' }]],
    ['a word', [{ code: 2, message: 'a word' }]],
  ] as const) {
    const { told, tracer } = recording();
    const failed = traced(tracer, 'x', {}, async () => {
      throw thrown;
    });
    await assert.rejects(failed, (rejected) => rejected === thrown);
    assert.deepEqual(told, [['x', {}], ...expected, 'end']);
  }
});
