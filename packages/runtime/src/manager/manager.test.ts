import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator, TransportError, type TransportRequest } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import { controller } from '../controller/controller.ts';
import { done } from '../controller/outcome.ts';
import { createManager, type ManagerOptions } from './manager.ts';

const controllers = [controller({ for: ConfigMap, reconcile: async () => done })];
const nowhere = { health: false, metrics: false } as const;

/** A manager of an operator whose server cannot be reached. */
function given(declared: object = {}, options: ManagerOptions = {}) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const stop = new AbortController();
  const requests: TransportRequest[] = [];
  const transport = {
    async request(request: TransportRequest) {
      requests.push(request);
      throw new TransportError('list', 'unreachable');
    },
    [Symbol.asyncDispose]: () => assert.fail("the transport is the caller's"),
  };
  const manager = createManager(operator({ name: 'web', controllers, ...declared }), {
    transport: transport as never,
    clock,
    logger,
    ...nowhere,
    ...options,
  });
  return { clock, logger, stop, requests, start: () => manager.start(stop.signal) };
}

const trying = ({ lines }: ReturnType<typeof rememberingLogger>) =>
  lines.filter(({ message }) => message === 'Trying to become the leader.').map(({ fields }) => fields);

test('a manager needs a way to a server', async () => {
  const manager = createManager(operator({ name: 'web', controllers }), { ...nowhere, logger: rememberingLogger() });
  await assert.rejects(manager.start(new AbortController().signal), {
    name: 'TypeError',
    message: 'createManager: give it a config or a transport',
  });
});

test('leadership is as the operator declares it, unless its manager is told otherwise', async () => {
  for (const [declared, asked, elects] of [
    [false, undefined, false],
    [true, undefined, true],
    [true, false, false],
    [false, true, true],
    [false, { lease: 'ns/x', identity: 'me' }, true],
  ] as const) {
    const { clock, logger, stop, start } = given(
      { leaderElection: declared },
      asked === undefined ? {} : { leaderElection: asked },
    );
    const running = start();
    await clock.advance(100);
    const [subject] = trying(logger);
    assert.equal(subject !== undefined, elects);
    if (typeof asked === 'object') assert.deepEqual([subject?.lease, subject?.identity], ['ns/x', 'me']);
    else if (elects) {
      assert.equal(subject?.lease, 'default/web');
      assert.match(String(subject?.identity), /^web_.{8}/);
    }
    stop.abort(new Error('SIGTERM'));
    await clock.advance(1000);
    await running;
    assert.equal(logger.lines.at(-1)?.message, 'Stopped');
  }
});

test('a watch that does not work is reported with its kind, and tried again', async () => {
  const { clock, logger, stop, requests, start } = given();
  const running = start();
  await clock.advance(10_000);
  const [line] = logger.lines.filter(({ level }) => level === 'warn');
  assert.equal(line?.message, 'ConfigMap cannot be watched; trying again');
  assert.match(String(line?.fields.problem), /unreachable/);
  assert.match(String(line?.fields.error), /unreachable/);
  assert.ok(requests.length > 1);
  stop.abort(new Error('SIGTERM'));
  await clock.advance(1000);
  await running;
});

/** A server that has the ConfigMap `default/a` and in which nothing ever happens. */
function quietServer() {
  const metadata = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' };
  const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items: [{ metadata }] };
  const requests: TransportRequest[] = [];
  return {
    requests,
    async request(request: TransportRequest) {
      requests.push(request);
      const isWatch = request.path.includes('watch=');
      const body = (async function* () {
        if (isWatch) await new Promise((resolve) => request.signal?.addEventListener('abort', resolve));
        else yield Buffer.from(JSON.stringify(list));
      })();
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    },
    async [Symbol.asyncDispose]() {},
  };
}

test('the manager resyncs as it is told, or as the controllers declare', async () => {
  for (const [declared, asked, most, least] of [
    [60_000, undefined, 68, 54],
    [36_000_000, 60_000, 68, 54],
    [60_000, Number.POSITIVE_INFINITY, 1, 1],
  ] as const) {
    let passes = 0;
    const reconcile = async () => {
      passes += 1;
      return done;
    };
    const { clock, stop, start } = given(
      { controllers: [controller({ for: ConfigMap, resyncMs: declared, reconcile })] },
      { transport: quietServer() as never, resyncMs: asked },
    );
    const running = start();
    await clock.advance(3_600_000);
    stop.abort(new Error('SIGTERM'));
    await clock.advance(1000);
    await running;
    assert.ok(passes >= least && passes <= most, `${passes} passes in an hour`);
  }
  assert.throws(() => given({}, { resyncMs: 0 }), {
    name: 'RangeError',
    message: 'createManager: resyncMs must be greater than 0, received 0',
  });
});
