/** Settings and tasks of an operator, in virtual time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, operator, rulesOf, sleep, withSettings } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { z } from 'zod';
import { controller, createManager, done, task } from '../src/index.ts';
import { inTime, newWidget, rememberingLogger, Widget } from './widget.ts';

const settings = z.object({ greeting: z.string().default('hello'), times: z.int().min(1) });

const greeter = controller({
  for: Widget,
  settings,
  async reconcile(widget, { status, settings: chosen }) {
    const words: string = Array.from({ length: chosen.times }, () => chosen.greeting).join(' ');
    await status.apply({ seen: `${words} ${widget.metadata.name}`, conditions: [] });
    return done;
  },
});
const indifferent = controller({
  for: ConfigMap,
  async reconcile(_, context) {
    context.settings satisfies undefined;
    return done;
  },
});
const greeting = operator({ name: 'greeting', controllers: [greeter, indifferent], settings });

test('a controller that names the settings is given them, complete and typed', async () => {
  await using cluster = await startCluster({ operators: [withSettings(greeting, { times: 2 })] });
  await cluster.client.create(Widget, newWidget());
  await cluster.eventually(Widget, 'default/a', ({ status }) => status?.seen === 'hello hello a');
});

test('settings that are missing or wrong are refused before anything starts', () => {
  assert.throws(() => createManager(greeting), { name: 'RangeError', message: /^settings are not valid: times: / });
  assert.throws(() => createManager(withSettings(greeting, { times: 0 })), { message: /times: Too small/ });
  assert.ok(
    createManager(withSettings(greeting, { times: 0 }), { settings: { times: 3 } }),
    'those of the process win',
  );
});

test('settings belong to the operator: a controller or a task with others is refused', () => {
  const others = z.object({ greeting: z.string() });
  const message = 'operator x: controller widget uses settings that are not those of the operator';
  assert.throws(() => operator({ name: 'x', controllers: [greeter], settings: others }), { message });
  assert.throws(() => operator({ name: 'x', controllers: [greeter] }), { message });
  const stray = task({ name: 'stray', settings: others, run: async () => {} });
  assert.throws(() => operator({ name: 'x', controllers: [indifferent], tasks: [stray] }), /task stray uses settings/);
});

test('a task runs beside the controllers until the end, is given the settings, and its rights follow', async () => {
  const story: string[] = [];
  const ticker = task({
    name: 'ticker',
    settings,
    needs: [allow(ConfigMap, 'create')],
    async run({ client, clock, signal, settings: { greeting: word } }) {
      signal.addEventListener('abort', () => story.push('told to stop'));
      for (let i = 0; ; i++) {
        await client.create(ConfigMap, { metadata: { namespace: 'default', name: `${word}-${i}` } });
        await sleep(clock, 60_000, signal);
      }
    },
  });
  const ticking = operator({ name: 'ticking', controllers: [greeter], tasks: [ticker], settings });
  assert.ok(
    rulesOf(ticking).some(({ resources, verbs }) => resources[0] === 'configmaps' && verbs.join() === 'create'),
    JSON.stringify(rulesOf(ticking)),
  );
  {
    await using cluster = await startCluster({ operators: [withSettings(ticking, { times: 1 })] });
    await cluster.clock.advance(150_000);
    const { items } = await cluster.client.list(ConfigMap, { namespace: 'default' });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('hello')),
      ['hello-0', 'hello-1', 'hello-2'],
    );
    assert.deepEqual(story, []);
  }
  assert.deepEqual(story, ['told to stop']);
});

test('a task that throws is started again, later each time; one that returns has ended', async () => {
  const times: number[] = [];
  const logger = rememberingLogger();
  const shaky = task({
    name: 'shaky',
    async run({ clock }) {
      times.push(clock.monotonic());
      if (times.length < 5) throw times.length === 1 ? undefined : new Error('not yet');
    },
  });
  const op = operator({ name: 'shaky', controllers: [indifferent], tasks: [shaky] });
  await using cluster = await startCluster({ operators: [op], logger });
  await cluster.clock.advance(3_600_000);
  assert.deepEqual(
    times.slice(1).map((time, i) => time - (times[i] ?? 0)),
    [1000, 2000, 4000, 8000],
  );
  assert.deepEqual(logger.said('error').slice(0, 2), [
    'Task error: task shaky threw undefined, which is no Error and tells nobody where',
    'Task error: not yet',
  ]);
  assert.ok(logger.said('info').includes('The task has ended'));
});

test('of several replicas one runs a task, unless it needs no leadership', async () => {
  const ran: string[] = [];
  const tasks = [true, false].map((leadership) =>
    task({
      name: leadership ? 'once' : 'everywhere',
      leadership,
      async run({ clock, signal }) {
        ran.push(leadership ? 'once' : 'everywhere');
        await sleep(clock, 3_600_000, signal);
      },
    }),
  );
  const op = operator({ name: 'several', controllers: [indifferent], tasks, leaderElection: true });
  await using cluster = await startCluster({ operators: [op], replicas: 3 });
  await cluster.clock.advance(60_000);
  assert.deepEqual(ran.sort(), ['everywhere', 'everywhere', 'everywhere', 'once']);
});

test('a task that does not stop is named', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  const { clock } = cluster;
  const { transport } = cluster.cluster;
  const stubborn = task({ name: 'stubborn', run: () => new Promise<never>(() => {}) });
  const op = operator({ name: 'x', controllers: [indifferent], tasks: [stubborn] });
  const stop = new AbortController();
  const logger = rememberingLogger();
  const manager = createManager(op, { transport, clock, logger, health: false, metrics: false });
  const ended = assert.rejects(manager.start(stop.signal), { message: /did not stop .*: task stubborn\.$/ });
  await clock.advance(1000);
  stop.abort(new Error('SIGTERM'));
  await clock.advance(25_000);
  await ended;
});

test('why a pass runs is told at info level on request', inTime, async () => {
  for (const logCauses of [false, true]) {
    await using cluster = await startCluster({ kinds: [Widget] });
    const logger = rememberingLogger();
    const stop = new AbortController();
    const { clock } = cluster;
    const { transport } = cluster.cluster;
    const op = operator({ name: 'x', controllers: [controller({ for: Widget, reconcile: async () => done })] });
    const manager = createManager(op, { transport, clock, logger, logCauses, health: false, metrics: false });
    const running = manager.start(stop.signal);
    await cluster.client.create(Widget, newWidget());
    await clock.advance(1000);
    stop.abort(new Error('over'));
    await clock.advance(1000);
    await running;
    const told = logger.lines.filter(({ message }) => message === 'Reconciling Widget');
    assert.deepEqual(
      told.map(({ level, fields }) => [level, fields.causes]),
      [[logCauses ? 'info' : 'debug', ['Widget default/a added']]],
    );
  }
});
