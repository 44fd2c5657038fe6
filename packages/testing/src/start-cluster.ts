/**
 * A disposable cluster in virtual time, with operators at work on it.
 *
 * Promises: API server, controllers, node, client and operators share one clock and one seed, and nothing leaves the
 * process; so the same test does the same requests and gets the same answers, byte for byte, and waiting takes no time.
 * It needs no test runner.
 */
import { type Client, createClient, installDefinitions } from '@keelson/client';
import { type Cluster, createCluster } from '@keelson/cluster';
import {
  type Kind,
  type NamespacedName,
  type ObjectOf,
  type Operator,
  resourceNameOf,
  type Transport,
} from '@keelson/core';
import { type Controller, createManager, type Logger } from '@keelson/runtime';
import { crdOf, type DefinedKind } from '@keelson/schema';
import { seededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

/** What works on the cluster, and what is between it and the server. */
export interface StartClusterOptions {
  /** Started once the cluster is ready and the definitions of the kinds they reconcile are installed. @default none */
  readonly operators?: readonly Operator<Controller>[];
  /** Kinds to install beside those. @default none */
  readonly kinds?: readonly DefinedKind[];
  /** What all randomness follows from. @default 1 */
  readonly seed?: number;
  /** Stands between the operators and the API server: to record, to delay, to fail. @default nothing */
  readonly intercept?: (transport: Transport, operator: Operator) => Transport;
  /** Hears what the operators log. @default nobody */
  readonly logger?: Logger;
}

/** A cluster in virtual time. Disposing it stops the operators first, then the cluster. */
export interface TestCluster extends AsyncDisposable {
  readonly clock: VirtualClock;
  /** The administrator's way in. */
  readonly client: Client;
  readonly cluster: Cluster;
  /**
   * Lets time pass until the object is there and `holds`, and returns it. Fails with its last state after `limitMs` of
   * virtual time, or when nothing is left that could happen.
   */
  eventually<K extends Kind>(
    kind: K,
    key: NamespacedName,
    holds?: (object: ObjectOf<K>) => boolean,
    limitMs?: number,
  ): Promise<ObjectOf<K>>;
  /** Lets time pass until the object is gone. */
  eventuallyGone(kind: Kind, key: NamespacedName, limitMs?: number): Promise<void>;
}

const tenMinutes = 600_000;

/**
 * Starts a cluster in virtual time with the operators at work on it; the definitions of their kinds are installed first.
 *
 * @example
 * test('raising spec.size scales the Deployment', async () => {
 *   await using cluster = await startCluster({ operators: [memcachedOperator] });
 *   await cluster.client.create(Memcached, { metadata: { name: 'cache', namespace: 'default' }, spec: { size: 3 } });
 *   await cluster.eventually(Deployment, 'default/cache', ({ status }) => status.readyReplicas === 3);
 * });
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  const { operators = [], kinds = [], seed = 1, intercept = (transport) => transport, logger = silent } = options;
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const cluster = createCluster({ clock, random });
  const client = createClient({ transport: cluster.transport, clock, random, fieldManager: 'test' });
  const stop = new AbortController();
  const running: Promise<void>[] = [];

  await during(clock, cluster.ready, 'the cluster becomes ready');
  const defined = [...kinds, ...operators.flatMap(definedKinds)];
  const definitions = installDefinitions(client, defined.map(crdOf), { clock });
  await during(clock, definitions, 'the definitions are installed');
  for (const operator of operators) {
    const transport = intercept(cluster.transport, operator);
    const manager = createManager(operator, { transport, clock, random, logger, health: false, metrics: false });
    running.push(manager.start(stop.signal));
  }
  await clock.settle();

  return {
    clock,
    client,
    cluster,
    async eventually(kind, key, holds = () => true, limitMs = tenMinutes) {
      let last: ObjectOf<typeof kind> | undefined;
      const took = await clock.advanceUntil(async () => {
        last = await client.find(kind, key);
        return last !== undefined && holds(last);
      }, limitMs);
      if (took !== undefined && last !== undefined) return last;
      throw new Error(
        `${resourceNameOf(kind)} ${key}: not so within ${limitMs / 1000} s of virtual time; last seen: ${JSON.stringify(last)}`,
      );
    },
    async eventuallyGone(kind, key, limitMs = tenMinutes) {
      const took = await clock.advanceUntil(async () => (await client.find(kind, key)) === undefined, limitMs);
      if (took === undefined)
        throw new Error(`${resourceNameOf(kind)} ${key}: still there after ${limitMs / 1000} s of virtual time`);
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await during(clock, Promise.all(running), 'the operators stop');
      await during(clock, cluster[Symbol.asyncDispose](), 'the cluster stops');
    },
  };
}

/** Lets time pass while `work` goes on; says what did not end when nothing is left that could happen. */
async function during<T>(clock: VirtualClock, work: PromiseLike<T>, what: string): Promise<T> {
  let ended = false;
  const watched = (async () => work)().finally(() => {
    ended = true;
  });
  watched.catch(() => {}); // it is awaited below
  if ((await clock.advanceUntil(() => ended, tenMinutes)) === undefined)
    throw new Error(`${what}: not within ten minutes of virtual time`);
  return watched;
}

function definedKinds({ controllers }: Operator): readonly DefinedKind[] {
  return controllers.map((each) => each.for).filter((kind): kind is DefinedKind => 'definition' in kind);
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
