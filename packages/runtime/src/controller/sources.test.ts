import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import type { Controller } from './controller.ts';
import { channel, every, polling, runSources, type Source } from './sources.ts';

function given(...sources: readonly Source[]) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const end = new AbortController();
  const woken: string[] = [];
  const objects = ['a', 'b'].map((name) => ({ metadata: { name, namespace: 'ns' } }));
  const cache = {
    get: () => undefined,
    list: (kind: unknown) => (kind === ConfigMap ? objects : []),
    serves: () => true,
  };
  const running = runSources(
    { sources, for: ConfigMap } as unknown as Controller,
    { cache: cache as never, clock, logger, signal: end.signal },
    (key, cause) => void woken.push(`${key} by ${cause} at ${clock.monotonic()}`),
  );
  return { clock, logger, end, woken, running };
}

test('a channel wakes objects while it runs, on everything that runs it', async () => {
  const hooks = channel('push');
  hooks.wake('ns/early');
  const [first, second] = [given(hooks), given(hooks)];
  hooks.wake('ns/a');
  assert.deepEqual([first.woken, second.woken], [['ns/a by push at 0'], ['ns/a by push at 0']]);
  first.end.abort();
  await first.running;
  hooks.wake('ns/b');
  assert.deepEqual([first.woken.length, second.woken.length], [1, 2]);
  second.end.abort();
  await second.running;
});

test('a channel that is begun when it is over ends at once', async () => {
  const clock = new VirtualClock();
  const context = { cache: {} as never, reconciled: ConfigMap, clock, logger: rememberingLogger(), wake() {} };
  await channel('push').start({ ...context, signal: AbortSignal.abort() });
});

test('a poll asks at once and then from time to time, and goes on after a failure', async () => {
  let asked = 0;
  const { clock, logger, end, woken, running } = given(
    polling({
      everyMs: 1000,
      async poll({ clock }) {
        asked += 1;
        await sleep(clock, 100);
        if (asked === 2) throw new Error('down');
        return ['ns/a', 'ns/b'];
      },
    }),
  );
  await clock.advance(3000);
  assert.deepEqual(woken, [
    'ns/a by poll at 100',
    'ns/b by poll at 100',
    'ns/a by poll at 2300',
    'ns/b by poll at 2300',
  ]);
  assert.deepEqual(logger.said('error'), ['The source poll failed; it is asked again: down']);
  end.abort();
  await running;
  assert.equal(asked, 3);
});

test('a poll that fails because it has to stop is not reported', async () => {
  const { clock, logger, end, running } = given(
    polling({ name: 'dns', everyMs: 1000, poll: ({ clock, signal }) => sleep(clock, 9000, signal).then(() => []) }),
  );
  await clock.advance(10);
  end.abort(new Error('stop'));
  await running;
  assert.deepEqual(logger.said('error'), []);
});

test('a timer looks at every object, one period after the start and then each period', async () => {
  const { clock, end, woken, running } = given(every(2000));
  await clock.advance(4999);
  assert.deepEqual(woken, [
    'ns/a by every 2 s at 2000',
    'ns/b by every 2 s at 2000',
    'ns/a by every 2 s at 4000',
    'ns/b by every 2 s at 4000',
  ]);
  end.abort();
  await running;
  await clock.advance(10_000);
  assert.equal(woken.length, 4);
});

test('a source that fails is reported and begins again after ten seconds; one that returns has ended', async () => {
  const begun: number[] = [];
  const { clock, logger, end, running } = given({
    name: 'odd',
    async start({ clock }) {
      begun.push(clock.monotonic());
      if (begun.length < 3) throw new Error('down');
    },
  });
  await clock.advance(60_000);
  assert.deepEqual(begun, [0, 10_000, 20_000]);
  const report = 'The source odd failed; it begins again in 10 s: down';
  assert.deepEqual(logger.said('error'), [report, report]);
  await running;
  end.abort();

  const failing = given({ name: 'odd', start: ({ clock, signal }) => sleep(clock, 1000, signal) });
  failing.end.abort(new Error('stop'));
  await failing.running;
  assert.deepEqual(failing.logger.said('error'), []);
});

test('a period must be greater than 0', () => {
  const poll = async () => [];
  for (const everyMs of [0, -1, Number.NaN]) {
    assert.throws(() => every(everyMs), { message: `every: everyMs must be greater than 0, received ${everyMs}` });
    assert.throws(() => polling({ everyMs, poll }), /^RangeError: polling: everyMs must be greater than 0/);
  }
  every(0.5);
  polling({ everyMs: 0.5, poll });
});
