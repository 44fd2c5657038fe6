/** What caches cost: from the start of an operator to complete ones, and the memory that each object takes. */
import type { Client } from '@keelson/client';
import { type Clock, sleep } from '@keelson/core';
import { Pod } from '@keelson/core/v1';
import type { Benchmark } from '../benchmark.ts';
import { createDeployments, inParallel } from '../client/population.ts';
import { serverLabels } from '../subjects/engine/desired.ts';
import { type Arena, openArena } from './arena.ts';
import { type Operator, startOperator } from './operators.ts';

/** V8 gives memory back when it had nothing to do for a while, and Go in the background. */
const restMs = 25_000;

interface Populations {
  /** A namespace with few objects. */
  readonly few: string;
  readonly many: string;
  /** How many objects there are more in the second one. */
  readonly difference: number;
}

/** Two namespaces with Deployments and Pods that belong to nobody; no controllers run. */
async function populateBoth(arena: Arena, each: number): Promise<Populations> {
  console.error('making Deployments and Pods');
  const fewEach = Math.ceil(each / 20);
  const [few, many] = [await arena.newNamespace(), await arena.newNamespace()];
  for (const [namespace, count] of [
    [few, fewEach],
    [many, each],
  ] as const) {
    await createDeployments(arena.client, { namespace, count });
    await inParallel(count, 16, (index) => createPod(arena.client, namespace, index));
  }
  return { few, many, difference: 2 * (each - fewEach) };
}

async function createPod(client: Client, namespace: string, index: number): Promise<void> {
  await client.create(Pod, {
    metadata: {
      namespace,
      name: `cache-${index}`,
      labels: serverLabels,
      annotations: { 'prometheus.io/port': '8080' },
    },
    spec: {
      securityContext: { runAsNonRoot: true, fsGroup: 10001 },
      containers: [
        {
          name: 'cache',
          image: 'memcached:1.6.26-alpine3.19',
          command: ['memcached', '--memory-limit=64', '-o', 'modern', '-v'],
          ports: [{ name: 'cache', containerPort: 11211 }],
          env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          readinessProbe: { tcpSocket: { port: 11211 }, periodSeconds: 5 },
        },
      ],
    },
  });
}

/** A control plane on which nothing happens, with many objects: made when the first sample asks for it. */
export class StillPlace implements AsyncDisposable {
  /** How many objects there are of each of two kinds. */
  readonly each: number;
  readonly #clock: Clock;
  #arena: Arena | undefined;
  #populations: Populations | undefined;

  constructor(clock: Clock, each: number) {
    this.#clock = clock;
    this.each = each;
  }

  async ready(): Promise<{ readonly arena: Arena; readonly populations: Populations }> {
    this.#arena ??= await openArena(this.#clock, false);
    this.#populations ??= await populateBoth(this.#arena, this.each);
    return { arena: this.#arena, populations: this.#populations };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#arena?.[Symbol.asyncDispose]();
  }
}

interface Sides {
  readonly ours: Operator;
  readonly peer: Operator;
}

async function start({ newUser, clock }: Arena, operator: Operator, namespace: string) {
  const { kubeconfig } = await newUser();
  return await startOperator(operator, { kubeconfig, namespace, workers: 1 }, clock);
}

export function cachesAtStart(place: StillPlace, { ours, peer }: Sides): Benchmark {
  const sample = async (operator: Operator) => {
    const { arena, populations } = await place.ready();
    await using process = await start(arena, operator, populations.many);
    const startedMs = await process.startedMs();
    const { cpuMs, peakMb } = process.consumption();
    return [startedMs, cpuMs, peakMb];
  };
  return {
    rounds: 5,
    warmUp: false,
    measures: [
      { name: `${objects(place)}: start to complete caches, time`, unit: 'ms', goal: 1.5 },
      { name: `${objects(place)}: start to complete caches, CPU`, unit: 'ms' },
      { name: `${objects(place)}: peak memory until then`, unit: 'MB' },
    ],
    ours: () => sample(ours),
    peer: () => sample(peer),
  };
}

export function cachesAtRest(place: StillPlace, { ours, peer }: Sides): Benchmark {
  const sample = async (operator: Operator) => {
    const { arena, populations } = await place.ready();
    await using large = await start(arena, operator, populations.many);
    await using small = await start(arena, operator, populations.few);
    await Promise.all([large.startedMs(), small.startedMs()]);
    await sleep(arena.clock, restMs);
    const [full, idle] = [large.consumption(), small.consumption()];
    const growthB = ((full.anonymousMb - idle.anonymousMb) * 1e6) / populations.difference;
    return [full.residentMb, idle.residentMb, idle.anonymousMb, growthB];
  };
  return {
    rounds: 3,
    warmUp: false,
    measures: [
      { name: `${objects(place)}: memory at rest`, unit: 'MB' },
      { name: 'a twentieth of them: memory at rest', unit: 'MB' },
      { name: 'a twentieth of them: anonymous memory at rest', unit: 'MB' },
      { name: 'growth of memory for each cached object', unit: 'B', goal: 1 },
    ],
    ours: () => sample(ours),
    peer: () => sample(peer),
  };
}

function objects({ each }: StillPlace): string {
  const many = each.toLocaleString('en');
  return `${many} Deployments and ${many} Pods`;
}
