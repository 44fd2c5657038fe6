import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InformerEvent } from '@keelson/client';
import {
  ApiError,
  controllerReference,
  type Kind,
  type KubernetesObject,
  keyOf,
  NotControlledError,
  optional,
  sleep,
} from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Secret } from '@keelson/core/v1';
import { seededRandom, VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import { type Controller, controller } from '../controller/controller.ts';
import { done, requeueAfter, TerminalError } from '../controller/outcome.ts';
import { ControlLoop, type ControlLoopOptions, type PassEnd } from './control-loop.ts';
import type { Mistake } from './mistakes.ts';

const object = (name: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid: `u-${name}`, resourceVersion: '1', creationTimestamp: 'then', ...metadata },
});

const refusal = (code: number, reason: string, details: object = {}) =>
  new ApiError('patch', {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    code,
    reason,
    message: reason,
    details,
  } as never);

type Definition = Partial<Parameters<typeof controller<typeof ConfigMap>>[0]>;

/** A controller of ConfigMaps at work on what a test puts into its caches. */
function working(definition: Definition, options: Partial<ControlLoopOptions> = {}) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const [results, forgotten, patches]: [string[], string[], unknown[]] = [[], [], []];
  const [ends, mistakes]: [PassEnd[], Mistake[]] = [[], []];
  const counted: Record<string, number> = {};
  const one: Controller = controller({ for: ConfigMap, reconcile: async () => done, ...definition } as never);
  const stored = new Map<string, KubernetesObject>();
  const handlers: [Kind, (event: InformerEvent) => void][] = [];
  const informer = (kind: Kind, health: object = { synced: true }) => ({
    kind,
    health,
    synced: 'synced' in health ? Promise.resolve() : new Promise(() => {}),
    subscribe: (handler: (event: InformerEvent) => void) => void handlers.push([kind, handler]),
  });
  const informers = [informer(ConfigMap), informer(Deployment)];
  const client = {
    with: () => client,
    async patch(_: Kind, key: string, patch: { readonly metadata: object }) {
      patches.push(patch);
      const before = stored.get(key) as KubernetesObject;
      const after = { ...before, metadata: { ...before.metadata, ...patch.metadata, resourceVersion: '2' } };
      stored.set(key, after);
      return after;
    },
  };
  const loop = new ControlLoop({
    controller: one,
    client,
    caches: {
      informers,
      informersOf: (kind: Kind) => informers.filter((each) => each.kind.kind === kind.kind),
      store: () => ({ get: (key: string) => stored.get(key), list: () => [...stored.values()] }),
    },
    applied: { forget: (uid: string) => void forgotten.push(uid) },
    recorder: { event() {} },
    logger,
    metrics: {
      queue: { added() {}, depth() {}, taken() {}, done() {}, retried() {} },
      observe() {},
      observeStorms() {},
      storm() {},
      setConcurrency: (workers: number) => void Object.assign(counted, { workers }),
      timedOut: () => void Object.assign(counted, { timeouts: (counted.timeouts ?? 0) + 1 }),
      begin: () => (result: string) => void results.push(result),
    },
    tracer: undefined,
    logCauses: false,
    settings: undefined,
    clock,
    random: seededRandom(1),
    onPass: (end: PassEnd) => void ends.push(end),
    onMistake: (mistake: Mistake) => void mistakes.push(mistake),
    ...options,
  } as unknown as ControlLoopOptions);
  const stop = new AbortController();
  const tell = (kind: Kind, event: InformerEvent) => {
    for (const [of, handler] of handlers) if (of === kind) handler(event);
  };
  const add = (...objects: readonly KubernetesObject[]) => {
    for (const each of objects) {
      stored.set(keyOf(each), each);
      tell(ConfigMap, { type: 'added', object: each, initial: false });
    }
  };
  const said = (message: string) => logger.lines.filter((line) => line.message === message);
  return {
    clock,
    logger,
    results,
    forgotten,
    patches,
    ends,
    mistakes,
    counted,
    stored,
    informers,
    informer,
    loop,
    stop,
    tell,
    add,
    said,
    run: () => loop.run(stop.signal),
  };
}

/** Begins, adds these objects, lets this time pass, and stops. */
async function after(ms: number, world: ReturnType<typeof working>, ...objects: readonly KubernetesObject[]) {
  const running = world.run();
  await world.clock.settle();
  world.add(...objects);
  await world.clock.advance(ms);
  world.stop.abort(new Error('SIGTERM'));
  await world.clock.advance(0);
  await running;
  return world;
}

test('what begins and ends is said, with its sources and its workers', async () => {
  const { logger, counted } = await after(0, working({ concurrency: 3 }));
  assert.deepEqual(
    logger.lines.map(({ level, message, fields }) => [level, message, fields]),
    [
      ['info', 'Starting EventSource', { source: 'kind source: configmaps' }],
      ['info', 'Starting EventSource', { source: 'kind source: deployments.apps' }],
      ['info', 'Starting Controller', {}],
      ['info', 'Starting workers', { 'worker count': 3 }],
      ['info', 'Stopping workers', {}],
    ],
  );
  assert.deepEqual(counted, { workers: 3 });
});

test('who is stopped before it begins does nothing', async () => {
  const world = working({});
  world.stop.abort();
  await world.run();
  assert.deepEqual(world.logger.lines, []);
});

test('what becomes of a pass is counted and told: success, another look, a failure, one that is not retried', async () => {
  const cases: readonly (readonly [
    name: string,
    answer: () => unknown,
    results: readonly string[],
    errors: readonly string[],
  ])[] = [
    ['done', () => done, ['success'], []],
    ['again', () => requeueAfter(600), ['requeue_after', 'requeue_after'], []],
    [
      'failed',
      () => {
        throw new Error('down');
      },
      ['error', 'error'],
      ['down', 'down'],
    ],
    [
      'terminal',
      () => {
        throw new TerminalError('never');
      },
      ['terminal'],
      ['never'],
    ],
  ];
  for (const [name, answer, results, errors] of cases) {
    const world = await after(
      1000,
      working({ retry: { baseDelayMs: 600 }, reconcile: async () => answer() as never }),
      object('a'),
    );
    assert.deepEqual(world.results, results, name);
    assert.deepEqual(
      world.ends.map(({ controller, key, error }) => [controller, key, error?.message]),
      results.map((_, i) => ['configmap', 'ns/a', errors[i]]),
    );
    const message = name === 'terminal' ? 'Reconciler error; not retried until the object changes' : 'Reconciler error';
    assert.deepEqual(
      world.logger.lines
        .filter(({ level }) => level === 'error')
        .map(({ message, fields }) => [message, String(fields.error), fields.name]),
      errors.map((text) => [message, `${name === 'terminal' ? 'TerminalError' : 'Error'}: ${text}`, 'a']),
    );
    assert.deepEqual(
      world.said('Reconciler error').map(({ fields }) => fields.retryInMs),
      name === 'failed' ? [600, 1200] : [],
    );
    assert.deepEqual(world.mistakes, []);
  }
});

test('after a success the next failure waits as little as the first', async () => {
  let passes = 0;
  const reconcile = async () => {
    passes += 1;
    if (passes !== 3) throw new Error('down');
    return requeueAfter(1000);
  };
  const { said } = await after(1200, working({ reconcile, retry: { baseDelayMs: 50 } }), object('a'));
  assert.deepEqual(
    said('Reconciler error').map(({ fields }) => fields.retryInMs),
    [50, 100, 50, 100],
  );
});

test('conflicts are looked at again without a word, five times', async () => {
  const world = await after(
    170,
    working({
      async reconcile() {
        throw refusal(409, 'Conflict');
      },
    }),
    object('a'),
  );
  assert.deepEqual(world.results, [...new Array<string>(5).fill('requeue'), 'error']);
  assert.deepEqual(
    world.said('Looking again').map(({ level, fields }) => [level, String(fields.error)]),
    new Array(5).fill(['debug', 'ApiError: patch: Conflict']),
  );
  assert.equal(world.ends.length, 6);
});

test('an object that is gone by now is no failure; one that the server does not know otherwise is', async () => {
  for (const [details, results] of [
    [{ kind: 'configmaps', name: 'a' }, ['success']],
    [{ kind: 'configmaps', name: 'b' }, ['error']],
    [{ kind: 'secrets', name: 'a' }, ['error']],
  ] as const) {
    const reconcile = async () => {
      throw refusal(404, 'NotFound', details);
    };
    const world = await after(4, working({ reconcile }), object('a'));
    assert.deepEqual(world.results, results);
    assert.deepEqual(
      world.ends.map(({ error }) => error !== undefined),
      [results[0] === 'error'],
    );
    assert.equal(world.said('ConfigMap was deleted during the pass').length, results[0] === 'error' ? 0 : 1);
  }
});

test('what is deleted has no pass, and is forgotten', async () => {
  const reconcile = async () => assert.fail();
  const world = working({ reconcile });
  const running = world.run();
  await world.clock.settle();
  world.add(object('a', { deletionTimestamp: 'now' }));
  world.tell(ConfigMap, { type: 'deleted', object: object('b'), missed: false });
  world.tell(Deployment, { type: 'deleted', object: object('c'), missed: false });
  await world.clock.advance(10);
  assert.deepEqual(world.results, []);
  assert.deepEqual(
    world.ends.map(({ key, error }) => [key, error]),
    [
      ['ns/a', undefined],
      ['ns/b', undefined],
    ],
  );
  assert.equal(world.said('ConfigMap is deleted or being deleted; what it owns goes with it').length, 2);
  assert.deepEqual(world.forgotten, ['u-b']);
  world.stop.abort();
  await running;
});

test('a deleted owned object is forgotten, too, and others are not', async () => {
  const world = working({ owns: [Deployment] as never });
  const running = world.run();
  await world.clock.settle();
  world.tell(Deployment, { type: 'deleted', object: object('c'), missed: false });
  world.tell(Deployment, { type: 'added', object: object('d'), initial: false });
  assert.deepEqual(world.forgotten, ['u-c']);
  world.stop.abort();
  await running;
});

test('who is refused for an object of somebody else is woken when that one changes', async () => {
  const other = { ...object('web'), apiVersion: 'apps/v1', kind: 'Deployment' };
  const causes: unknown[] = [];
  const world = working(
    {
      owns: [Deployment] as never,
      retry: { baseDelayMs: 1000 },
      async reconcile() {
        throw new NotControlledError(other, { kind: 'ConfigMap', key: 'ns/a' });
      },
    },
    { logCauses: true },
  );
  const running = world.run();
  await world.clock.settle();
  world.add(object('a'));
  await world.clock.advance(10);
  world.tell(Deployment, { type: 'deleted', object: other, missed: false });
  await world.clock.advance(10);
  causes.push(...world.said('Reconciling ConfigMap').map(({ fields }) => fields.causes));
  assert.deepEqual(causes, [['ConfigMap ns/a added'], ['retry', 'Deployment ns/web deleted']]);
  world.stop.abort();
  await running;
});

test('what a namesake left behind is waited for without a word', async () => {
  const reference = controllerReference(ConfigMap, object('a', { uid: 'former' }));
  const left = { ...object('web', { ownerReferences: [reference] }), apiVersion: 'apps/v1', kind: 'Deployment' };
  const reconcile = async () => {
    throw new NotControlledError(left, { kind: 'ConfigMap', key: 'ns/a' });
  };
  const world = await after(4, working({ reconcile }), object('a'));
  assert.deepEqual(world.results, ['requeue']);
});

test('why a pass runs is said in a debug line, and at info level on request', async () => {
  for (const logCauses of [false, true]) {
    const world = await after(10, working({}, { logCauses }), object('a'));
    assert.deepEqual(
      world.said('Reconciling ConfigMap').map(({ level, fields }) => [level, fields]),
      [[logCauses ? 'info' : 'debug', { namespace: 'ns', name: 'a', causes: ['ConfigMap ns/a added'] }]],
    );
  }
});

test('each pass is a span with its object and its causes', async () => {
  const spans: unknown[] = [];
  const tracer = {
    startActiveSpan<T>(name: string, { attributes }: { attributes: object }, run: (span: never) => T): T {
      spans.push([name, attributes]);
      return run({ end() {} } as never);
    },
  };
  await after(10, working({}, { tracer: tracer as never }), object('a'));
  const attributes = { controller: 'configmap', namespace: 'ns', name: 'a', causes: ['ConfigMap ns/a added'] };
  assert.deepEqual(spans, [['reconcile configmap', attributes]]);
});

test('everything is looked at again after the period, behind what changes now', async () => {
  const world = await after(2500, working({ resyncMs: 1000 }, { logCauses: true }), object('a'));
  const causes = world.said('Reconciling ConfigMap').map(({ fields }) => String(fields.causes));
  assert.deepEqual(causes, ['ConfigMap ns/a added', 'resync', 'resync']);
  const passes: string[] = [];
  const busy = working({
    resyncMs: 1000,
    async reconcile({ metadata }) {
      if (passes.push(metadata.name) === 4) busy.add(object('new'));
      return done;
    },
  });
  await after(1500, busy, object('a'), object('b'), object('c'));
  assert.equal(passes.join(' '), 'a b c a new b c');
});

test('what a rollout brings waits behind objects that had no pass yet; what a user edits, and what is gone, does not', async () => {
  const owner = { ...object('a'), metadata: { ...object('a').metadata, generation: 1 } };
  const child = { ...object('web'), apiVersion: 'apps/v1', kind: 'Deployment' };
  const owned = { ...child, metadata: { ...child.metadata, ownerReferences: [controllerReference(ConfigMap, owner)] } };
  const edited = { ...owner, metadata: { ...owner.metadata, generation: 2 } };
  const changes: readonly (readonly [what: string, kind: Kind, event: InformerEvent, order: string])[] = [
    ['a step', Deployment, { type: 'updated', object: owned, previous: owned }, 'a b c a'],
    ['a status', ConfigMap, { type: 'updated', object: owner, previous: owner }, 'a b c a'],
    ['an edit', ConfigMap, { type: 'updated', object: edited, previous: owner }, 'a b a c'],
    ['an end', Deployment, { type: 'deleted', object: owned, missed: false }, 'a b a c'],
  ];
  for (const [what, kind, event, order] of changes) {
    const passes: string[] = [];
    const world = working({
      owns: [Deployment] as never,
      async reconcile({ metadata }) {
        if (passes.push(metadata.name) === 1) world.tell(kind, event);
        return done;
      },
    });
    const running = world.run();
    for (const each of [owner, object('b'), object('c')]) {
      world.stored.set(keyOf(each), each);
      world.tell(ConfigMap, { type: 'added', object: each, initial: true });
    }
    await world.clock.advance(10);
    assert.equal(passes.join(' '), order, what);
    world.stop.abort();
    await running;
  }
});

test('who is stopped before the caches are complete leaves nothing to ring', async () => {
  const timers = new Set<object>();
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer() {
      const timer = { unref() {}, [Symbol.dispose]: () => void timers.delete(timer) };
      timers.add(timer);
      return timer;
    },
  };
  const world = working({ owns: [Deployment] as never }, { clock });
  world.informers.push(world.informer(Secret, {}));
  const running = world.run();
  const child = { ...object('web'), apiVersion: 'apps/v1', kind: 'Deployment' };
  const ownerReferences = [controllerReference(ConfigMap, object('a'))];
  const owned = { ...child, metadata: { ...child.metadata, ownerReferences } };
  world.tell(Deployment, { type: 'updated', object: owned, previous: owned });
  assert.ok(timers.size > 0);
  world.stop.abort();
  await running;
  assert.equal(timers.size, 0);
});

test('sources wake objects with their cause', async () => {
  const source = { name: 'bell', start: async ({ wake }: { wake(key: string): void }) => wake('ns/a') };
  const world = working({ sources: [source as never] }, { logCauses: true });
  world.stored.set('ns/a', object('a'));
  await after(10, world);
  assert.deepEqual(world.results, ['success']);
  assert.match(String(world.said('Reconciling ConfigMap')[0]?.fields.causes), /bell/);
});

test('caches that are not complete are reported once, and nothing begins before they are', async () => {
  const world = working({ cacheSyncTimeoutMs: 3000, reconcile: async () => assert.fail() });
  world.informers.push(
    world.informer(Secret, {}),
    world.informer({ ...Secret, resource: 'keys' }, { lastError: new Error('no way') }),
    world.informer(optional(Deployment), { lastError: refusal(404, 'NotFound') }),
  );
  const running = world.run();
  await world.clock.settle();
  world.add(object('a'));
  await world.clock.advance(2999);
  assert.deepEqual(world.logger.said('error'), []);
  await world.clock.advance(10_000);
  assert.deepEqual(
    world.logger.lines
      .filter(({ level }) => level === 'error')
      .map(({ message, fields }) => [message, fields.problems]),
    [
      [
        'The caches are not complete after 3 s; the controller waits for them',
        ['secrets: the first list is not complete', 'keys: no way'],
      ],
    ],
  );
  assert.deepEqual(world.said('Starting workers'), []);
  world.stop.abort();
  await running;
  assert.deepEqual(world.said('Stopping workers'), []);
});

test('where there is no limit for caches, they are waited for in silence', async () => {
  const world = working({ cacheSyncTimeoutMs: Number.POSITIVE_INFINITY });
  world.informers.push(world.informer(Secret, {}));
  await after(1e9, world);
  assert.deepEqual(world.logger.said('error'), []);
});

test('a pass that hangs is named, keeps its own object waiting and no other, and is counted', async () => {
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  const world = working({
    timeoutMs: 5000,
    async reconcile({ metadata: { name } }) {
      begun.push(name);
      if (name === 'a' && begun.length === 1) await gate.promise;
      return done;
    },
  });
  const running = world.run();
  await world.clock.settle();
  world.add(object('a'), object('b'));
  await world.clock.advance(4999);
  assert.deepEqual(world.loop.unsettled, ['configmap ns/a']);
  assert.deepEqual(begun, ['a']);
  await world.clock.advance(1000);
  assert.deepEqual(begun, ['a', 'b']);
  const hanging = 'A pass that timed out ignores its signal; nothing else is done for this object until it ends';
  assert.deepEqual([world.counted.timeouts, world.said(hanging).length], [1, 0]);
  assert.deepEqual(world.logger.said('error'), [
    'Reconciler error: reconcile of configmap ns/a did not finish within 5 s',
  ]);
  await world.clock.advance(1);
  assert.deepEqual(
    world.said(hanging).map(({ level, fields }) => [level, fields.name]),
    [['error', 'a']],
  );
  await world.clock.advance(3999);
  gate.resolve();
  await world.clock.advance(1000);
  assert.deepEqual(
    world.said('The pass that timed out has ended').map(({ level, fields }) => [level, fields.afterMs]),
    [['info', 4999]],
  );
  assert.deepEqual(begun, ['a', 'b', 'a']);
  assert.deepEqual(world.loop.unsettled, []);
  world.stop.abort();
  await running;
});

test('one that heeds its signal in time is not said to hang', async () => {
  const world = working({
    timeoutMs: 100,
    reconcile: async (_, { clock, signal }) => {
      await sleep(clock, 1000, signal);
      return done;
    },
  });
  await after(5000, world, object('a'));
  assert.equal(
    world.logger.lines.some(({ message }) => message.includes('timed out')),
    false,
  );
});

test('a stop waits for running passes; who aborts them gets no report', async () => {
  const world = working({
    reconcile: async (_, { clock, signal }) => {
      await sleep(clock, 60_000, signal);
      return done;
    },
    onError: () => assert.fail(),
  });
  const running = world.run();
  await world.clock.settle();
  world.add(object('a'));
  await world.clock.advance(10);
  let isOver = false;
  void running.then(() => {
    isOver = true;
  });
  world.stop.abort(new Error('SIGTERM'));
  await world.clock.advance(1000);
  assert.deepEqual([isOver, world.results], [false, []]);
  world.loop.abort(new Error('time is up'));
  await world.clock.advance(10);
  assert.deepEqual([isOver, world.results, world.ends, world.logger.said('error')], [true, ['requeue'], [], []]);
});

test('mistakes of the author are told apart from failures', async () => {
  const late: { call?: () => unknown } = {};
  const world = working({
    retry: { baseDelayMs: 1000 },
    async reconcile({ metadata: { name } }, { events }) {
      late.call = () => events.normal('Late', 'too late');
      return name === 'a' ? (undefined as never) : done;
    },
  });
  const running = world.run();
  await world.clock.settle();
  world.add(object('a'), object('b'));
  await world.clock.advance(10);
  late.call?.();
  assert.deepEqual(
    world.mistakes.map(({ controller, key, error }) => [controller, key, error.message]),
    [
      ['configmap', 'ns/a', 'reconcile returned nothing; it must return done or requeueAfter(ms)'],
      [
        'configmap',
        'ns/b',
        'events.normal() was called after the reconcile of configmap ns/b had ended: an await is missing; nothing was sent',
      ],
    ],
  );
  world.stop.abort();
  await running;
});

test('a defect of the engine at one object does not keep the others', async () => {
  const world = working({});
  const running = world.run();
  await world.clock.settle();
  const { get } = world.stored;
  world.stored.get = (key) => {
    if (key === 'ns/a') throw new Error('a defect');
    return get.call(world.stored, key);
  };
  world.add(object('a'), object('b'));
  await world.clock.advance(10);
  const [line] = world.said('The engine failed at an object');
  assert.deepEqual([line?.level, line?.fields.key, String(line?.fields.error)], ['error', 'ns/a', 'Error: a defect']);
  assert.deepEqual(world.results, ['success']);
  world.stop.abort();
  await running;
});

test('the finalizer is there before the first pass, and goes after finalize has succeeded', async () => {
  const happened: string[] = [];
  const finalizer = 'example.com/configmap';
  let answer: unknown = requeueAfter(1000);
  const world = working(
    {
      finalizer,
      async reconcile({ metadata }) {
        happened.push(`reconcile with ${metadata.finalizers}`);
        return done;
      },
      async finalize() {
        happened.push('finalize');
        return answer as never;
      },
    },
    { logCauses: true },
  );
  const running = world.run();
  await world.clock.settle();
  world.add(object('a'));
  await world.clock.advance(10);
  assert.deepEqual(happened, [`reconcile with ${finalizer}`]);
  const going = object('a', { deletionTimestamp: 'now', finalizers: [finalizer], resourceVersion: '2' });
  world.add(going);
  await world.clock.advance(10);
  assert.equal(world.patches.length, 1, 'it has to look again');
  answer = undefined;
  await world.clock.advance(1000);
  assert.deepEqual(happened.slice(1), ['finalize', 'finalize']);
  assert.deepEqual(world.patches.slice(1), [{ metadata: { uid: 'u-a', resourceVersion: '2', finalizers: [] } }]);
  assert.equal(world.said('Finalizing ConfigMap').length, 2);
  world.stop.abort();
  await running;
});
