/** The engine on a real API server: what a reconciler may rely on. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, connect, createClient, installDefinitions, loadConfig } from '@keelson/client';
import {
  conditionOf,
  deadline,
  isControlledBy,
  keyOf,
  type ObjectOf,
  operator,
  removable,
  rulesOf,
  sleep,
  type Transport,
} from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { systemClock } from '@keelson/core/system';
import { ConfigMap, Namespace, Secret } from '@keelson/core/v1';
import { crdOf, defineKind } from '@keelson/schema';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { z } from 'zod';
import {
  type Controller,
  controller,
  createManager,
  done,
  type Logger,
  type ManagerOptions,
  type Outcome,
  requeueAfter,
  TerminalError,
} from '../../src/index.ts';
import { Widget } from '../widget.ts';

const declaration = { for: Widget, owns: [removable(ConfigMap), Deployment] } as const;

const found = await availability();
const skip = found.available ? false : found.reason;

describe('the engine on a real API server', { skip }, () => {
  let kube: Kubernetes;
  let transport: Transport;
  let client: Client;

  before(async () => {
    kube = await startKubernetes({ auditLog: true });
    transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
    client = createClient({ transport, fieldManager: 'test' });
    await installDefinitions(client, [crdOf(Widget)]);
  });
  after(async () => {
    await transport?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  /** A namespace of the test's own; the controllers under test react only to what is in it. */
  const newNamespace = async () => {
    const { metadata } = await client.create(Namespace, { metadata: { generateName: 'engine-' } });
    return metadata.name;
  };
  const newWidget = (namespace: string, name: string, text = 'hello') =>
    client.create(Widget, { metadata: { namespace, name }, spec: { text } });

  test('an owned object is made with its owner, repaired when it drifts, and written only when it differs', async () => {
    const namespace = await newNamespace();
    let passes = 0;
    await using _ = await running(kube, 'keeper', {
      ...declaration,
      async reconcile(widget, { owned }) {
        if (widget.metadata.namespace !== namespace) return done;
        passes += 1;
        await owned.apply(ConfigMap, { metadata: { name: widget.metadata.name }, data: { text: widget.spec.text } });
        return done;
      },
    });
    const widget = await newWidget(namespace, 'a');
    const made = await seen(client, ConfigMap, keyOf(widget), ({ data }) => data?.text === 'hello');
    assert.ok(isControlledBy(made, widget));
    assert.equal(made.metadata.managedFields?.[0]?.manager, 'keeper');

    await client.patch(ConfigMap, keyOf(made), { data: { text: 'changed', foreign: 'kept' } });
    const repaired = await seen(client, ConfigMap, keyOf(made), ({ data }) => data?.text === 'hello');
    assert.equal(repaired.data?.foreign, 'kept', 'what others add stays');

    // A change that asks for nothing new leads to a pass and to no write.
    const before = passes;
    await client.patch(Widget, keyOf(widget), { metadata: { labels: { touched: 'yes' } } });
    await settled(() => passes > before);
    await newWidget(namespace, 'b'); // one worker: when this one has its object, the pass before it is over
    await seen(client, ConfigMap, `${namespace}/b`, () => true);
    const applies = await auditOf(kube, 'PATCH', `/namespaces/${namespace}/configmaps/a`);
    assert.equal(applies.filter((line) => line.includes('fieldManager=keeper')).length, 2, 'made once, repaired once');
  });

  test('a value that the server writes in its own way does not make the engine write for ever', async () => {
    const namespace = await newNamespace();
    let passes = 0;
    const labels = { app: 'normalised' };
    await using _ = await running(kube, 'normaliser', {
      ...declaration,
      async reconcile(widget, { owned }) {
        if (widget.metadata.namespace !== namespace) return done;
        passes += 1;
        await owned.apply(Deployment, {
          metadata: { name: widget.metadata.name },
          spec: {
            replicas: 0,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: {
                containers: [
                  {
                    name: 'x',
                    image: 'x',
                    ports: [{ containerPort: 80 }],
                    env: [],
                    resources: { requests: { cpu: '0.1', memory: '1024Mi' } },
                  },
                ],
              },
            },
          },
        });
        return done;
      },
    });
    const widget = await newWidget(namespace, 'a');
    await seen(client, Deployment, keyOf(widget), ({ status }) => status.observedGeneration === 1);
    const before = passes;
    for (const touched of ['once', 'twice']) {
      await client.patch(Widget, keyOf(widget), { metadata: { labels: { touched } } });
      await settled(() => passes >= before + (touched === 'once' ? 1 : 2));
    }
    const { metadata } = await client.get(Deployment, keyOf(widget));
    assert.equal(metadata.generation, 1);
    const log = await auditOf(kube, 'PATCH', `/namespaces/${namespace}/deployments/a`);
    assert.equal(log.length, 1, 'the no-op was sent once, when the object was made');
  });

  test('a pass sees its own writes in the cache at once', async () => {
    const namespace = await newNamespace();
    const observed: (string | undefined)[] = [];
    await using _ = await running(kube, 'reader', {
      ...declaration,
      async reconcile(widget, { owned, cache }) {
        if (widget.metadata.namespace !== namespace) return done;
        const { name } = widget.metadata;
        await owned.apply(ConfigMap, { metadata: { name }, data: { text: widget.spec.text } });
        observed.push(cache.get(ConfigMap, `${namespace}/${name}`)?.data?.text);
        observed.push(cache.list(ConfigMap, { namespace }).find(({ metadata }) => metadata.name === name)?.data?.text);
        return done;
      },
    });
    await newWidget(namespace, 'a', 'own write');
    await settled(() => observed.length >= 2);
    assert.deepEqual(observed.slice(0, 2), ['own write', 'own write']);
  });

  test('an object of someone else is left alone, until it is gone', async () => {
    const namespace = await newNamespace();
    await client.create(ConfigMap, { metadata: { namespace, name: 'a' }, data: { text: 'mine' } });
    await using _ = await running(kube, 'polite', {
      ...declaration,
      async reconcile(widget, { owned }) {
        if (widget.metadata.namespace !== namespace) return done;
        await owned.apply(ConfigMap, { metadata: { name: widget.metadata.name }, data: { text: widget.spec.text } });
        return done;
      },
      onError: (_widget, error) => ({
        seen: '',
        conditions: [{ type: 'Ready', status: 'False', reason: 'Failed', message: (error as Error).message }],
      }),
    });
    const widget = await newWidget(namespace, 'a');
    const told = await seen(client, Widget, keyOf(widget), (object) => conditionOf(object, 'Ready').status === 'False');
    assert.match(conditionOf(told, 'Ready').message, /ConfigMap .*\/a exists and was not made by this controller/);
    assert.equal((await client.get(ConfigMap, keyOf(widget))).data?.text, 'mine');

    await client.delete(ConfigMap, keyOf(widget));
    await seen(client, ConfigMap, keyOf(widget), ({ data }) => data?.text === 'hello');
  });

  test('an object that nobody controls is taken over only on request', async () => {
    const namespace = await newNamespace();
    await client.create(ConfigMap, { metadata: { namespace, name: 'a' }, data: { kept: 'yes' } });
    await using _ = await running(kube, 'adopter', {
      ...declaration,
      async reconcile(widget, { owned }) {
        if (widget.metadata.namespace !== namespace) return done;
        const desired = { metadata: { name: widget.metadata.name }, data: { text: widget.spec.text } };
        await owned.apply(ConfigMap, desired, { adopt: true });
        return done;
      },
    });
    const widget = await newWidget(namespace, 'a');
    const adopted = await seen(client, ConfigMap, keyOf(widget), ({ data }) => data?.text === 'hello');
    assert.ok(isControlledBy(adopted, widget));
    assert.equal(adopted.data?.kept, 'yes');
  });

  test('absent removes what is owned and leaves what is not', async () => {
    const namespace = await newNamespace();
    await client.create(ConfigMap, { metadata: { namespace, name: 'foreign' } });
    let passes = 0;
    await using _ = await running(kube, 'remover', {
      ...declaration,
      async reconcile(widget, { owned, cache }) {
        if (widget.metadata.namespace !== namespace) return done;
        if (widget.spec.text === 'remove') {
          await owned.absent(ConfigMap, 'a');
          await owned.absent(ConfigMap, 'foreign');
          await owned.absent(ConfigMap, 'never-there');
          assert.equal(cache.get(ConfigMap, `${namespace}/a`), undefined);
          passes += 1;
        } else await owned.apply(ConfigMap, { metadata: { name: 'a' } });
        return done;
      },
    });
    const widget = await newWidget(namespace, 'a');
    await seen(client, ConfigMap, `${namespace}/a`, () => true);
    await client.patch(Widget, keyOf(widget), { spec: { text: 'remove' } });
    await settled(() => passes > 0);
    assert.equal(await client.find(ConfigMap, `${namespace}/a`), undefined);
    assert.ok(await client.find(ConfigMap, `${namespace}/foreign`));
  });

  for (const verb of ['apply', 'report'] as const) {
    test(`a status by ${verb} is stamped, keeps the time of a condition whose status stays, and is not written twice`, async () => {
      const namespace = await newNamespace();
      let passes = 0;
      await using _ = await running(kube, `status-by-${verb}`, {
        ...declaration,
        async reconcile(widget, { status }) {
          if (widget.metadata.namespace !== namespace) return done;
          passes += 1;
          const { text } = widget.spec;
          await status[verb]({
            seen: text,
            conditions: [{ type: 'Ready', status: text === 'bad' ? 'False' : 'True', reason: 'Read', message: text }],
          });
          return done;
        },
      });
      const widget = await newWidget(namespace, 'a');
      const reportsOf = (text: string) => seen(client, Widget, keyOf(widget), ({ status }) => status?.seen === text);
      const first = await reportsOf('hello');
      assert.equal(first.status?.observedGeneration, 1);
      assert.equal(first.status?.conditions?.[0]?.observedGeneration, 1);

      await client.patch(Widget, keyOf(widget), { spec: { text: 'other' } });
      const second = await reportsOf('other');
      assert.equal(second.status?.observedGeneration, 2);
      assert.equal(
        second.status?.conditions?.[0]?.lastTransitionTime,
        first.status?.conditions?.[0]?.lastTransitionTime,
      );

      const before = passes;
      await client.patch(Widget, keyOf(widget), { metadata: { annotations: { touched: 'yes' } } });
      await settled(() => passes > before);
      const patches = await auditOf(kube, 'PATCH', `/namespaces/${namespace}/widgets/a/status`);
      assert.equal(patches.length, 2, 'one for each text');
    });
  }

  test('a status that the server does not keep is told, and not taken for an object that is gone', async () => {
    const Plain = defineKind({
      group: 'engine.example.com',
      kind: 'Plain',
      hub: 'v1',
      versions: { v1: { storage: true, spec: z.object({}), status: z.object({ seen: z.string() }) } },
    });
    const definition = crdOf(Plain);
    const install = (subresources: object) =>
      installDefinitions(client, [
        {
          ...definition,
          spec: {
            ...definition.spec,
            versions: definition.spec.versions.map(({ subresources: _, ...version }) => ({
              ...version,
              ...subresources,
            })),
          },
        },
      ]);
    await install({});
    const namespace = await newNamespace();
    const heard: string[] = [];
    await using _ = await running(kube, 'plain', [
      controller({
        for: Plain,
        async reconcile(_, { status }) {
          status.report({ seen: 'well' });
          return done;
        },
        onError(_, error) {
          heard.push((error as Error).message);
          return undefined;
        },
        retry: { baseDelayMs: 100, maxDelayMs: 500 },
      }),
    ]);
    const { metadata } = await client.create(Plain, { metadata: { namespace, name: 'a' }, spec: {} });
    await settled(() => heard.length > 1);
    assert.match(heard[0] ?? '', /^the server keeps no status of Plain: .* has no status subresource/);
    await install({ subresources: { status: {} } });
    await eventually(
      'the status',
      () => client.find(Plain, keyOf({ metadata })),
      (object) => object?.status?.seen === 'well',
    );
  });

  test('a thrown error is retried with growing delay and reported; success ends it', async () => {
    const namespace = await newNamespace();
    const times: number[] = [];
    await using _ = await running(kube, 'stumbler', {
      ...declaration,
      async reconcile(widget, { status }) {
        if (widget.metadata.namespace !== namespace) return done;
        times.push(systemClock.monotonic());
        if (times.length <= 5) throw new Error(`not yet, for the ${times.length}. time`);
        await status.apply({ seen: 'at last', conditions: [] });
        return done;
      },
      onError: (_widget, error) => ({
        seen: '',
        conditions: [{ type: 'Ready', status: 'False', reason: 'Failed', message: (error as Error).message }],
      }),
    });
    const widget = await newWidget(namespace, 'a');
    await seen(client, Widget, keyOf(widget), ({ status }) => status?.seen === 'at last');
    const gaps = times.slice(1, 6).map((time, i) => time - (times[i] ?? 0));
    // 5, 10, 20, 40 and 80 ms at the least: the status that reports a failure does not wake the next pass.
    for (const [i, gap] of gaps.entries()) assert.ok(gap >= 5 * 2 ** i, `${gap} ms before retry ${i + 1}`);
    // A write can be read before its answer is complete, and only then it is logged.
    const reported = await eventually(
      'the success is logged',
      () => auditOf(kube, 'PATCH', `/namespaces/${namespace}/widgets/a/status`),
      (lines) => lines.some((line) => line.includes('at last')),
    );
    assert.equal(reported.length, 6, 'each failure once, since each says something else, and the success');
  });

  test('a terminal error is reported and not retried until the object changes', async () => {
    const namespace = await newNamespace();
    let passes = 0;
    await using _ = await running(kube, 'quitter', {
      ...declaration,
      async reconcile(widget) {
        if (widget.metadata.namespace !== namespace) return done;
        passes += 1;
        if (widget.spec.text === 'hello') throw new TerminalError('never');
        return done;
      },
      onError: (_widget, error) => ({
        seen: (error as Error).message,
        conditions: [],
      }),
    });
    const widget = await newWidget(namespace, 'a');
    await seen(client, Widget, keyOf(widget), ({ status }) => status?.seen === 'never');
    await newWidget(namespace, 'b', 'fine');
    await settled(() => passes === 2);
    await client.patch(Widget, keyOf(widget), { spec: { text: 'better' } });
    await settled(() => passes === 3);
  });

  test('a requeue comes back after its time, without any change', async () => {
    const namespace = await newNamespace();
    let passes = 0;
    await using _ = await running(kube, 'returner', {
      ...declaration,
      async reconcile(widget): Promise<Outcome> {
        if (widget.metadata.namespace !== namespace) return done;
        passes += 1;
        return passes < 4 ? requeueAfter(20) : done;
      },
    });
    await newWidget(namespace, 'a');
    await settled(() => passes === 4);
  });

  test('an object that is being deleted is not reconciled', async () => {
    const namespace = await newNamespace();
    const passes: string[] = [];
    await using _ = await running(kube, 'leaver', {
      ...declaration,
      async reconcile(widget) {
        if (widget.metadata.namespace === namespace)
          passes.push(`${widget.metadata.name} ${widget.metadata.deletionTimestamp}`);
        return done;
      },
    });
    await client.create(Widget, { metadata: { namespace, name: 'a', finalizers: ['example.com/hold'] } });
    await settled(() => passes.length === 1);
    await client.delete(Widget, `${namespace}/a`);
    await newWidget(namespace, 'b');
    await settled(() => passes.some((pass) => pass.startsWith('b')));
    assert.deepEqual(passes, ['a undefined', 'b undefined']);
    await client.patch(Widget, `${namespace}/a`, { metadata: { finalizers: null } });
  });

  test('an object with a finalize is marked before its first pass, marked again, and finalized before it goes', async () => {
    const namespace = await newNamespace();
    const story: string[] = [];
    const finalizer = 'engine.example.com/widget';
    await using _ = await running(kube, 'cleaner', {
      ...declaration,
      async reconcile(widget, { owned }) {
        if (widget.metadata.namespace !== namespace) return done;
        // As it was marked for this pass; the test takes the finalizer away at any time.
        if (!widget.metadata.finalizers?.includes(finalizer)) story.push('reconcile of an unmarked object');
        await owned.apply(ConfigMap, { metadata: { name: widget.metadata.name } });
        return done;
      },
      async finalize(widget, { client: live, cache }) {
        const { metadata } = await live.get(Widget, keyOf(widget));
        const child = cache.get(ConfigMap, keyOf(widget));
        story.push(
          `finalize ${metadata.name}: ${metadata.finalizers}, child ${child === undefined ? 'gone' : 'there'}`,
        );
      },
    });
    const widget = await newWidget(namespace, 'a');
    const isMarked = ({ metadata }: ObjectOf<typeof Widget>) => metadata.finalizers?.includes(finalizer) ?? false;
    await seen(client, Widget, keyOf(widget), isMarked);
    await seen(client, ConfigMap, keyOf(widget), () => true);
    await client.patch(Widget, keyOf(widget), { metadata: { finalizers: null } });
    await seen(client, Widget, keyOf(widget), isMarked);
    await client.delete(Widget, keyOf(widget));
    await gone(client, keyOf(widget));
    // Created and deleted in one breath: either it was never seen, or it is finalized; it always goes.
    await newWidget(namespace, 'b');
    await client.delete(Widget, `${namespace}/b`);
    await gone(client, `${namespace}/b`);
    assert.deepEqual(
      story.filter((line) => !line.startsWith('finalize b')),
      [`finalize a: ${finalizer}, child there`],
    );
  });

  test('a stop lets a running pass finish', async () => {
    const namespace = await newNamespace();
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const engine = await running(kube, 'finisher', {
      ...declaration,
      async reconcile(widget, { status }) {
        if (widget.metadata.namespace !== namespace) return done;
        begun.resolve();
        await mayEnd.promise;
        await status.apply({ seen: 'finished', conditions: [] });
        return done;
      },
    });
    const widget = await newWidget(namespace, 'a');
    await begun.promise;
    const stopped = engine[Symbol.asyncDispose]();
    mayEnd.resolve();
    await stopped;
    assert.equal((await client.get(Widget, keyOf(widget))).status?.seen, 'finished');
  });

  test('a pass that ignores its signal does not keep the process: the stop fails and says so', async () => {
    const namespace = await newNamespace();
    const begun = Promise.withResolvers<void>();
    const engine = await running(
      kube,
      'hanger',
      {
        ...declaration,
        async reconcile(widget) {
          if (widget.metadata.namespace !== namespace) return done;
          begun.resolve();
          return new Promise<never>(() => {});
        },
      },
      { gracePeriodMs: 1000 },
    );
    await newWidget(namespace, 'a');
    await begun.promise;
    await assert.rejects(
      async () => engine[Symbol.asyncDispose](),
      /One pass did not stop although the signal was aborted: widget engine-\w+\/a\./,
    );
  });

  test('an object whose namesake left something behind waits for it to be collected, without alarm', async () => {
    const namespace = await newNamespace();
    await using _ = await running(kube, 'heir', {
      ...declaration,
      async reconcile(widget, { owned, status }) {
        if (widget.metadata.namespace !== namespace) return done;
        await owned.apply(ConfigMap, { metadata: { name: widget.metadata.name }, data: { uid: widget.metadata.uid } });
        await status.apply({ seen: 'well', conditions: [] });
        return done;
      },
      onError: () => ({ seen: 'alarm', conditions: [] }),
    });
    const first = await newWidget(namespace, 'a');
    await seen(client, ConfigMap, keyOf(first), ({ data }) => data?.uid === first.metadata.uid);
    await client.delete(Widget, keyOf(first));
    const second = await newWidget(namespace, 'a');
    await seen(client, ConfigMap, keyOf(second), ({ data }) => data?.uid === second.metadata.uid);
    const patches = await auditOf(kube, 'PATCH', `/namespaces/${namespace}/widgets/a/status`);
    assert.equal(patches.filter((line) => line.includes('alarm')).length, 0);
    assert.notEqual((await client.get(Widget, keyOf(second))).status?.seen, 'alarm');
  });

  test('a kind that may not be watched is named with its rule, and the other controllers run', async () => {
    const namespace = await newNamespace();
    let passes = 0;
    const readable = controller({
      for: Widget,
      name: 'readable',
      async reconcile(widget) {
        if (widget.metadata.namespace === namespace) passes += 1;
        return done;
      },
    });
    const unreadable = controller({ for: Secret, name: 'unreadable', reconcile: async () => done });
    await grant(kube, 'limited', rulesOf(operator({ name: 'limited', controllers: [readable] })));
    const kubeconfig = await kube.kubeconfigFor({ user: 'limited' });
    await using engine = await running({ kubeconfig }, 'limited', [readable, unreadable], {
      health: { host: '127.0.0.1', port: 0 },
    });
    await newWidget(namespace, 'a');
    await settled(() => passes > 0);

    const port = engine.portOf('health probe');
    const told =
      /\[-\]sync-secrets failed: forbidden; missing rule: apiGroups: \[""\], resources: \["secrets"\], verbs: \["get", "list", "watch"\] in all namespaces/;
    const ready = await eventually(
      'the refusal is told',
      async () => (await fetch(`http://127.0.0.1:${port}/readyz?verbose`)).text(),
      (text) => told.test(text),
    );
    assert.match(ready, /\[\+\]sync-widgets\.engine\.example\.com ok/);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);

    // Granted, it heals without a restart.
    await grant(kube, 'limited-later', rulesOf(operator({ name: 'limited', controllers: [unreadable] })), 'limited');
    await eventually(
      'it becomes ready',
      async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status,
      (status) => status === 200,
    );
  });

  test('metrics have the names that dashboards know', async () => {
    const namespace = await newNamespace();
    await using engine = await running(
      kube,
      'measured',
      {
        ...declaration,
        async reconcile(widget) {
          if (widget.metadata.namespace === namespace && widget.metadata.name === 'bad') throw new Error('bad');
          return done;
        },
      },
      { metrics: { host: '127.0.0.1', port: 0 } },
    );
    await newWidget(namespace, 'good');
    await newWidget(namespace, 'bad');
    const read = async () => (await fetch(`http://127.0.0.1:${engine.portOf('metrics')}/metrics`)).text();
    const lines = [
      /reconcile_errors_total\{controller="widget"\} [1-9]/,
      /^controller_runtime_reconcile_total\{controller="widget",result="success"\} [1-9]/m,
      /^controller_runtime_max_concurrent_reconciles\{controller="widget"\} 1$/m,
      /^workqueue_adds_total\{name="widget",controller="widget"\} [1-9]/m,
      /^workqueue_retries_total\{name="widget",controller="widget"\} [1-9]/m,
      /^rest_client_requests_total\{code="200",host="127\.0\.0\.1:\d+",method="GET"\} [1-9]/m,
    ];
    await eventually('every one is there and counts', read, (body) => lines.every((line) => line.test(body)));
  });
});

interface Engine extends AsyncDisposable {
  portOf(server: 'health probe' | 'metrics'): number;
}

/** A manager at work; disposing it stops it in order. */
async function running(
  { kubeconfig }: { readonly kubeconfig: string },
  name: string,
  what: Parameters<typeof controller<typeof Widget, (typeof declaration)['owns']>>[0] | readonly Controller[],
  options: ManagerOptions = {},
): Promise<Engine> {
  const controllers = Array.isArray(what) ? (what as readonly Controller[]) : [controller(what as never)];
  const ports = new Map<string, number>();
  const ready = Promise.withResolvers<void>();
  const logger = listener((message, fields) => {
    if (message === 'starting server') ports.set(String(fields.name), Number(String(fields.addr).split(':').at(-1)));
    if (message === 'Starting workers') ready.resolve();
  });
  const stop = new AbortController();
  const manager = createManager(operator({ name, controllers }), {
    config: await loadConfig({ kubeconfig }),
    health: false,
    metrics: false,
    logger,
    ...options,
  });
  const finished = manager.start(stop.signal);
  await Promise.race([ready.promise, finished]);
  return {
    portOf: (server) => ports.get(server) ?? -1,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await finished;
    },
  };
}

/** A logger that only listens. */
function listener(heard: (message: string, fields: Readonly<Record<string, unknown>>) => void): Logger {
  const logger: Logger = {
    debug: (message, fields = {}) => heard(message, fields),
    info: (message, fields = {}) => heard(message, fields),
    warn: (message, fields = {}) => heard(message, fields),
    error: (message, fields = {}) => heard(message, fields),
    with: () => logger,
  };
  return logger;
}

/** The garbage collector learns of a new kind within half a minute. */
const limitMs = 300_000;

async function eventually<T>(what: string, ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  using limit = deadline(systemClock, limitMs, what);
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (limit.signal.aborted) assert.fail(`${what}: last seen ${JSON.stringify(answer)}`);
    await sleep(systemClock, 20);
  }
}

const settled = (holds: () => boolean) =>
  eventually(
    'it happens',
    async () => holds(),
    (held) => held,
  );

function seen<K extends typeof Widget | typeof ConfigMap | typeof Deployment>(
  client: Client,
  kind: K,
  key: string,
  holds: (object: ObjectOf<K>) => boolean,
): Promise<ObjectOf<K>> {
  return eventually(
    `${kind.kind} ${key}`,
    () => client.find(kind, key) as Promise<ObjectOf<K> | undefined>,
    (object) => object !== undefined && holds(object),
  ) as Promise<ObjectOf<K>>;
}

const gone = (client: Client, key: string) =>
  eventually(
    `Widget ${key} goes`,
    () => client.find(Widget, key),
    (object) => object === undefined,
  );

/** The requests of one method to one path that the API server has logged. */
async function auditOf(kube: Kubernetes, method: string, path: string): Promise<readonly string[]> {
  const { readFile } = await import('node:fs/promises');
  const verb = method.toLowerCase();
  return (await readFile(kube.auditLog ?? '', 'utf8'))
    .split('\n')
    .filter(
      (line) => line.includes(`"verb":"${verb}"`) && line.includes(path) && line.includes('"stage":"ResponseComplete"'),
    );
}

/** Gives a user exactly these rules. */
async function grant(kube: Kubernetes, role: string, rules: readonly object[], user = role): Promise<void> {
  const clusterRole = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: role },
    rules,
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
  for (const object of [clusterRole, binding]) await kube.apply(JSON.stringify(object));
}
