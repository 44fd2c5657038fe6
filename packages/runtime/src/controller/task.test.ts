import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '@keelson/core';
import { VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import { runTask, task } from './task.ts';

function given(run: (begun: number, signal: AbortSignal, clock: VirtualClock) => Promise<void>) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const end = new AbortController();
  const begunAt: number[] = [];
  const sweep = task({
    name: 'sweep',
    async run({ signal }) {
      begunAt.push(clock.monotonic());
      await run(begunAt.length, signal, clock);
    },
  });
  const running = runTask(sweep, { client: {} as never, settings: undefined, logger, clock, signal: end.signal });
  return { clock, logger, end, begunAt, running };
}

test('a task that throws is started again, twice as late each time, up to a minute', async () => {
  const { clock, logger, begunAt, end, running } = given(async () => {
    throw 'a word';
  });
  await clock.advance(200_000);
  assert.deepEqual(begunAt, [0, 1000, 3000, 7000, 15_000, 31_000, 63_000, 123_000, 183_000]);
  const { message, fields } = logger.lines[1] ?? assert.fail();
  assert.deepEqual([message, fields.task, fields.retryInMs], ['Task error', 'sweep', 1000]);
  assert.match(String(fields.error), /task sweep threw 'a word'/);
  end.abort();
  await running;
});

test('a task that ran for long begins with the short delay again', async () => {
  const { clock, begunAt } = given(async (begun, _, clock) => {
    await sleep(clock, begun === 3 ? 60_001 : 0);
    throw new Error('down');
  });
  await clock.advance(70_000);
  assert.deepEqual(begunAt, [0, 1000, 3000, 64_001, 66_001]);
});

test('a task that returns has ended, and says so; one that is told to stop says nothing', async () => {
  const ended = given(async () => {});
  await ended.running;
  assert.deepEqual(
    ended.logger.lines.map(({ message, fields }) => [message, fields]),
    [
      ['Starting task', { task: 'sweep' }],
      ['The task has ended', { task: 'sweep' }],
    ],
  );
  for (const heeds of [true, false]) {
    const stopped = given((_, signal, clock) => sleep(clock, 60_000, heeds ? signal : undefined));
    await stopped.clock.advance(1);
    stopped.end.abort(new Error('stop'));
    await stopped.clock.advance(60_000);
    await stopped.running;
    assert.deepEqual([stopped.begunAt.length, stopped.logger.said('error'), stopped.logger.lines.length], [1, [], 1]);
  }
  const waiting = given(async () => assert.fail('down'));
  await waiting.clock.advance(500);
  waiting.end.abort();
  await waiting.running;
  assert.equal(waiting.begunAt.length, 1);
});
