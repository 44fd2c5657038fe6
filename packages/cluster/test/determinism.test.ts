import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { Deployment } from '@keelson/core/apps/v1';
import { Namespace, ServiceAccount } from '@keelson/core/v1';
import { createControllers } from '../src/index.ts';
import { type Recording, recorded, writesIn } from './recorded.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

const minute = 60_000;

/** A rollout, a scaling, a deletion and a namespace that goes; `afterwards` runs when all is quiet. */
async function story(seed: number, afterwards?: (clock: VirtualClock, recording: Recording) => Promise<void>) {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  await using server = createApiServer({ clock, random });
  const transport = recorded(server.transport);
  const stop = new AbortController();
  const controllers = createControllers({ transport, clock, random, heartbeat: false });
  const stopped = controllers.start(stop.signal);
  await controllers.synced;
  const client = createClient({ transport, clock, random, fieldManager: 'test' });
  for (const namespace of ['kept', 'going']) {
    await client.create(Namespace, { metadata: { name: namespace } });
    await clock.settle();
    await client.get(ServiceAccount, `${namespace}/default`);
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    await client.create(Deployment, { metadata: { namespace, name: 'web' }, spec });
    await clock.advance(10_000);
    await client.patch(Deployment, `${namespace}/web`, { spec: { minReadySeconds: 5, replicas: 5 } });
    const containers = [{ name: 'web', image: 'web:2' }];
    await client.patch(Deployment, `${namespace}/web`, { spec: { template: { spec: { containers } } } });
    await clock.advance(120_000);
  }
  await client.delete(Namespace, 'going');
  await clock.advance(120_000);
  const deployment = await client.get(Deployment, 'kept/web');
  await afterwards?.(clock, transport);
  stop.abort();
  await stopped;
  return { lines: transport.lines, deployment, gone: await client.find(Namespace, 'going') };
}

const told = story(7);

test('the same seed gives the same requests and answers, byte by byte', async () => {
  const [first, second] = [await told, await story(7)];
  assert.equal(first.deployment.status.availableReplicas, 5);
  assert.equal(first.gone, undefined);
  assert.ok(first.lines.length > 1000, `${first.lines.length} lines`);
  assert.equal(second.lines.join('\n'), first.lines.join('\n'));
});

test('another seed gives other names, so the first test can fail', async () => {
  const [first, second] = [await told, await story(8)];
  assert.notEqual(second.lines.join('\n'), first.lines.join('\n'));
});

// Watches end within ten minutes: each of them has been resumed several times.
test('forty minutes in which nothing changes bring no write', async () => {
  await story(7, async (clock, { lines }) => {
    const before = writesIn(lines).length;
    assert.ok(before > 50, `${before} writes`);
    await clock.advance(40 * minute);
    assert.deepEqual(writesIn(lines).slice(before), []);
  });
});
