/** Several replicas of one operator on one cluster, in virtual time: who works, from when, and what is never sent. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { operator, rulesOf, type Transport } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Lease } from '@keelson/core/coordination/v1';
import { Event } from '@keelson/core/events/v1';
import { nextTurn, systemRandom } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { createAuthority } from '@keelson/core/x509';
import { startCluster, type TestCluster } from '@keelson/testing';
import {
  type ControllerOptions,
  controller,
  createManager,
  done,
  type LeadershipOptions,
  type ManagerOptions,
  requeueAfter,
  type Webhook,
  webhook,
} from '../src/index.ts';
import { inTime, newWidget, type RememberingLogger, rememberingLogger, Widget } from './widget.ts';

const declaration = { for: Widget, owns: [ConfigMap] } as const;
const lease = 'default/engine';

interface Sent {
  readonly by: string;
  readonly atMs: number;
  /** The how-manyeth term of this replica it was sent in. */
  readonly term: number;
}

interface Replica {
  readonly logger: RememberingLogger;
  /** Nothing reaches the server any more, and nothing comes back: as if the process were gone. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
  readonly ended: Promise<void>;
}

/** Writes each replica's name to an object of its own making, once a second. */
const engineOf = (
  name: string,
  options: Partial<ControllerOptions<typeof declaration>> = {},
  webhooks: readonly Webhook[] = [],
) =>
  operator({
    name: 'engine',
    webhooks,
    leaderElection: true,
    controllers: [
      controller({
        ...declaration,
        async reconcile(widget, { owned, clock }) {
          await owned.apply(ConfigMap, {
            metadata: { name: widget.metadata.name },
            data: { by: name, at: String(clock.monotonic()) },
          });
          return requeueAfter(1000);
        },
        ...options,
      }),
    ],
  });

function startReplica(
  cluster: TestCluster,
  sent: Sent[],
  name: string,
  options: {
    readonly controller?: Partial<ControllerOptions<typeof declaration>>;
    readonly election?: LeadershipOptions;
    readonly manager?: ManagerOptions;
    readonly webhooks?: readonly Webhook[];
  } = {},
): Replica {
  let isCut = false;
  const { clock } = cluster;
  const logger = rememberingLogger();
  const transport: Transport = {
    async request(request) {
      const refused = () =>
        new Promise<never>((_, reject) => {
          const { signal } = request;
          if (signal?.aborted) reject(signal.reason as Error);
          signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      if (isCut) return refused();
      request.beforeSend?.();
      const isAboutLeases = request.path.includes('/leases') || request.path.includes('/events');
      if (request.method !== 'GET' && !isAboutLeases) {
        const term = logger.said('info').filter((line) => line === 'Became the leader.').length;
        sent.push({ by: name, atMs: clock.monotonic(), term });
      }
      const answer = await cluster.cluster.transport.request(request);
      return isCut ? refused() : answer;
    },
    async [Symbol.asyncDispose]() {},
  };
  const stop = new AbortController();
  const manager = createManager(engineOf(name, options.controller, options.webhooks), {
    transport,
    clock,
    logger,
    health: false,
    metrics: false,
    leaderElection: { identity: name, ...options.election },
    ...options.manager,
  });
  const ended = manager.start(stop.signal);
  ended.catch(() => {}); // some are meant to fail
  return {
    logger,
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
    },
    async stop() {
      stop.abort(new Error('SIGTERM'));
      let isOver = false;
      const over = ended.finally(() => {
        isOver = true;
      });
      over.catch(() => {});
      await clock.advanceUntil(() => isOver, 60_000);
      await over;
    },
    ended,
  };
}

/** As a pod has it: by its service account, without a kubeconfig. */
const inPod = {
  server: 'https://pod.test',
  namespace: 'default',
  tls: { insecureSkipVerify: false },
  credentials: { type: 'none' },
  disableCompression: false,
  source: 'a pod',
} as const;

const labels = { app: 'engine' };

/** The Deployment of the replicas, with no pods beside them. */
const deploy = ({ client }: TestCluster) =>
  client.create(Deployment, {
    metadata: { namespace: 'default', name: 'engine' },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'engine', image: 'engine' }] } },
    },
  });

const writersIn = (sent: readonly Sent[]) => [...new Set(sent.map(({ by }) => by))];

const holderOf = async (cluster: TestCluster) => (await cluster.client.find(Lease, lease))?.spec.holderIdentity;

/** Lets time pass until someone else than `former` writes; gives who and how long that took. */
async function nextWriter(cluster: TestCluster, sent: Sent[], former: string) {
  sent.length = 0;
  const tookMs = await cluster.clock.advanceUntil(() => sent.some(({ by }) => by !== former), 120_000);
  const next = sent.find(({ by }) => by !== former)?.by ?? assert.fail('nobody took over');
  return { next, tookMs: tookMs ?? assert.fail('nobody took over') };
}

test(
  'one replica works; the others stand by with complete caches, and take over after a crash and a release',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    const sent: Sent[] = [];
    const replicas = new Map(['a', 'b', 'c'].map((name) => [name, startReplica(cluster, sent, name)]));
    await cluster.client.create(Widget, newWidget());
    await cluster.clock.advance(60_000);
    const [first = '', ...others] = writersIn(sent);
    assert.deepEqual(others, []);
    assert.equal(await holderOf(cluster), first);

    // Crashed: nothing comes of it any more, and nothing goes out.
    replicas.get(first)?.cut();
    const crash = await nextWriter(cluster, sent, first);
    assert.ok(crash.tookMs <= 15_000 + 2 * 2000, `${crash.tookMs} ms after a crash`);
    await cluster.clock.advance(60_000);
    assert.deepEqual(writersIn(sent), [crash.next], 'the one that was cut off began nothing more');

    // It comes back, and stands by.
    replicas.get(first)?.mend();
    await cluster.clock.advance(60_000);
    assert.deepEqual(writersIn(sent), [crash.next]);

    // Stopped: the lease is given back, and another has it at once.
    sent.length = 0;
    await replicas.get(crash.next)?.stop();
    await cluster.clock.advance(100);
    assert.notDeepEqual(writersIn(sent), [crash.next], 'another acts within 100 ms after a release');

    for (const replica of replicas.values()) await replica.stop();
    assert.equal((await holderOf(cluster)) || undefined, undefined, 'the last one gave it back, too');
    for (const { logger } of replicas.values()) assert.deepEqual(logger.said('error'), []);
  },
);

test(
  'in a pod the Lease goes with the Deployment; should that be made anew while the leader still ends, the two take turns',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    const { client, clock } = cluster;
    const sent: Sent[] = [];
    const { uid } = (await deploy(cluster)).metadata;
    await client.create(Widget, newWidget());
    const former = startReplica(cluster, sent, 'former', { manager: { config: inPod } });
    await clock.advance(6500); // between two renewals
    const { ownerReferences } = (await client.get(Lease, lease)).metadata;
    assert.deepEqual(ownerReferences, [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'engine', uid }]);

    await client.delete(Deployment, 'default/engine');
    await deploy(cluster);
    await clock.settle();
    assert.equal(await client.find(Lease, lease), undefined, 'the garbage collector has taken it');
    const latter = startReplica(cluster, sent, 'latter', { manager: { config: inPod } });
    await clock.advance(20_000);
    const turns = sent.map(({ by }) => by).filter((by, i, all) => by !== all[i - 1]);
    assert.deepEqual(turns, ['former', 'latter']);
    for (const replica of [former, latter]) await replica.stop();
  },
);

test("out of a pod the Lease is nobody's", inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  await deploy(cluster);
  const replica = startReplica(cluster, [], 'a', { manager: { config: { ...inPod, context: 'mine' } } });
  await cluster.clock.advance(100);
  assert.equal((await cluster.client.get(Lease, lease)).metadata.ownerReferences, undefined);
  await replica.stop();
});

test(
  'a replica whose clock ran ahead sends nothing more in its term, although no timer has told it so',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    const sent: Sent[] = [];
    let aheadMs = 0;
    const { clock } = cluster;
    const suspended = {
      now: () => clock.now() + aheadMs,
      monotonic: () => clock.monotonic(),
      setTimer: (delayMs: number, callback: () => void) => clock.setTimer(delayMs, callback),
    };
    const replica = startReplica(cluster, sent, 'a', { manager: { clock: suspended } });
    await cluster.client.create(Widget, newWidget());
    await clock.advance(10_100);
    assert.ok(sent.length >= 10);
    sent.length = 0;
    aheadMs = 60_000; // the machine slept; its monotonic clock did not go on
    await clock.advance(30_000);
    assert.deepEqual(
      replica.logger.said('warn').filter((line) => line.startsWith('Leadership was lost')),
      ['Leadership was lost: leadership ended: the lease could not be renewed in time'],
    );
    assert.deepEqual(new Set(sent.map(({ term }) => term)), new Set([2]), 'all of it in a new term');
    await replica.stop();
  },
);

test('nothing that changes while nobody leads is lost', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  const sent: Sent[] = [];
  const reconcile: ControllerOptions<typeof declaration>['reconcile'] = async (widget, { status }) => {
    await status.apply({ seen: widget.spec.text, conditions: [] });
    return done;
  };
  const replicas = new Map(
    ['a', 'b'].map((name) => [name, startReplica(cluster, sent, name, { controller: { reconcile } })]),
  );
  await cluster.client.create(Widget, newWidget('a', 'one'));
  await cluster.eventually(Widget, 'default/a', ({ status }) => status?.seen === 'one');
  replicas.get((await holderOf(cluster)) ?? '')?.cut();
  await cluster.client.patch(Widget, 'default/a', { spec: { text: 'two' } });
  await cluster.client.create(Widget, newWidget('b', 'three'));
  await cluster.eventually(Widget, 'default/a', ({ status }) => status?.seen === 'two', 19_000);
  await cluster.eventually(Widget, 'default/b', ({ status }) => status?.seen === 'three', 1000);
  for (const replica of replicas.values()) await replica.stop();
});

test(
  'a pass that outlives its term sends nothing, and the next term waits for it to come to rest',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    const sent: Sent[] = [];
    const release = Promise.withResolvers<void>();
    const story: string[] = [];
    const replica = startReplica(cluster, sent, 'a', {
      controller: {
        async reconcile(widget, { status, signal }) {
          story.push('begins');
          if (story.length === 1) {
            await release.promise;
            story.push(`signal aborted: ${signal.aborted}`);
            await status.apply({ seen: 'late', conditions: [] });
            return done;
          }
          await status.apply({ seen: widget.spec.text, conditions: [] });
          return done;
        },
      },
      manager: { gracePeriodMs: 3_600_000 },
    });
    await cluster.client.create(Widget, newWidget());
    await cluster.clock.advance(10_000);
    assert.deepEqual(story, ['begins']);
    replica.cut();
    await cluster.clock.advance(60_000); // the term is over
    replica.mend();
    await cluster.clock.advance(60_000);
    assert.deepEqual(story, ['begins'], 'the next pass would run beside the first one');
    assert.equal(await holderOf(cluster), 'a', 'as it was left');
    release.resolve();
    await cluster.eventually(Widget, 'default/a', ({ status }) => status?.seen === 'hello');
    assert.deepEqual(story.slice(0, 3), ['begins', 'signal aborted: true', 'begins']);
    await replica.stop();
  },
);

test(
  'a replica that never comes to rest after a lost lease ends with an error that names the object',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    const replica = startReplica(cluster, [], 'a', {
      controller: { reconcile: () => new Promise<never>(() => {}) },
    });
    await cluster.client.create(Widget, newWidget());
    await cluster.clock.advance(10_000);
    replica.cut();
    await cluster.clock.advance(60_000);
    await assert.rejects(replica.ended, {
      message: 'One pass did not stop although the signal was aborted: widget default/a.',
    });
  },
);

test('a replica that is told to exits when it loses the lease', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  const replica = startReplica(cluster, [], 'a', { election: { onLost: 'exit' } });
  await cluster.clock.advance(10_000);
  assert.equal(await holderOf(cluster), 'a');
  replica.cut();
  await cluster.clock.advance(60_000);
  await assert.rejects(replica.ended, { code: 'ERR_LEADERSHIP_LOST' });
});

test('who exits because the lease is lost answers its webhooks on, as it does on a signal', inTime, async () => {
  await using cluster = await startCluster({ kinds: [Widget] });
  const tls = createAuthority(systemRandom).issueServer('engine', ['localhost']);
  const replica = startReplica(cluster, [], 'a', {
    election: { onLost: 'exit' },
    webhooks: [webhook(Widget, { validate: () => [] })],
    manager: { webhooks: { host: '127.0.0.1', port: 0, tls, drainMs: 5000 } },
  });
  const until = async (isSo: () => boolean) => {
    for (; !isSo(); await nextTurn()) await cluster.clock.advance(100);
  };
  await until(() => replica.logger.said('info').includes('Became the leader.'));
  replica.cut();
  await until(() => replica.logger.said('warn').some((line) => line.startsWith('Leadership was lost')));
  const addr = replica.logger.lines.find(({ fields }) => fields.name === 'webhook')?.fields.addr;
  const isOpen = async () => {
    const socket = connect(Number(String(addr).split(':').at(-1)), '127.0.0.1');
    const opened = await once(socket, 'connect').catch(() => undefined);
    socket.destroy();
    return opened !== undefined;
  };
  await cluster.clock.advance(4000);
  assert.ok(await isOpen(), 'others may not know of it yet');
  await cluster.clock.advance(60_000);
  await assert.rejects(replica.ended, { code: 'ERR_LEADERSHIP_LOST' });
  assert.ok(!(await isOpen()));
});

test(
  'terms are reported as client-go reports them: Events about the Lease, a metric, and readiness in standby',
  inTime,
  async () => {
    await using cluster = await startCluster({ kinds: [Widget] });
    const anyPort = { host: '127.0.0.1', port: 0 };
    const manager = { health: anyPort, metrics: anyPort };
    const leader = startReplica(cluster, [], 'a', { manager });
    const leads = () => leader.logger.said('info').includes('Became the leader.');
    while (!leads()) await cluster.clock.advance(10);
    const standby = startReplica(cluster, [], 'b', { manager });
    // The ports are opened in real time.
    const isUp = ({ logger }: Replica) => logger.said('info').includes('Trying to become the leader.');
    while (![leader, standby].every(isUp)) await nextTurn();
    await cluster.clock.advance(10_000);
    const ask = async ({ logger }: Replica, server: string, path: string) => {
      const line = logger.lines.find(({ message, fields }) => message === 'starting server' && fields.name === server);
      const port = String(line?.fields.addr).split(':').at(-1);
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    for (const replica of [leader, standby]) {
      assert.equal((await ask(replica, 'health probe', '/healthz')).status, 200);
      const { status, text } = await ask(replica, 'health probe', '/readyz?verbose');
      assert.equal(status, 200, text);
      assert.match(
        text,
        replica === leader ? /^\[\+\]leader-election ok, leading$/m : /^\[\+\]leader-election ok, standing by for a$/m,
      );
      assert.match(text, /^\[\+\]sync-widgets\.engine\.example\.com ok$/m);
    }
    assert.match(
      (await ask(leader, 'metrics', '/metrics')).text,
      /^leader_election_master_status\{name="engine"\} 1$/m,
    );
    assert.match(
      (await ask(standby, 'metrics', '/metrics')).text,
      /^leader_election_master_status\{name="engine"\} 0$/m,
    );

    await leader.stop();
    await cluster.clock.advance(10_000);
    assert.match(
      (await ask(standby, 'metrics', '/metrics')).text,
      /^leader_election_master_status\{name="engine"\} 1$/m,
    );
    const { items } = await cluster.client.list(Event, { namespace: 'default' });
    assert.deepEqual(
      items
        .filter(({ reason }) => reason === 'LeaderElection')
        .map(({ type, note, regarding }) => `${type} ${regarding?.kind} ${regarding?.name}: ${note}`)
        .sort(),
      [
        'Normal Lease engine: a became leader',
        'Normal Lease engine: a stopped leading',
        'Normal Lease engine: b became leader',
      ],
    );
    await standby.stop();
  },
);

test('the rule on Leases follows from the declaration', () => {
  const rules = rulesOf(engineOf('a')).filter(({ resources }) => resources[0] === 'leases');
  assert.deepEqual(rules, [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'watch', 'create', 'update'] },
  ]);
});
