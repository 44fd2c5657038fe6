/**
 * Virtual hours in which everything goes wrong: API faults, edits and deletions by others, also of statuses, crashes and
 * restarts of two replicas. Then the faults end, and the operator has to converge, and from then on write nothing.
 */
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient } from '@keelson/client';
import { isNotFound, operator, removable } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { nextTurn } from '@keelson/core/system';
import { ConfigMap, Service } from '@keelson/core/v1';
import { seededRandom, startCluster } from '@keelson/testing';
import { controller, done, type StatusWriter } from '../src/index.ts';
import { newWidget, Widget } from './widget.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export interface CampaignReport {
  readonly passes: number;
  readonly writes: number;
  readonly crashes: number;
  readonly faults: Readonly<Record<string, number>>;
  /** What the heap holds after a quarter of the time, and at the end. */
  readonly heap: readonly [number, number];
}

const names = ['a', 'b', 'c'];
const hour = 3_600_000;

interface CampaignOptions {
  readonly hours: number;
  readonly seed: number;
  /** How the operator writes its status. */
  readonly says: keyof StatusWriter;
}

export async function runCampaign({ hours, seed, says }: CampaignOptions): Promise<CampaignReport> {
  let passes = 0;
  let writes = 0;
  let crashes = 0;
  const widgets = controller({
    for: Widget,
    owns: [removable(ConfigMap), Deployment, Service],
    async reconcile({ metadata: { name }, spec }, { owned, status }) {
      passes += 1;
      const labels = { app: name };
      await owned.apply(ConfigMap, { metadata: { name }, data: { text: spec.text } });
      await owned.apply(Service, {
        metadata: { name },
        spec: { selector: labels, ports: [{ name: 'http', port: 80 }] },
      });
      const { status: now } = await owned.apply(Deployment, {
        metadata: { name },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels, annotations: { text: spec.text } },
            spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '0.1' } } }] },
          },
        },
      });
      await status[says]({ seen: `${spec.text} ${now?.readyReplicas ?? 0}`, conditions: [] });
      return done;
    },
    onError: ({ status }) => ({ seen: status?.seen ?? '', conditions: [] }),
  });
  await using cluster = await startCluster({
    operators: [operator({ name: 'campaign', controllers: [widgets] })],
    replicas: 2,
    seed,
    faults: { fail: 0.02, lose: 0.02, delay: 0.02, cut: 0.05 },
    tolerate: ['storm'],
    intercept: (transport) => ({
      request(request) {
        if (request.method !== 'GET' && !request.path.includes('/leases/')) writes += 1;
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  const { client, clock, replicas } = cluster;
  const random = seededRandom(seed + 1);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random.next() * choices.length)] as T;
  const other = createClient({ transport: cluster.cluster.transport, clock, fieldManager: 'somebody' });

  const acts: readonly ((name: string) => Promise<unknown>)[] = [
    (name) => other.patch(Widget, `default/${name}`, { spec: { text: `${clock.monotonic()}` } }),
    (name) => other.patch(Widget, `default/${name}`, { spec: { text: `${clock.monotonic()}` } }),
    (name) => other.delete(Widget, `default/${name}`),
    (name) => other.create(Widget, newWidget(name)),
    (name) => other.delete(pick([ConfigMap, Deployment, Service]), `default/${name}`),
    (name) => other.patch(Deployment, `default/${name}`, { spec: { replicas: 3 } }),
    (name) => other.patch(ConfigMap, `default/${name}`, { data: { text: 'changed', foreign: 'kept' } }),
    (name) => other.patch(Service, `default/${name}`, [{ op: 'replace', path: '/spec/ports/0/port', value: 81 }]),
    (name) =>
      other.patch(Deployment, `default/${name}`, { metadata: { annotations: { now: `${clock.monotonic()}` } } }),
    (name) =>
      other.patch(Widget, `default/${name}`, { status: { seen: `${clock.monotonic()}` } }, { subresource: 'status' }),
    async () => {
      crashes += 1;
      pick(replicas).crash();
    },
    async () => {
      for (const replica of replicas) await replica.start();
    },
    () => pick(replicas).stop(),
  ];
  const live = async (untilMs: number) => {
    while (clock.monotonic() < untilMs) {
      // What is not there cannot be changed, and what is there cannot be made.
      await pick(acts)(pick(names)).catch((error: unknown) =>
        assert.ok(isNotFound(error) || /exist/.test(`${error}`), `${error}`),
      );
      await clock.advance(random.next() * 120_000);
    }
  };
  for (const name of names) await client.create(Widget, newWidget(name));
  const heapNow = async () => {
    cluster.cluster.compact(); // the server's history is not the operator's
    collect();
    await nextTurn(); // the test runner forgets in another turn what it had noted of things that are collected
    collect();
    return process.memoryUsage().heapUsed;
  };
  await live((hours * hour) / 4);
  const early = await heapNow();
  await live(hours * hour);
  cluster.faults.pause();
  for (const replica of replicas) await replica.start();

  for (const name of names) {
    const key = `default/${name}`;
    const widget = await client.find(Widget, key);
    if (widget === undefined) {
      for (const kind of [ConfigMap, Deployment, Service]) await cluster.eventuallyGone(kind, key, hour);
      continue;
    }
    const { text } = widget.spec;
    await cluster.eventually(Widget, key, ({ status }) => status?.seen === `${text} 1`, hour);
    await cluster.eventually(ConfigMap, key, ({ data }) => data?.text === text, hour);
    await cluster.eventually(Service, key, ({ spec }) => spec.ports?.map(({ port }) => port).join() === '80', hour);
    await cluster.eventually(Deployment, key, ({ spec }) => spec.replicas === 1, hour);
  }
  await clock.advance(hour / 2); // delayed retries of the past hours come to an end
  const before = { passes, writes };
  await clock.advance(hour / 2);
  assert.deepEqual({ passes, writes }, before, 'nothing is left in the queue, and nothing is written');
  return { passes, writes, crashes, faults: cluster.faults.counts, heap: [early, await heapNow()] };
}
