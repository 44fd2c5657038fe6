/** What the disruption controller does when minutes pass, which only virtual time can wait for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, createClient, evict } from '@keelson/client';
import { isConflict } from '@keelson/core';
import { Event } from '@keelson/core/events/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { Pod, ServiceAccount } from '@keelson/core/v1';
import { createCluster } from '../src/index.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

async function withClient(story: (client: Client, clock: VirtualClock) => Promise<void>): Promise<void> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  await using cluster = createCluster({ clock, random });
  await cluster.ready;
  const client = createClient({ transport: cluster.transport, clock, random });
  await clock.settle();
  await client.get(ServiceAccount, 'default/default');
  await story(client, clock);
}

const labels = { app: 'guarded' };

async function startPods(client: Client, clock: VirtualClock, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const spec = { containers: [{ name: 'web', image: 'web:1' }] };
    await client.create(Pod, { metadata: { name, namespace: 'default', labels }, spec });
  }
  await clock.advance(5000);
}

test('an eviction that was granted and did not happen is taken back after two minutes', async () => {
  await withClient(async (client, clock) => {
    await startPods(client, clock, 'a', 'b');
    const spec = { minAvailable: 1, selector: { matchLabels: labels } };
    await client.create(PodDisruptionBudget, { metadata: { name: 'one', namespace: 'default' }, spec });
    await clock.settle();
    const status = async () => (await client.get(PodDisruptionBudget, 'default/one')).status;
    assert.equal((await status()).disruptionsAllowed, 1);

    await assert.rejects(evict(client, 'default/a', { preconditions: { uid: 'another' } }), isConflict);
    await clock.advance(119_000);
    const granted = await status();
    assert.deepEqual(
      [Object.keys(granted.disruptedPods ?? {}), granted.disruptionsAllowed, granted.currentHealthy],
      [['a'], 0, 1],
    );

    await clock.advance(3000);
    const taken = await status();
    assert.deepEqual([taken.disruptedPods, taken.disruptionsAllowed, taken.currentHealthy], [undefined, 1, 2]);
    const { items } = await client.list(Event, { namespace: 'default' });
    assert.deepEqual(
      items.filter(({ reason }) => reason === 'NotDeleted').map(({ note, regarding }) => [note, regarding?.name]),
      [["Pod was expected by PDB default/default to be deleted but it wasn't", 'a']],
    );
  });
});

test('the announcement of an eviction that did not happen is taken back after two minutes', async () => {
  await withClient(async (client, clock) => {
    await startPods(client, clock, 'a');
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a', namespace: 'default' } };
    const odd = { ...eviction, deleteOptions: { propagationPolicy: 'Sideways' } };
    await assert.rejects(client.createSubresource(Pod, 'eviction', odd as never), /propagationPolicy/);
    const target = async () =>
      (await client.get(Pod, 'default/a')).status.conditions?.find(({ type }) => type === 'DisruptionTarget')?.status;
    await clock.advance(118_000);
    assert.equal(await target(), 'True');
    await clock.advance(4000);
    assert.equal(await target(), 'False');
  });
});
