/** What becomes of a pass that goes wrong, in virtual time: each report as docs/runtime.md shows it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { isTransportError, operator, sleep, type Transport, TransportError } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { nextTurn } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { startCluster, type VirtualClock } from '@keelson/testing';
import {
  type ContextOf,
  type ControllerOptions,
  controller,
  createManager,
  done,
  type Outcome,
  requeueAfter,
} from '../src/index.ts';
import { documented } from './documented.ts';
import { inTime, newWidget, rememberingLogger, Widget } from './widget.ts';

const declaration = { for: Widget, owns: [ConfigMap] } as const;
type Options = ControllerOptions<typeof declaration>;

const engineOf = (options: Options) =>
  operator({ name: 'engine', controllers: [controller({ ...declaration, ...options })] });

async function startEngine(options: Options) {
  const logger = rememberingLogger();
  const cluster = await startCluster({ operators: [engineOf(options)], logger, tolerate: ['mistake'] });
  return Object.assign(cluster, { logger });
}

/** When it was called, from the first time on. */
function times(clock: () => VirtualClock) {
  const seen: number[] = [];
  return { note: () => seen.push(clock().monotonic()), gaps: () => seen.slice(1).map((at, i) => at - (seen[i] ?? 0)) };
}

test('an answer that is no outcome is an error with backoff, and says what was expected', async () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, 'reconcile returned nothing; it must return done or requeueAfter(ms)'],
    [{ requeue: true }, 'reconcile returned { requeue: true }; it must return done or requeueAfter(ms)'],
    [{ type: 'requeue', afterMs: 0 }, 'reconcile asked to come back after 0 ms; that must be greater than 0'],
    [{ type: 'requeue', afterMs: -1 }, 'reconcile asked to come back after -1 ms; that must be greater than 0'],
    [
      { type: 'requeue', afterMs: Number.NaN },
      'reconcile asked to come back after NaN ms; that must be greater than 0',
    ],
  ];
  const said: string[] = [];
  for (const [answer, text] of cases) {
    const passes = times(() => engine.clock);
    await using engine = await startEngine({
      async reconcile() {
        passes.note();
        return answer as Outcome;
      },
      onError: (_, error) => ({ seen: (error as Error).message, conditions: [] }),
    });
    await engine.client.create(Widget, newWidget());
    await engine.clock.advance(4000);
    assert.deepEqual(passes.gaps(), [5, 10, 20, 40, 80, 160, 320, 640, 1280], text);
    assert.equal(engine.logger.said('error')[0], `Reconciler error: ${text}`);
    assert.equal((await engine.client.get(Widget, 'default/a')).status?.seen, text);
    said.push(...engine.logger.said('error').slice(0, 1));
  }
  assert.deepEqual(said.slice(0, 3), documented('A `reconcile` that returns nothing'));
});

test('a status that is no object is refused, and nothing is taken away', async () => {
  for (const [given, text] of [
    [Promise.resolve({ seen: 'late', conditions: [] }), 'the status of Widget must be an object, and is a promise'],
    ['well', 'the status of Widget must be an object, and is well'],
  ] as const) {
    let passes = 0;
    await using engine = await startEngine({
      async reconcile(_, { status }) {
        passes += 1;
        status.report(passes === 1 ? { seen: 'before', conditions: [] } : (given as never));
        return passes === 1 ? requeueAfter(100) : done;
      },
    });
    await engine.client.create(Widget, newWidget());
    await engine.clock.advance(200);
    assert.equal(engine.logger.said('error')[0], `Reconciler error: ${text}`);
    assert.equal((await engine.client.get(Widget, 'default/a')).status?.seen, 'before');
  }
});

for (const verb of ['apply', 'report'] as const) {
  test(`a status that the server does not keep is told, and not taken for an object that is gone: by ${verb}`, async () => {
    await using engine = await startEngine({
      async reconcile(_, { status }) {
        await status[verb]({ seen: 'well', conditions: [] });
        return done;
      },
    });
    const { metadata, spec } = await engine.client.get(CustomResourceDefinition, 'widgets.engine.example.com');
    const install = async (subresources: object | null) => {
      const versions = spec.versions.map((version) => ({ ...version, subresources }));
      await engine.client.patch(CustomResourceDefinition, metadata.name, { spec: { versions } } as never);
    };
    await install(null);
    await engine.client.create(Widget, newWidget());
    await engine.clock.advance(100);
    const [first] = engine.logger.said('error');
    assert.deepEqual([first], documented('A status that the server does not keep'));
    await install({ status: {} });
    await engine.eventually(Widget, 'default/a', ({ status }) => status?.seen === 'well');
  });
}

test('an object that goes while its status is written is no alarm, even if another comes in its place', async () => {
  let isFirst = true;
  const logger = rememberingLogger();
  const intercept = (transport: Transport): Transport => ({
    async request(request) {
      if (!isFirst || !request.path.includes('/status?')) return await transport.request(request);
      isFirst = false;
      await engine.client.delete(Widget, 'default/a');
      const answer = await transport.request(request);
      await engine.client.create(Widget, newWidget());
      return answer;
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  });
  const options: Options = {
    async reconcile(_, { status }) {
      await status.apply({ seen: 'well', conditions: [] });
      return done;
    },
  };
  await using engine = await startCluster({ operators: [engineOf(options)], logger, intercept });
  await engine.client.create(Widget, newWidget());
  await engine.eventually(Widget, 'default/a', ({ status }) => status?.seen === 'well');
  assert.deepEqual([isFirst, logger.said('error')], [false, []]);
});

test('whatever is thrown is logged, retried, and given to onError as an error', async () => {
  const foreign: unknown = runInNewContext('new RangeError("of another realm")');
  const cases: readonly (readonly [() => Promise<Outcome>, string])[] = [
    [() => Promise.reject(undefined), 'reconcile threw undefined, which is no Error and tells nobody where'],
    [() => Promise.reject('full'), "reconcile threw 'full', which is no Error and tells nobody where"],
    [() => Promise.reject(foreign), 'of another realm'],
    [
      () => runInNewContext('Promise.reject(undefined)'),
      'reconcile threw undefined, which is no Error and tells nobody where',
    ],
    [
      () => {
        throw new Error('before the first await');
      },
      'before the first await',
    ],
  ];
  const said: string[] = [];
  for (const [reconcile, text] of cases) {
    await using engine = await startEngine({
      reconcile,
      onError: (_, error) => ({ seen: (error as Error).message, conditions: [] }),
    });
    await engine.client.create(Widget, newWidget());
    await engine.clock.advance(100);
    const { status } = await engine.client.get(Widget, 'default/a');
    assert.equal(status?.seen, text);
    const errors = engine.logger.lines.filter(({ level }) => level === 'error');
    assert.equal((errors[0]?.fields.error as Error | undefined)?.message, text);
    assert.ok(errors.length >= 4, 'and it is tried again');
    said.push(...engine.logger.said('error').slice(0, 1));
  }
  assert.deepEqual(said.slice(0, 1), documented('One that throws `undefined`'));
});

test('a pass that hangs is named when its time is up, and frees its worker; its object waits until it has ended', async () => {
  const release = Promise.withResolvers<void>();
  const passes: string[] = [];
  await using engine = await startEngine({
    async reconcile({ metadata: { name } }) {
      passes.push(name);
      if (name === 'a' && passes.filter((each) => each === 'a').length === 1) await release.promise;
      return done;
    },
    onError: (_, error) => ({ seen: (error as Error).message, conditions: [] }),
  });
  await engine.client.create(Widget, newWidget('a'));
  await engine.clock.settle();
  await engine.client.create(Widget, newWidget('b'));
  await engine.clock.advance(299_000);
  assert.deepEqual(passes, ['a'], 'one worker, and it is busy');

  await engine.clock.advance(1000);
  assert.deepEqual(passes, ['a', 'b']);
  const text = 'reconcile of widget default/a did not finish within 300 s';
  assert.deepEqual(engine.logger.said('error'), [`Reconciler error: ${text}`]);
  assert.deepEqual(engine.logger.said('error'), documented('One that hangs'));
  assert.equal((await engine.client.get(Widget, 'default/a')).status?.seen, text);

  await engine.client.patch(Widget, 'default/a', { spec: { text: 'changed' } });
  await engine.clock.advance(3_600_000);
  assert.deepEqual(passes, ['a', 'b'], 'never two passes over one object');
  const [ignores, ended] = documented('If it does not heed its signal');
  assert.deepEqual(engine.logger.said('error').slice(1), [ignores]);
  const named = engine.logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.name);
  assert.deepEqual(named, ['a', 'a']);

  release.resolve();
  await engine.clock.settle();
  assert.deepEqual(passes, ['a', 'b', 'a']);
  assert.ok(engine.logger.said('info').includes(ended ?? ''));
});

test('a pass that heeds its signal is tried again soon after its time is up', async () => {
  const passes = times(() => engine.clock);
  await using engine = await startEngine({
    timeoutMs: 1000,
    async reconcile(_, { signal, clock }) {
      passes.note();
      await sleep(clock, 3_600_000, signal);
      return done;
    },
  });
  await engine.client.create(Widget, newWidget());
  await engine.clock.advance(3100);
  assert.deepEqual(passes.gaps(), [1005, 1010, 1020]);
  assert.equal(engine.logger.said('error').length, 3, 'none of them about a signal that was ignored');
});

test('a write that nobody waits for fails the pass and names the call', async () => {
  await using engine = await startEngine({
    async reconcile(_, { owned }) {
      void owned.apply(ConfigMap, { metadata: { name: 'forgotten' } });
      return done;
    },
  });
  await engine.client.create(Widget, newWidget());
  await engine.clock.advance(100);
  assert.equal(engine.logger.said('error')[0], documented('One that forgets an `await`')[0]);
});

test('a call after the end of its pass is refused, and reported with controller, object and call', async () => {
  const kept: ContextOf<typeof declaration>[] = [];
  await using engine = await startEngine({
    async reconcile(_, context) {
      kept.push(context);
      return done;
    },
  });
  await engine.client.create(Widget, newWidget());
  await engine.clock.settle();
  const [context] = kept;
  assert.ok(context);
  const late: readonly (readonly [string, () => unknown])[] = [
    ['owned.apply(ConfigMap late)', () => context.owned.apply(ConfigMap, { metadata: { name: 'late' } })],
    ['status.apply()', () => context.status.apply({ seen: 'late', conditions: [] })],
    ['client.get(Widget default/a)', () => context.client.get(Widget, 'default/a')],
    ['client.delete(Widget default/a)', () => context.client.with({ timeoutMs: 5 }).delete(Widget, 'default/a')],
  ];
  for (const [call, act] of late) {
    await assert.rejects(async () => act(), {
      code: 'ERR_NOT_AWAITED',
      message: `${call} was called after the reconcile of widget default/a had ended: an await is missing; nothing was sent`,
    });
  }
  assert.throws(() => context.client.watch(Widget), { code: 'ERR_NOT_AWAITED' });
  context.events.normal('Late', 'too late');
  const reports = engine.logger.lines.filter(({ level }) => level === 'error');
  assert.deepEqual(
    reports.map(({ fields: { controller: by, namespace, name, call } }) => [by, namespace, name, call]),
    [...late.map(([call]) => call), 'client.watch(Widget)', 'events.normal()'].map((call) => [
      'widget',
      'default',
      'a',
      call,
    ]),
  );
  assert.equal(engine.logger.said('error')[1], documented('One that forgets an `await`')[1]);
  assert.equal((await engine.client.get(Widget, 'default/a')).status, undefined);
});

test('what runs beside a failure ends with its pass, before the next one begins', async () => {
  let running = 0;
  let most = 0;
  await using engine = await startEngine({
    async reconcile(_, { signal, clock, owned }) {
      running += 1;
      most = Math.max(most, running);
      const slow = sleep(clock, 60_000, signal)
        .catch(() => {})
        .finally(() => {
          running -= 1;
        });
      await Promise.all([
        owned.apply(ConfigMap, { metadata: { name: 'a' } }),
        Promise.reject(new Error('at once')),
        slow,
      ]);
      return done;
    },
  });
  await engine.client.create(Widget, newWidget());
  await engine.clock.advance(1000);
  assert.equal(most, 1);
});

test('a controller has as many workers as it asks for, one by default, and says so', async () => {
  for (const concurrency of [undefined, 3]) {
    let running = 0;
    let most = 0;
    await using engine = await startEngine({
      ...(concurrency !== undefined && { concurrency }),
      async reconcile(_, { clock }) {
        most = Math.max(most, ++running);
        await sleep(clock, 1000);
        running -= 1;
        return done;
      },
    });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await engine.client.create(Widget, newWidget(name));
    await engine.clock.advance(10_000);
    assert.equal(most, concurrency ?? 1);
    const said = engine.logger.lines.filter(({ message }) => message.startsWith('Starting '));
    assert.deepEqual(
      said.map(({ message, fields }) => [message, fields.controller, fields.source ?? fields['worker count']]),
      [
        ['Starting EventSource', 'widget', 'kind source: widgets.engine.example.com'],
        ['Starting EventSource', 'widget', 'kind source: configmaps'],
        ['Starting Controller', 'widget', undefined],
        ['Starting workers', 'widget', concurrency ?? 1],
      ],
    );
  }
});

test('delays of retries and a limit for each object are what the controller declares', async () => {
  const failing = times(() => engine.clock);
  const busy = times(() => engine.clock);
  await using engine = await startEngine({
    retry: { baseDelayMs: 100, maxDelayMs: 400 },
    rateLimit: { passes: 2, perMs: 1000 },
    async reconcile({ metadata: { name } }) {
      if (name === 'busy') {
        busy.note();
        return requeueAfter(10);
      }
      failing.note();
      throw new Error('no');
    },
  });
  await engine.client.create(Widget, newWidget('failing'));
  await engine.client.create(Widget, newWidget('busy'));
  await engine.clock.advance(3000);
  assert.deepEqual(failing.gaps().slice(0, 3), [100, 900, 400], 'the third has to wait for its turn');
  assert.deepEqual(busy.gaps(), [10, 990, 10, 990, 10, 990]);
});

test('options that make no sense are refused with their name', () => {
  const cases: readonly (readonly [Partial<Options>, RegExp])[] = [
    [{ concurrency: 0 }, /controller widget: concurrency must be a whole number of at least 1, received 0/],
    [{ timeoutMs: 0 }, /timeoutMs must be greater than 0, received 0/],
    [{ cacheSyncTimeoutMs: Number.NaN }, /cacheSyncTimeoutMs must be greater than 0, received NaN/],
    [{ resyncMs: 0 }, /resyncMs must be greater than 0, received 0/],
    [{ retry: { baseDelayMs: 10, maxDelayMs: 5 } }, /retry.maxDelayMs must be at least baseDelayMs \(10\), received 5/],
    [{ rateLimit: { passes: 0.5, perMs: 1 } }, /rateLimit.passes must be a whole number of at least 1, received 0.5/],
    [{ rateLimit: { passes: 1, perMs: -1 } }, /rateLimit.perMs must be greater than 0, received -1/],
  ];
  for (const [options, message] of cases) {
    assert.throws(() => engineOf({ reconcile: async () => done, ...options }), { name: 'RangeError', message });
  }
});

test('a definition that lacks a part is refused with the name of its controller', () => {
  const reconcile = async () => done;
  const circle = 'is undefined; modules that import each other in a circle see that';
  const cases: readonly (readonly [object, string])[] = [
    [{ for: undefined, reconcile }, `controller: for ${circle}`],
    [{ for: Widget, owns: [ConfigMap, undefined], reconcile }, `controller widget: owns[1] ${circle}`],
    [{ for: Widget, owns: [{ removable: undefined }], reconcile }, `controller widget: owns[0] ${circle}`],
    [{ for: Widget, watches: [undefined], reconcile }, `controller widget: watches[0] ${circle}`],
    [{ for: Widget, watches: [{ watch: undefined }], reconcile }, `controller widget: watches[0] ${circle}`],
    [{ for: Widget, refers: [undefined], reconcile }, `controller widget: refers[0] ${circle}`],
    [{ for: Widget, refers: [{ to: undefined, by: () => '' }], reconcile }, `controller widget: refers[0] ${circle}`],
    [{ for: Widget }, 'controller widget: reconcile must be a function, received undefined'],
  ];
  for (const [definition, message] of cases) {
    assert.throws(() => controller(definition as never), { name: 'RangeError', message });
  }
});

test('a cache that does not become complete is reported after its time, and still waited for', async () => {
  const logger = rememberingLogger();
  let isReachable = false;
  await using cluster = await startCluster({
    operators: [engineOf({ reconcile: async () => done })],
    logger,
    intercept: (transport) => ({
      ...transport,
      async request(request) {
        if (!isReachable && request.path.includes('configmaps')) throw new TransportError('list', 'unreachable');
        return transport.request(request);
      },
    }),
  });
  await cluster.clock.advance(119_999);
  assert.deepEqual(logger.said('error'), []);
  await cluster.clock.advance(1);
  assert.deepEqual(logger.said('error'), documented('A cache that does not become complete'));
  const { problems } = logger.lines.find(({ level }) => level === 'error')?.fields ?? {};
  assert.match(String(problems), /^configmaps: .*unreachable$/);
  assert.ok(!logger.said('info').includes('Starting workers'));
  isReachable = true;
  await cluster.clock.advance(60_000);
  assert.ok(logger.said('info').includes('Starting workers'));
});

test(
  'a stop takes less than the 30 s that a pod has, although the API server answers nothing any more',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    let isHanging = false;
    const transport: Transport = {
      async request(request) {
        if (!isHanging) return cluster.cluster.transport.request(request);
        return new Promise((_, reject) => {
          const { signal } = request;
          signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      },
      async [Symbol.asyncDispose]() {},
    };
    const failures: unknown[] = [];
    const engine = engineOf({
      async reconcile(_, { client, events }) {
        events.normal('Working', 'to be flushed');
        isHanging = true;
        await client
          .get(ConfigMap, 'default/a', { timeoutMs: 3_600_000 })
          .catch((error: unknown) => failures.push(error));
        return done;
      },
    });
    const { clock } = cluster;
    const stop = new AbortController();
    const logger = rememberingLogger();
    const manager = createManager(engine, { transport, clock, logger, health: false, metrics: false });
    let tookMs = -1;
    const running = manager.start(stop.signal).finally(() => {
      tookMs = clock.monotonic() - begunMs;
    });
    await cluster.client.create(Widget, newWidget());
    await clock.advance(1000);
    const begunMs = clock.monotonic();
    stop.abort(new Error('SIGTERM'));
    await clock.advance(60_000);
    await running;
    assert.ok(tookMs >= 20_000 && tookMs <= 25_000, `${tookMs} ms`);
    assert.equal(failures.length, 1);
    assert.ok(!isTransportError(failures[0]), 'its request was ended, not timed out');
  },
);

test('probes are on port 8081 and metrics on 8080 unless told otherwise', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  const { clock } = cluster;
  const cases = [
    ['health probe', 8081, { metrics: false }, false],
    ['metrics', 8080, { health: false }, false],
    ['metrics', 8080, { health: false }, true],
  ] as const;
  for (const [name, port, other, secureMetrics] of cases) {
    const stop = new AbortController();
    const logger = rememberingLogger();
    const { transport } = cluster.cluster;
    const engine = { ...engineOf({ reconcile: async () => done }), secureMetrics };
    const started = createManager(engine, { transport, clock, logger, ...other });
    const addressed = () => logger.lines.find(({ message }) => message === 'starting server')?.fields;
    // Where another program has the port, the refusal names it.
    const refused = started.start(stop.signal).then(
      () => undefined,
      (error: Error) => error.message,
    );
    let message: string | undefined;
    void refused.then((text) => {
      message = text;
    });
    while (addressed() === undefined && message === undefined) await nextTurn();
    stop.abort(new Error('the test is over'));
    await clock.advance(1000);
    await refused;
    if (message === undefined) assert.deepEqual(addressed(), { name, addr: `[::]:${port}` });
    else assert.match(message, new RegExp(`^The ${name} server cannot listen on port ${port}: `));
  }
});

test('a reconcile that does not stop is named with its object', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  const { clock } = cluster;
  const hung = engineOf({ reconcile: () => new Promise<never>(() => {}), concurrency: 2 });
  const stop = new AbortController();
  const { transport } = cluster.cluster;
  const logger = rememberingLogger();
  const manager = createManager(hung, { transport, clock, logger, health: false, metrics: false });
  const message = '2 passes did not stop although the signal was aborted: widget default/a, widget default/b.';
  const ended = assert.rejects(manager.start(stop.signal), { message });
  for (const name of ['a', 'b']) await cluster.client.create(Widget, newWidget(name));
  await clock.advance(1000);
  stop.abort(new Error('SIGTERM'));
  await clock.advance(25_000);
  await ended;
  assert.deepEqual(logger.said('error'), [message]);
});

test('an object at rest is looked at again after its period, whatever its predicate says, with that as the cause', async () => {
  const quiet = controller({ for: Widget, when: () => false, resyncMs: 60_000, reconcile: async () => done });
  const logger = rememberingLogger();
  await using cluster = await startCluster({ operators: [operator({ name: 'quiet', controllers: [quiet] })], logger });
  await cluster.client.create(Widget, newWidget());
  await cluster.clock.advance(132_000);
  const passes = logger.lines.filter(({ message }) => message === 'Reconciling Widget');
  assert.deepEqual(
    passes.map(({ fields }) => fields.causes),
    [['Widget default/a added'], ['resync'], ['resync']],
  );
});
