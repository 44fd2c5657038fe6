/**
 * A disposable cluster in virtual time, with operators at work on it.
 *
 * Promises: API server, controllers, node, client and operators share one clock and one seed, and nothing leaves the
 * process; so the same test does the same requests and gets the same answers, byte for byte, and waiting takes no time.
 * What a test must not overlook fails it: an operator that lacks a right, does not come to rest, forgets an `await`, waits
 * for the real world.
 * It needs no test runner.
 */
import { type Client, createClient, installDefinitions } from '@keelson/client';
import { type Cluster, createCluster, type NodePower, type Pods } from '@keelson/cluster';
import { conversionClientConfig, type Operator, type Transport } from '@keelson/core';
import type { NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { type EngineOperator, type Logger, textLogger } from '@keelson/runtime';
import type { DefinedKind } from '@keelson/schema';
import { Failures } from './failures.ts';
import { type FaultOptions, Faults } from './faults.ts';
import { operatorsNamespace, reportingRefusals, underOwnRules } from './own-rights.ts';
import { configurePolicies } from './policies.ts';
import { isProgram, type Misbehaviour, type OperatorProgram, Replica } from './replica.ts';
import { seededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';
import { createWaits, during, type Waits } from './waits.ts';
import { configureWebhooks, webhookDoor } from './webhooks.ts';

/** What works on the cluster, and what is between it and the server. */
export interface StartClusterOptions {
  /** Started once the cluster is ready, the definitions of their kinds are installed, their policies are in force and their webhooks are configured. @default none */
  readonly operators?: readonly (EngineOperator | OperatorProgram)[];
  /** How many processes run each of them; several elect one that works. @default 1 */
  readonly replicas?: number;
  /** Kinds to install beside those. @default none */
  readonly kinds?: readonly DefinedKind[];
  /** What all randomness follows from. @default 1 */
  readonly seed?: number;
  /**
   * As whom an operator acts: a service account of its own with the rules that follow from its declarations and no more,
   * or the administrator, who may do everything. @default 'own'
   */
  readonly rights?: 'own' | 'administrator';
  /** What goes wrong between the operators and the API server, by chance and by the seed. @default nothing */
  readonly faults?: FaultOptions;
  /** What an operator may do without failing the test. @default nothing of it */
  readonly tolerate?: readonly Misbehaviour[];
  /** Stands between the operators and the API server: to record, to delay, to fail. @default nothing */
  readonly intercept?: (transport: Transport, operator: Operator) => Transport;
  /**
   * Processor time that one wait may take before it gives up: where something small happens again and again, ten virtual
   * minutes are long. @default 10_000
   */
  readonly patienceMs?: number;
  /**
   * Shows what the operators log, from level info on and in virtual time: `true` on standard error, a function gets each
   * line. @default false
   */
  readonly log?: boolean | ((line: string) => void);
  /** A logger of one's own instead: it gets messages and fields of every level. @default what `log` says */
  readonly logger?: Logger;
}

/** A cluster in virtual time. Disposing it stops the operators first, then the cluster. */
export interface TestCluster extends AsyncDisposable, Waits {
  readonly clock: VirtualClock;
  /** The administrator's way in. */
  readonly client: Client;
  readonly cluster: Cluster;
  /** What pods do: all goes well until something else is said. */
  readonly pods: Pods;
  /** The node that they run on: it can crash, and be started again. */
  readonly node: NodePower;
  /** The processes that run operators, by operator and then by number; each can crash and be started again. */
  readonly replicas: readonly Replica[];
  /** What goes wrong on the way to the server. */
  readonly faults: Faults;
}

/**
 * Starts a cluster in virtual time with the operators at work on it; the definitions of their kinds and the configurations
 * of their webhooks are installed first.
 *
 * @example
 * test('raising spec.size scales the Deployment', async () => {
 *   await using cluster = await startCluster({ operators: [memcachedOperator] });
 *   await cluster.client.create(Memcached, { metadata: { name: 'cache', namespace: 'default' }, spec: { size: 3 } });
 *   await cluster.eventually(Deployment, 'default/cache', ({ status }) => status.readyReplicas === 3);
 * });
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  const { operators = [], kinds = [], seed = 1, intercept = (transport) => transport } = options;
  const clock = new VirtualClock();
  const { logger = loggerOf(options.log ?? false, clock) } = options;
  const random = seededRandom(seed);
  const cluster = createCluster({ clock, random });
  const client = createClient({ transport: cluster.transport, clock, random, fieldManager: 'test' });
  const replicas: Replica[] = [];
  // A chance of their own: a run with faults is the same run, with faults.
  const faults = new Faults(options.faults ?? {}, clock, seededRandom(seed + 1_000_003));
  const failures = new Failures();
  let wasInterrupted = false;
  const onMisbehaviour = (problem: Misbehaviour, error: Error) => {
    // One is told; what follows from it, or comes again, says nothing new.
    if (wasInterrupted || options.tolerate?.includes(problem)) return;
    wasInterrupted = true;
    clock.interrupt(error);
  };

  await during(clock, cluster.ready, 'the cluster becomes ready');
  const declared = operators.map((each) => (isProgram(each) ? each.operator : each));
  const definitions = installDefinitions(client, await definitionsOf(kinds, declared), { clock });
  await during(clock, definitions, 'the definitions are installed');
  const { replicas: count = 1 } = options;
  for (const each of operators) {
    const runnable = count > 1 && !isProgram(each) ? { ...each, leaderElection: true } : each;
    const operator = isProgram(runnable) ? runnable.operator : runnable;
    await during(clock, configurePolicies(client, operator), 'the policies are in force');
    const webhooks = isProgram(runnable) ? false : webhookDoor(cluster, operator);
    if (webhooks) await during(clock, configureWebhooks(client, operator), 'the webhooks are configured');
    const own = options.rights === 'administrator' ? cluster.transport : await underOwnRules(cluster, client, operator);
    for (let index = 0; index < count; index += 1) {
      const transport = reportingRefusals(intercept(faults.on(own), operator), {
        operator,
        administrator: client,
        onRefused: (error) => onMisbehaviour('refusal', error),
      });
      replicas.push(
        new Replica({
          operator: runnable,
          index,
          transport,
          webhooks,
          clock,
          random,
          logger,
          onMisbehaviour,
          failures,
        }),
      );
    }
  }
  for (const replica of replicas) await replica.start();

  return {
    clock,
    client,
    cluster,
    pods: cluster.pods,
    node: cluster.node,
    replicas,
    faults,
    ...createWaits(clock, client, options.patienceMs ?? 10_000, failures),
    async [Symbol.asyncDispose]() {
      // What does not come to rest would not stop in order either.
      const isInOrder = !wasInterrupted;
      let failure: unknown = clock.takeInterruption();
      if (isInOrder) {
        try {
          await clock.settle();
          for (const replica of replicas) await replica.stop();
        } catch (error) {
          failure = error;
        }
      }
      for (const replica of replicas) replica.crash();
      await during(clock, cluster[Symbol.asyncDispose](), 'the cluster stops');
      if (failure !== undefined) throw failure;
    },
  };
}

/**
 * Each kind once; its operator converts it. Who has defined a kind has loaded zod, and schema with it: a cluster without
 * kinds need not wait for them.
 */
async function definitionsOf(
  kinds: readonly DefinedKind[],
  operators: readonly Operator[],
): Promise<readonly NewCustomResourceDefinition[]> {
  const converters = new Map<DefinedKind, Operator | undefined>(kinds.map((kind) => [kind, undefined]));
  for (const operator of operators) for (const kind of definedKinds(operator)) converters.set(kind, operator);
  if (converters.size === 0) return [];
  const { crdOf } = await import('@keelson/schema');
  return [...converters].map(([kind, operator]) =>
    crdOf(kind, { conversion: operator && conversionClientConfig(operator, { namespace: operatorsNamespace }) }),
  );
}

function definedKinds({ controllers, webhooks = [] }: Operator): readonly DefinedKind[] {
  return [...controllers, ...webhooks]
    .map((each) => each.for)
    .filter((kind): kind is DefinedKind => 'definition' in kind);
}

function loggerOf(log: boolean | ((line: string) => void), clock: VirtualClock): Logger {
  if (log === false) return silent;
  const write = log === true ? {} : { write: (line: string) => log(line.trimEnd()) };
  return textLogger({ name: 'test', clock, ...write });
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
