import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import type { Term } from '@keelson/client';
import { sleep } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { seededRandom, VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import { controller } from '../controller/controller.ts';
import { done } from '../controller/outcome.ts';
import type { Task, TaskContext } from '../controller/task.ts';
import { type ControllersOptions, runControllers } from './controllers.ts';
import { stopSchedule } from './stop-schedule.ts';

const heeding = async ({ clock, signal }: Pick<TaskContext, 'clock' | 'signal'>) => {
  await sleep(clock, Number.POSITIVE_INFINITY, signal);
};

/** Controllers without objects, or with one that is reconciled by `reconcile`, and these tasks. */
function given({
  tasks = [],
  reconcile,
}: {
  tasks?: readonly Task[];
  reconcile?: (context: TaskContext) => Promise<void>;
} = {}) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const bound: { guard?: unknown; signal?: AbortSignal }[] = [];
  const client = {
    with(options: (typeof bound)[number]) {
      bound.push(options);
      return client;
    },
  };
  const metadata = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  const informer = {
    kind: ConfigMap,
    health: { synced: true },
    synced: Promise.resolve(),
    subscribe: (handler: (event: object) => void) => handler({ type: 'added', object, initial: true }),
  };
  const none = () => {};
  const parts = {
    controller: controller({
      for: ConfigMap,
      async reconcile(_, context) {
        await reconcile?.(context as never);
        return done;
      },
    }),
    caches: {
      informers: [informer],
      informersOf: () => [informer],
      store: () => ({ get: () => object, list: () => [object] }),
    },
    logger,
    metrics: {
      queue: { added: none, depth: none, taken: none, done: none, retried: none },
      observe: none,
      observeStorms: none,
      setConcurrency: none,
      timedOut: none,
      begin: () => none,
    },
  };
  const signal = new AbortController();
  const schedule = stopSchedule(signal.signal, clock, 10_000);
  const options = {
    controllers: reconcile === undefined ? [] : [parts],
    tasks,
    settings: { zone: 'here' },
    logger,
    client,
    name: 'web',
    onEventError: () => assert.fail(),
    gracePeriodMs: 10_000,
    clock,
    random: seededRandom(1),
  } as unknown as ControllersOptions;
  const lost = new AbortController();
  const term = { signal: lost.signal, assertCurrent: () => {} } as unknown as Term;
  const run = (inTerm?: Term) => {
    const ended = runControllers(options, signal.signal, schedule, inTerm).then(
      () => `at rest after ${clock.monotonic()} ms`,
      (error: Error) => error.message,
    );
    return ended;
  };
  return { clock, logger, bound, signal, schedule, lost, term, run };
}

test('in a term every write is behind its guard, and without one behind none', async () => {
  const world = given();
  world.signal.abort();
  await world.run(world.term);
  const [first, second] = world.bound;
  assert.equal(first?.guard, world.term.assertCurrent);
  assert.equal(first?.signal, world.lost.signal);
  assert.equal(second?.signal, world.schedule.requests, 'Events end with the requests of the stop');
  const alone = given();
  alone.signal.abort();
  await alone.run();
  assert.ok(alone.bound.every(({ guard }) => guard === undefined));
  assert.equal(alone.bound[0]?.signal, alone.schedule.requests);
});

test('a lost term ends passes and tasks at once, with its reason', async () => {
  const reasons: unknown[] = [];
  const until = async (context: Pick<TaskContext, 'clock' | 'signal'>) => {
    await heeding(context).catch((reason: unknown) => void reasons.push(reason));
  };
  const { clock, lost, term, run, signal, schedule } = given({
    tasks: [{ name: 'sweep', run: until }],
    reconcile: until,
  });
  const ended = run(term);
  await clock.advance(1000);
  const reason = new Error('the lease is lost');
  lost.abort(reason);
  await clock.advance(10);
  assert.equal(await ended, 'at rest after 1000 ms');
  assert.deepEqual(reasons, [reason, reason]);
  for (const each of [signal.signal, schedule.passes, lost.signal]) {
    assert.equal(
      getEventListeners(each, 'abort').filter(({ name }) => name.startsWith('on')).length,
      0,
      'nothing stays behind',
    );
  }
});

test('a stop ends tasks at once, and passes when their time is up', async () => {
  const reasons: string[] = [];
  const noting = (name: string) => async (context: Pick<TaskContext, 'clock' | 'signal'>) => {
    await heeding(context).catch((reason: Error) => void reasons.push(`${name}: ${reason.message}`));
  };
  const world = given({ tasks: [{ name: 'sweep', run: noting('task') }], reconcile: noting('pass') });
  const ended = world.run();
  await world.clock.advance(1000);
  world.signal.abort(new Error('SIGTERM'));
  await world.clock.advance(7999);
  assert.deepEqual(reasons, ['task: SIGTERM']);
  await world.clock.advance(1);
  assert.deepEqual(reasons, ['task: SIGTERM', 'pass: The operator stopped before this had finished.']);
  assert.equal(await ended, 'at rest after 9000 ms');
  assert.deepEqual(world.logger.said('error'), []);
});

test('what does not stop is named and given up, in a stop as after a lost term', async () => {
  const never = () => new Promise<never>(() => {});
  const one = { name: 'deaf', run: never };
  const two = { name: 'blind', run: never };
  const cases: readonly (readonly [readonly Task[], boolean, string])[] = [
    [[one], false, 'One pass did not stop although the signal was aborted: task deaf.'],
    [[one, two], false, '2 passes did not stop although the signal was aborted: task deaf, task blind.'],
    [
      [one, { name: 'good', run: heeding }],
      true,
      '2 passes did not stop although the signal was aborted: configmap ns/a, task deaf.',
    ],
  ];
  for (const [tasks, isHanging, message] of cases) {
    for (const how of ['stopped', 'lost'] as const) {
      const world = given({ tasks, ...(isHanging && { reconcile: never }) });
      const ended = world.run(world.term);
      await world.clock.advance(1000);
      (how === 'stopped' ? world.signal : world.lost).abort(new Error('enough'));
      await world.clock.advance(8399);
      assert.deepEqual(world.logger.said('error'), [], how);
      await world.clock.advance(1);
      assert.equal(await ended, message);
      assert.deepEqual(world.logger.said('error'), [message], 'said at once, and once');
    }
  }
});

test('a task has the settings that it asks for, and no others', async () => {
  const seen: unknown[] = [];
  const signals: AbortSignal[] = [];
  const run = async ({ settings, clock, logger, signal }: TaskContext) => {
    signals.push(signal);
    seen.push([settings, clock === world.clock, logger === world.logger, signal.aborted]);
  };
  const world = given({
    tasks: [
      { name: 'asking', settings: {} as never, run },
      { name: 'plain', run },
    ],
  });
  const ended = world.run();
  await world.clock.advance(10);
  assert.deepEqual(seen, [
    [{ zone: 'here' }, true, true, false],
    [undefined, true, true, false],
  ]);
  assert.ok(
    signals.every((signal) => world.bound.some((options) => options.signal === signal)),
    'its calls end with it',
  );
  world.signal.abort(new Error('SIGTERM'));
  await ended;
});
