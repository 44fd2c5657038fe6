/** Faults on the way to the API server: each kind, by order and by chance, and the same ones for the same seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { done } from '@keelson/runtime';
import { type FaultOptions, startCluster } from '../src/index.ts';
import { key, Note, note, noteOperator } from './fixtures.ts';

const copies = (errors: string[] = []) =>
  noteOperator({
    async reconcile({ spec }, { owned, status }) {
      await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { text: spec.text } });
      await status.apply({ seen: spec.text, conditions: [] });
      return done;
    },
    onError: (_, error) => {
      errors.push((error as Error).message);
      return undefined;
    },
  });

const isWrite = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'PATCH' && path.includes('configmaps');

test('a request that fails did not happen, one whose answer is lost did; both are survived', async () => {
  for (const fault of ['fail', 'lose'] as const) {
    const errors: string[] = [];
    await using cluster = await startCluster({ operators: [copies(errors)] });
    cluster.faults.next(fault, isWrite);
    await cluster.client.create(Note, note());
    await cluster.clock.settle();
    assert.equal((await cluster.client.find(ConfigMap, key)) !== undefined, fault === 'lose');
    assert.equal(cluster.faults.counts[fault], 1);
    await cluster.eventually(Note, key, ({ status }) => status?.seen === 'hello');
    assert.equal((await cluster.client.get(ConfigMap, key)).data?.text, 'hello');
  }
});

test('a delayed request arrives within its time', async () => {
  await using cluster = await startCluster({ operators: [copies()], faults: { delayMs: 10_000 } });
  cluster.faults.next('delay', isWrite);
  await cluster.client.create(Note, note());
  await cluster.clock.settle();
  assert.equal(await cluster.client.find(ConfigMap, key), undefined);
  await cluster.clock.advance(10_000);
  assert.ok(await cluster.client.find(ConfigMap, key));
});

test('a watch that is cut in the middle of an event loses nothing', async () => {
  await using cluster = await startCluster({ operators: [copies()] });
  await cluster.client.create(Note, note());
  await cluster.eventually(Note, key, ({ status }) => status?.seen === 'hello');
  cluster.faults.next('cut', ({ path }) => path.includes('notes'));
  await cluster.client.patch(Note, key, { spec: { text: 'cut' } });
  await cluster.eventually(Note, key, ({ status }) => status?.seen === 'cut');
  assert.equal(cluster.faults.counts.cut, 1);
});

test('the same seed meets the same faults, and an end to them is an end', async () => {
  const faults: FaultOptions = { fail: 0.1, lose: 0.1, delay: 0.2, cut: 0.1 };
  const run = async (seed: number) => {
    await using cluster = await startCluster({ operators: [copies()], faults, seed });
    await cluster.client.create(Note, note());
    for (let i = 0; i < 20; i += 1) {
      await cluster.client.patch(Note, key, { spec: { text: `text ${i}` } });
      await cluster.clock.advance(10_000);
    }
    cluster.faults.pause();
    const { counts } = cluster.faults;
    await cluster.eventually(Note, key, ({ status }) => status?.seen === 'text 19', 1_200_000);
    assert.deepEqual(cluster.faults.counts, counts);
    return counts;
  };
  const first = await run(7);
  assert.ok(
    Object.values(first).every((count) => count > 0),
    JSON.stringify(first),
  );
  assert.deepEqual(await run(7), first);
  assert.notDeepEqual(await run(8), first);
});

test('a chance that is none is refused', async () => {
  await assert.rejects(startCluster({ faults: { fail: 5 } }), {
    name: 'RangeError',
    message: 'faults: fail must be a probability from 0 to 1, received 5',
  });
});
