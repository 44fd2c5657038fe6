import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byOwner, operator, optional, sleep, TransportError, type TransportRequest, watch } from '@keelson/core';
import { ConfigMap, Pod, Secret, Service } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import { z } from 'zod';
import { type QuietServerOptions, quietServer } from '../../test/quiet-server.ts';
import { rememberingLogger } from '../../test/widget.ts';
import { controller } from '../controller/controller.ts';
import { done } from '../controller/outcome.ts';
import type { TaskContext } from '../controller/task.ts';
import { webhook } from '../webhooks/webhook.ts';
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

test('what is reconciled is read as it comes, and what is only owned or watched is gathered', async () => {
  const reconcile = async () => done;
  const to = byOwner;
  const { clock, stop, requests, start } = given({
    controllers: [
      controller({ for: ConfigMap, owns: [Secret], watches: [watch(Pod, { to })], reconcile }),
      controller({ for: Secret, owns: [Service], reconcile }),
    ],
  });
  const running = start();
  await clock.advance(100);
  const gathered = requests
    .filter(({ streaming }) => streaming)
    .map(({ path, gatherMs }) => [path, gatherMs !== undefined]);
  const told = gathered.map(([path, isGathered]) => `${/[a-z]+(?=[?])/.exec(String(path))?.[0]} ${isGathered}`);
  assert.deepEqual([...new Set(told)].sort(), ['configmaps false', 'pods true', 'secrets false', 'services true']);
  stop.abort(new Error('SIGTERM'));
  await clock.advance(1000);
  await running;
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

/** Runs an operator on such a server for a while. */
async function ranFor(
  ms: number,
  declared: object,
  options: ManagerOptions = {},
  answers?: QuietServerOptions['answers'],
) {
  const server = quietServer({ answers });
  const world = given(declared, { transport: server as never, ...options });
  const running = world.start();
  await world.clock.advance(ms);
  world.stop.abort(new Error('SIGTERM'));
  await world.clock.advance(1000);
  await running;
  return { ...world, requests: server.requests };
}

test('every request says whose it is, and carries the headers that were asked for', async () => {
  const writing = controller({
    for: ConfigMap,
    async reconcile(_, { client }) {
      await client.patch(ConfigMap, 'default/a', {});
      return done;
    },
  });
  const { requests } = await ranFor(100, { controllers: [writing] }, { headers: () => ({ traceparent: 'x' }) });
  assert.ok(requests.every(({ headers }) => headers.traceparent === 'x'));
  assert.match(requests.find(({ method }) => method === 'PATCH')?.path ?? '', /fieldManager=web/);
});

test('what the server warns of is in the log, and so is an Event that could not be recorded', async () => {
  const telling = controller({
    for: ConfigMap,
    async reconcile(_, { events }) {
      events.normal('Seen', 'here');
      return done;
    },
  });
  const { logger } = await ranFor(60_000, { controllers: [telling] }, {}, ({ method }) =>
    method === 'POST' ? 404 : undefined,
  );
  assert.match(logger.said('warn')[0] ?? '', /^An Event could not be recorded: .*none/);
});

test('a kind that may be absent is looked for in silence; one that may not is reported', async () => {
  for (const [owned, level, message] of [
    [optional(Secret), 'debug', 'Secret is not there, and not needed; looking again later'],
    [Secret, 'warn', 'Secret cannot be watched; trying again'],
  ] as const) {
    const owning = controller({ for: ConfigMap, owns: [owned], reconcile: async () => done });
    const { logger } = await ranFor(1000, { controllers: [owning] }, {}, ({ path }) =>
      path.includes('secrets') ? 404 : undefined,
    );
    const lines = logger.lines.filter((line) => line.message.startsWith('Secret'));
    assert.deepEqual([lines[0]?.level, lines[0]?.message], [level, message]);
    assert.match(String(lines[0]?.fields.error), /none/);
  }
});

test('a handler that fails is reported as what it is', async () => {
  const clumsy = controller({
    for: ConfigMap,
    refers: [
      {
        to: Secret,
        by: () => {
          throw new Error('clumsy');
        },
      },
    ],
    reconcile: async () => done,
  });
  const { logger } = await ranFor(1000, { controllers: [clumsy] });
  const [line] = logger.lines.filter(({ level }) => level === 'error');
  assert.equal(line?.message, 'Something failed at a change of ConfigMap');
  assert.match(String(line?.fields.error), /clumsy/);
});

test('how a pass runs is told to those who ask, and each controller has a logger of its own', async () => {
  const passes: unknown[] = [];
  const spans: string[] = [];
  const tracer = {
    startActiveSpan<T>(name: string, _: object, run: (span: never) => T): T {
      spans.push(name);
      return run({ end() {} } as never);
    },
  };
  const { logger } = await ranFor(
    1000,
    {},
    { onPass: (pass) => void passes.push(pass), tracer: tracer as never, logCauses: true },
  );
  assert.deepEqual(passes, [{ controller: 'configmap', key: 'default/a' }]);
  assert.deepEqual(spans, ['reconcile configmap']);
  const [line] = logger.lines.filter(({ message }) => message === 'Reconciling ConfigMap');
  assert.equal(line?.level, 'info');
  const { controller: name, controllerGroup, controllerKind } = line?.fields ?? {};
  assert.deepEqual([name, controllerGroup, controllerKind], ['configmap', '', 'ConfigMap']);
});

test('settings of the manager win over those of the operator, and wrong ones are refused before anything starts', async () => {
  const seen: unknown[] = [];
  const settings = z.object({ a: z.int(), b: z.int().default(3) });
  const run = async ({ settings: given }: { settings: unknown }) => void seen.push(given);
  const declared = { settings, given: { a: 1, b: 1 }, tasks: [{ name: 'see', settings, run }] };
  await ranFor(10, declared, { settings: { a: 2 } });
  assert.deepEqual(seen, [{ a: 2, b: 1 }]);
  assert.throws(() => given(declared, { settings: { a: 'x' } }), RangeError);
});

test('tasks need leadership unless they say otherwise; who cannot compete ends all of them', async () => {
  const begun: string[] = [];
  const ended: string[] = [];
  const named = (name: string, more: object = {}) => ({
    name,
    ...more,
    async run({ clock, signal }: TaskContext) {
      begun.push(name);
      await sleep(clock, Number.POSITIVE_INFINITY, signal).catch(
        (reason: Error) => void ended.push(`${name}: ${reason.message}`),
      );
    },
  });
  const tasks = [named('default'), named('led', { leadership: true }), named('always', { leadership: false })];
  await ranFor(100, { tasks });
  assert.deepEqual(begun.toSorted(), ['always', 'default', 'led'], 'without an election');
  begun.length = 0;
  ended.length = 0;
  const hard = given({ tasks }, { leaderElection: { leaseDurationMs: 1 } });
  const failed = assert.rejects(hard.start(), RangeError);
  await hard.clock.advance(1000);
  await failed;
  assert.deepEqual(begun, ['always']);
  assert.match(ended[0] ?? '', /^always: .*leaseDurationMs/);
});

test('the Lease is in the namespace of the config', async () => {
  const config = { server: 'http://localhost', namespace: 'ops' } as never;
  const { logger } = await ranFor(100, {}, { leaderElection: true, config }, ({ path }) =>
    path.includes('leases') ? 404 : undefined,
  );
  assert.equal(trying(logger)[0]?.lease, 'ops/web');
});

test('a stop that takes too long is given up, and what failed later is told', async () => {
  const hanging = Promise.withResolvers<never>();
  hanging.promise.catch(() => {});
  const transport = { request: () => hanging.promise, async [Symbol.asyncDispose]() {} };
  const deaf = { name: 'deaf', run: () => new Promise<never>(() => {}) };
  const { clock, logger, stop, start } = given({ tasks: [deaf] }, { transport: transport as never });
  const running = assert.rejects(start(), { message: 'The operator did not stop within 25 s.' });
  await clock.advance(100);
  stop.abort(new Error('SIGTERM'));
  await clock.advance(24_999);
  await clock.advance(1);
  await running;
  hanging.reject(new TransportError('list', 'cut'));
  await clock.advance(1000);
  assert.match(logger.said('error').at(-1) ?? '', /^The stop failed after it was given up: One pass did not stop/);
  assert.equal(
    logger.lines.some(({ message }) => message === 'Stopped'),
    false,
  );
});

test('who fails of itself has the same time to stop, and says why it failed', async () => {
  const deaf = { name: 'deaf', leadership: false, run: () => new Promise<never>(() => {}) };
  const leaderElection = { leaseDurationMs: 1 };
  const alone = given({ tasks: [deaf] }, { leaderElection });
  const failed = assert.rejects(alone.start(), RangeError);
  await alone.clock.advance(25_000);
  await failed;
  const transport = { request: () => new Promise<never>(() => {}), async [Symbol.asyncDispose]() {} };
  const cutOff = given({}, { leaderElection, transport: transport as never });
  const givenUp = assert.rejects(cutOff.start(), ({ message, cause }: Error) => {
    assert.equal(message, 'The operator did not stop within 25 s.');
    assert.ok(cause instanceof RangeError);
    return true;
  });
  await cutOff.clock.advance(25_000);
  await givenUp;
});

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
    const declaring = controller({ for: ConfigMap, resyncMs: declared, reconcile });
    await ranFor(3_600_000, { controllers: [declaring] }, { resyncMs: asked });
    assert.ok(passes >= least && passes <= most, `${passes} passes in an hour`);
  }
  assert.throws(() => given({}, { resyncMs: 0 }), {
    name: 'RangeError',
    message: 'createManager: resyncMs must be greater than 0, received 0',
  });
});

test('webhooks are answered by a replica that does not lead, until all else has stopped', async () => {
  const steps: string[] = [];
  const waiting = controller({
    for: ConfigMap,
    reconcile: async () => done,
    sources: [
      {
        name: 'slow to stop',
        async start({ clock, signal }) {
          await sleep(clock, 3_600_000, signal).catch(() => sleep(clock, 500));
          steps.push('stopped');
        },
      },
    ],
  });
  const webhooks: NonNullable<ManagerOptions['webhooks']> = (transport) => {
    void transport
      .request({ method: 'POST', path: '/validate/secret', headers: { 'content-type': 'text/plain' }, body: '' })
      .then(({ status }) => steps.push(`answered ${status}`));
    return { [Symbol.dispose]: () => void steps.push('closed') };
  };
  const declared = { controllers: [waiting], webhooks: [webhook(Secret, { validate: () => [] })] };
  await ranFor(2000, declared, { webhooks });
  assert.deepEqual(steps, ['answered 400', 'stopped', 'closed']);
  steps.length = 0;
  await ranFor(2000, { ...declared, controllers, leaderElection: true }, { webhooks }, () => 500);
  assert.deepEqual(steps, ['answered 400', 'closed']);
  steps.length = 0;
  await ranFor(2000, { ...declared, webhooks: undefined }, { webhooks });
  assert.deepEqual(steps, ['stopped']);
});
