/** What an informer holds is what it shows: lists that come again and again leave nothing behind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { connect, createClient, createInformer } from '../src/index.ts';
import { heapAfterCollection } from './heap.ts';
import { ManualClock, steadyRandom } from './manual-clock.ts';
import { runInformer } from './run-informer.ts';
import { failure, ScriptedCollection } from './scripted-collection.ts';
import { configFor } from './scripted-server.ts';
import { until } from './until.ts';

const objects = 1000;
const valueLength = 4000;
const relists = 40;

test('the heap does not grow through relists', async (t) => {
  await using collection = await ScriptedCollection.start();
  const set = (from: number, to: number, value: string) => {
    for (let i = from; i < to; i++) collection.set(`name-${i}`, value.repeat(valueLength));
  };
  set(0, objects, 'x');
  await using transport = connect(configFor(collection.server.url));
  const clock = new ManualClock();
  const random = steadyRandom(0);
  const informer = createInformer(createClient({ transport, clock, random }), ConfigMap, { clock, random });
  let events = 0;
  informer.subscribe(() => {
    events += 1;
  });
  await using _running = runInformer(informer);
  await informer.synced;
  // Code that is compiled, and garbage that two collections leave, make single readings too large, never too small.
  let [early, late] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let lists = 2; lists <= relists; lists++) {
    await until(() => collection.watches.size === 1);
    for (const watch of collection.watches) watch.send({ type: 'ERROR', object: failure(410, 'Expired', 'gone') });
    await until(() => informer.health.phase === 'waiting' && collection.watches.size === 0);
    set(0, objects / 10, String(lists % 10));
    collection.delete(`name-${objects - 1}`);
    collection.set(`name-${objects - 1}`, 'recreated');
    collection.compact();
    (collection.server.requests as unknown[]).length = 0; // they are the test's own growth
    await clock.advance(clock.nextInMs ?? assert.fail('nobody waits'));
    await until(() => informer.health.counts.lists === lists);
    if (lists > relists / 4 && lists <= relists / 2) early = Math.min(early, heapAfterCollection());
    if (lists > (relists * 3) / 4) late = Math.min(late, heapAfterCollection());
  }
  const held = objects * valueLength;
  const growth = (late - early) / held;
  t.diagnostic(`${(early / 1e6).toFixed(1)} MB in the second quarter, ${(late / 1e6).toFixed(1)} MB in the last`);
  assert.ok(events > objects + (relists - 1) * (objects / 10));
  assert.ok(growth <= 0.2, `twenty lists left ${growth} of one behind`);
});
