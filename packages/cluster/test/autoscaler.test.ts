/** What the autoscaler does as metrics change and minutes pass. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@keelson/apiserver';
import { type Client, createClient } from '@keelson/client';
import { Deployment } from '@keelson/core/apps/v1';
import { HorizontalPodAutoscaler, type HorizontalPodAutoscalerSpec } from '@keelson/core/autoscaling/v2';
import { Event } from '@keelson/core/events/v1';
import { type Cluster, createCluster, createControllers } from '../src/index.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

const labels = { app: 'web' };

interface Scene {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly cluster: Cluster;
  readonly replicas: () => Promise<number>;
  /** Reasons, or `reason=status` of what is false. */
  readonly conditions: () => Promise<Record<string, string>>;
  readonly rescales: () => Promise<readonly (string | undefined)[]>;
  readonly events: () => Promise<readonly (readonly [string | undefined, string | undefined])[]>;
}

async function withWeb(
  { replicas = 2, ...spec }: Partial<HorizontalPodAutoscalerSpec> & { readonly replicas?: number },
  story: (scene: Scene) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  await using cluster = createCluster({ clock, random });
  await cluster.ready;
  const client = createClient({ transport: cluster.transport, clock, random });
  await clock.settle();
  const metadata = { name: 'web', namespace: 'default' };
  const resources = { requests: { cpu: '1', memory: '1Gi' } };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1', resources }] } };
  await client.create(Deployment, { metadata, spec: { replicas, selector: { matchLabels: labels }, template } });
  await clock.advance(60_000);
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await client.create(HorizontalPodAutoscaler, { metadata, spec: { scaleTargetRef, maxReplicas: 10, ...spec } });
  await clock.settle();
  const events = async () => {
    const { items } = await client.list(Event, { namespace: 'default' });
    return items
      .filter(({ regarding }) => regarding?.kind === 'HorizontalPodAutoscaler')
      .map(({ reason, note }) => [reason, note] as const);
  };
  await story({
    client,
    clock,
    cluster,
    events,
    rescales: async () => (await events()).flatMap(([reason, note]) => (reason === 'SuccessfulRescale' ? [note] : [])),
    replicas: async () => (await client.get(Deployment, 'default/web')).spec.replicas ?? 0,
    async conditions() {
      const { status } = await client.get(HorizontalPodAutoscaler, 'default/web');
      return Object.fromEntries(
        (status?.conditions ?? []).map(({ type, status: value, reason }) => [type, `${reason}=${value}`]),
      );
    },
  });
}

const utilization = (averageUtilization: number) => ({
  metrics: [
    {
      type: 'Resource' as const,
      resource: { name: 'cpu', target: { type: 'Utilization' as const, averageUtilization } },
    },
  ],
});

test('pods that work harder than they should get help, and lose it five minutes after the last of it', async () => {
  await withWeb(utilization(50), async ({ clock, cluster, client, replicas, conditions, rescales }) => {
    cluster.metrics.set({ labels }, { cpu: '1' });
    await clock.advance(15_000);
    assert.equal(await replicas(), 4);
    const { status } = await client.get(HorizontalPodAutoscaler, 'default/web');
    assert.deepEqual(status?.currentMetrics, [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '1' } } },
    ]);
    assert.deepEqual([status.currentReplicas, status.desiredReplicas], [2, 4]);
    assert.deepEqual(await conditions(), {
      AbleToScale: 'SucceededRescale=True',
      ScalingActive: 'ValidMetricFound=True',
      ScalingLimited: 'DesiredWithinRange=False',
    });
    assert.ok(
      (await rescales()).includes('New size: 4; reason: cpu resource utilization (percentage of request) above target'),
    );

    cluster.metrics.set({ labels }, { cpu: '100m' });
    await clock.advance(60_000);
    assert.equal(await replicas(), 4);
    assert.deepEqual((await conditions()).AbleToScale, 'ScaleDownStabilized=True');
    await clock.advance(6 * 60_000);
    assert.equal(await replicas(), 1);
    assert.ok((await rescales()).includes('New size: 1; reason: All metrics below target'));
  });
});

test('without metrics nothing is scaled, and it says why', async () => {
  await withWeb({}, async ({ clock, client, replicas, conditions, events }) => {
    await clock.advance(15_000);
    assert.equal(await replicas(), 2);
    assert.equal((await conditions()).ScalingActive, 'FailedGetResourceMetric=False');
    const { status } = await client.get(HorizontalPodAutoscaler, 'default/web');
    const why =
      'failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API';
    assert.equal(
      (status?.conditions ?? []).find(({ type }) => type === 'ScalingActive')?.message,
      `the HPA was unable to compute the replica count: ${why}`,
    );
    const all = `invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${why}`;
    assert.deepEqual(
      new Map(await events()),
      new Map([
        ['FailedGetResourceMetric', why],
        ['FailedComputeMetricsReplicas', all],
      ]),
    );
  });
});

test('within a tenth of the target nothing happens, and never more than the most', async () => {
  await withWeb({ ...utilization(50), maxReplicas: 3 }, async ({ clock, cluster, replicas, conditions }) => {
    cluster.metrics.set({ labels }, { cpu: '540m' });
    await clock.advance(30_000);
    assert.equal(await replicas(), 2);
    cluster.metrics.set({ labels }, { cpu: '5' });
    await clock.advance(15_000);
    assert.equal(await replicas(), 3);
    assert.equal((await conditions()).ScalingLimited, 'TooManyReplicas=True');
  });
});

test('behaviour says how fast: one pod a minute, up and down, without a window', async () => {
  const policies = [{ type: 'Pods' as const, value: 1, periodSeconds: 60 }];
  const behavior = { scaleUp: { policies }, scaleDown: { stabilizationWindowSeconds: 0, policies } };
  await withWeb({ ...utilization(50), behavior, maxReplicas: 4 }, async ({ clock, cluster, replicas, conditions }) => {
    cluster.metrics.set({ labels }, { cpu: '5' });
    await clock.advance(15_000);
    assert.deepEqual([await replicas(), (await conditions()).ScalingLimited], [3, 'ScaleUpLimit=True']);
    await clock.advance(45_000);
    assert.equal(await replicas(), 3);
    await clock.advance(30_000);
    assert.equal(await replicas(), 4);
    await clock.advance(120_000);
    cluster.metrics.set({ labels }, { cpu: '1m' });
    await clock.advance(15_000);
    assert.deepEqual([await replicas(), (await conditions()).ScalingLimited], [3, 'ScaleDownLimit=True']);
    await clock.advance(45_000);
    assert.equal(await replicas(), 3);
    await clock.advance(30_000);
    assert.equal(await replicas(), 2);
  });
});

test('a metric of an average value, and the larger of two proposals', async () => {
  const metrics = [
    ...utilization(50).metrics,
    {
      type: 'Resource' as const,
      resource: { name: 'memory', target: { type: 'AverageValue' as const, averageValue: '256Mi' } },
    },
  ];
  await withWeb({ metrics }, async ({ clock, cluster, replicas, rescales }) => {
    cluster.metrics.set({ labels }, { cpu: '500m', memory: '512Mi' });
    await clock.advance(15_000);
    assert.equal(await replicas(), 4);
    assert.ok((await rescales()).includes('New size: 4; reason: memory resource above target'));
  });
});

test('an autoscaler that is deleted while its pods are measured leaves nothing to the next one of its name', async () => {
  const [clock, random] = [new VirtualClock(), seededRandom(1)];
  const metadata = { name: 'web', namespace: 'default' };
  let deletion: Promise<unknown> | undefined;
  let cpu = '2';
  await using server = createApiServer({
    clock,
    random,
    podUsage: () => {
      deletion ??= client.delete(HorizontalPodAutoscaler, 'default/web');
      return { web: { cpu } };
    },
  });
  const client = createClient({ transport: server.transport, clock, random });
  const stop = new AbortController();
  const controllers = createControllers({ transport: server.transport, clock, random, heartbeat: false });
  const stopped = controllers.start(stop.signal);
  await controllers.synced;
  const containers = [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '1' } } }];
  const template = { metadata: { labels }, spec: { containers } };
  await client.create(Deployment, { metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
  await clock.advance(60_000);
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const spec = { scaleTargetRef, maxReplicas: 5, ...utilization(50) };
  await client.create(HorizontalPodAutoscaler, { metadata, spec });
  await clock.settle();
  await deletion;

  // The first one wanted four. If this one remembered that, it would let six of ten go at once.
  cpu = '1m';
  await client.patch(Deployment, 'default/web', { spec: { replicas: 10 } });
  await clock.advance(60_000);
  await client.create(HorizontalPodAutoscaler, { metadata, spec: { ...spec, maxReplicas: 10 } });
  await clock.advance(30_000);
  assert.equal((await client.get(Deployment, 'default/web')).spec.replicas, 10);
  stop.abort();
  await stopped;
});
