/** What caches cost: from the start of an operator to complete ones, and the memory that each object takes. */
import type { Client } from '@keelson/client';
import { sleep } from '@keelson/core';
import { Pod } from '@keelson/core/v1';
import type { Benchmark } from '../benchmark.ts';
import { createDeployments, inParallel } from '../client/population.ts';
import { serverLabels } from '../subjects/engine/desired.ts';
import type { Arena } from './arena.ts';
import { type Operator, startOperator } from './operators.ts';

/** V8 gives memory back when it had nothing to do for a while, and Go in the background. */
const restMs = 25_000;

export interface Populations {
  /** A namespace with few objects. */
  readonly few: string;
  readonly many: string;
  /** How many objects there are more in the second one. */
  readonly difference: number;
  /** How many there are of each of two kinds. */
  readonly each: number;
}

/** Two namespaces with Deployments and Pods that belong to nobody; no controllers run. */
export async function populateBoth(arena: Arena, each: number): Promise<Populations> {
  const fewEach = Math.ceil(each / 20);
  const [few, many] = [await arena.newNamespace(), await arena.newNamespace()];
  for (const [namespace, count] of [
    [few, fewEach],
    [many, each],
  ] as const) {
    await createDeployments(arena.client, { namespace, count });
    await inParallel(count, 16, (index) => createPod(arena.client, namespace, index));
  }
  return { few, many, difference: 2 * (each - fewEach), each };
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

async function fill(arena: Arena, operator: Operator, { few, many, difference }: Populations) {
  const { clock } = arena;
  const start = async (namespace: string) => {
    const { kubeconfig } = await arena.newUser();
    return await startOperator(operator, { kubeconfig, namespace, workers: 1 }, clock);
  };
  await using large = await start(many);
  const startedMs = await large.startedMs();
  const { cpuMs, peakMb } = large.consumption();
  await using small = await start(few);
  await small.startedMs();
  await sleep(clock, restMs);
  const [after, idle] = [large.consumption(), small.consumption()];
  const growthB = ((after.anonymousMb - idle.anonymousMb) * 1e6) / difference;
  return [startedMs, cpuMs, peakMb, after.residentMb, idle.residentMb, idle.anonymousMb, growthB];
}

export function caches(
  arena: Arena,
  sides: { readonly ours: Operator; readonly peer: Operator },
  populations: Populations,
): Benchmark {
  const many = populations.each.toLocaleString('en');
  const what = `${many} Deployments and ${many} Pods`;
  return {
    rounds: 3,
    warmUp: false,
    measures: [
      { name: `${what}: start to complete caches, time`, unit: 'ms', goal: 1.5 },
      { name: `${what}: start to complete caches, CPU`, unit: 'ms' },
      { name: `${what}: peak memory until then`, unit: 'MB' },
      { name: `${what}: memory at rest`, unit: 'MB' },
      { name: 'a twentieth of them: memory at rest', unit: 'MB' },
      { name: 'a twentieth of them: anonymous memory at rest', unit: 'MB' },
      { name: 'growth of memory for each cached object', unit: 'B', goal: 1 },
    ],
    ours: () => fill(arena, sides.ours, populations),
    peer: () => fill(arena, sides.peer, populations),
  };
}
