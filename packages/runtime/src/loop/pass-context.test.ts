import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import { type ControllerOptions, controller } from '../controller/controller.ts';
import { done } from '../controller/outcome.ts';
import { NoOpApplies } from '../owned/no-op-apply.ts';
import type { ControlLoopOptions } from './control-loop.ts';
import { Pass } from './pass.ts';
import { contextOf, reportFailure } from './pass-context.ts';
import { StatusReports } from './status-reports.ts';

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: 'then', generation: 3 },
};

interface World {
  readonly onError?: ControllerOptions<{ for: typeof ConfigMap }>['onError'];
  readonly cached?: object;
  readonly failure?: Error;
}

function given({ onError, cached = object, failure }: World = {}) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const told: unknown[] = [];
  const sent: unknown[] = [];
  const echoed: unknown[] = [];
  const client = {
    with: () => client,
    get: async () => 'got',
    list: () => new Promise(() => {}),
    delete: () => new Promise(() => {}),
    watch: () => [],
    async applySubresource(_kind: unknown, subresource: string, wanted: unknown) {
      if (failure !== undefined) throw failure;
      sent.push([subresource, wanted]);
      return { ...object, metadata: { ...object.metadata, resourceVersion: '2' } };
    },
  };
  const caches = { store: () => ({ get: () => cached }) };
  const options = {
    controller: controller({ for: ConfigMap, reconcile: async () => done, ...(onError && { onError }) }),
    client,
    caches,
    applied: new NoOpApplies('me'),
    recorder: { event: (subject: unknown, event: unknown) => void told.push([subject, event]) },
    clock,
    settings: 'unasked',
  } as unknown as ControlLoopOptions;
  const storms = { beforeWrite: async () => {}, written() {} };
  const echoes = { wrote: (...args: readonly unknown[]) => void echoed.push(args) };
  const reports = new StatusReports();
  const subject = { key: 'ns/a', object, logger, echoes, storms, reports } as never;
  return { options, subject: subject as object, logger, told, sent, echoed, clock, reports };
}

const report = ({ options, subject }: ReturnType<typeof given>, error = new Error('down')) =>
  reportFailure(options, { ...subject, error, stop: new AbortController().signal } as never);

test('after a failure, the status that the author wants is written, and then the Events are told', async () => {
  const world = given({
    onError(current, error, { events }) {
      events.warning('Failed', (error as Error).message);
      events.normal('Known', current.metadata.name);
      assert.deepEqual(world.told, [], 'not before the status is written');
      return { seen: 'failed' } as never;
    },
  });
  await report(world);
  assert.deepEqual(world.sent, [
    [
      'status',
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'ns', uid: 'u' },
        status: { seen: 'failed', observedGeneration: 3 },
      },
    ],
  ]);
  assert.deepEqual(world.told, [
    [object, { type: 'Warning', reason: 'Failed', message: 'down' }],
    [object, { type: 'Normal', reason: 'Known', message: 'a' }],
  ]);
  assert.equal(world.echoed.length, 1);
});

test('who wants no status gets none, and the Events are told; who says nothing is not asked', async () => {
  const silent = given({
    onError: (_, __, { events }) => {
      events.normal('Known', 'x');
      return undefined;
    },
  });
  await report(silent);
  assert.deepEqual([silent.sent.length, silent.told.length], [0, 1]);
  const none = given();
  await report(none);
  assert.deepEqual([none.sent, none.logger.lines], [[], []]);
});

test('the author sees the object as it is now, unless another has its name', async () => {
  const seen: unknown[] = [];
  const onError = (current: unknown) => {
    seen.push(current);
    return undefined;
  };
  const newer = { ...object, data: { now: 'newer' } };
  const other = { ...newer, metadata: { ...object.metadata, uid: 'other' } };
  for (const cached of [newer, other, null]) await report(given({ onError, cached: (cached ?? undefined) as never }));
  assert.deepEqual(seen, [newer, object, object]);
});

test('an error that cannot be written to the status is logged, and tells no Events', async () => {
  const world = given({
    failure: new Error('refused'),
    onError: (_, __, { events }) => {
      events.normal('Known', 'x');
      return { seen: '' } as never;
    },
  });
  await report(world);
  assert.deepEqual(world.logger.said('error'), ['The error could not be written to the status: refused']);
  assert.deepEqual(world.told, []);
  const clumsy = given({ onError: () => assert.fail('the author failed') });
  await report(clumsy);
  assert.match(clumsy.logger.said('error')[0] ?? '', /the author failed/);
});

test('a pass has what was declared, and each call has its effect once the pass is over', async () => {
  const { options, subject, logger, clock, told, reports } = given();
  const stop = new AbortController().signal;
  const pass = new Pass({ what: 'reconcile of x', timeoutMs: 1000, stop, clock, logger });
  const context = contextOf(options, { ...subject, pass } as never);
  assert.deepEqual([context.clock, context.settings, context.signal], [clock, undefined, pass.signal]);
  await pass.run(async () => {
    assert.equal(await context.client.get(ConfigMap, 'ns/a'), 'got');
    context.events.normal('Done', 'well');
    context.status.report({ seen: 'x' } as never);
  });
  assert.deepEqual(reports.last('ns/a', object), { object, status: { seen: 'x' }, wasHeld: false });
  reports.forget('ns/a');
  assert.deepEqual(told, [[object, { type: 'Normal', reason: 'Done', message: 'well' }]]);
  assert.equal(context.events.warning('Late', 'x'), undefined);
  assert.equal(told.length, 1);
  await assert.rejects(context.client.get(ConfigMap, 'ns/a'), /client.get\(ConfigMap ns\/a\) was called after/);
  await assert.rejects(context.status.apply({} as never), /status.apply\(\) was called after/);
  assert.equal(context.status.report({ seen: 'late' } as never), undefined);
  assert.equal(reports.last('ns/a', object), undefined);
  await assert.rejects(context.owned.absent(ConfigMap as never, 'x'), /owned.absent\(ConfigMap x\) was called after/);
  assert.throws(() => context.client.watch(ConfigMap, {} as never), /client.watch\(ConfigMap\) was called after/);
});

test('a read that nobody waits for is no mistake, and a write is one', async () => {
  for (const [method, isMistake] of [
    ['list', false],
    ['delete', true],
  ] as const) {
    const { options, subject, logger, clock } = given();
    const pass = new Pass({ what: 'x', timeoutMs: 1000, stop: new AbortController().signal, clock, logger });
    const { client } = contextOf(options, { ...subject, pass } as never);
    const running = pass.run(async () => void client[method](ConfigMap, 'ns/a' as never));
    if (isMistake) await assert.rejects(running, /an await is missing/);
    else await running;
  }
});
