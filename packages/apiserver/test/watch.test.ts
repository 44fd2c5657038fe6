import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, configMaps, startServer } from './fixtures.ts';

const version = async ({ talk }: ReturnType<typeof startServer>) =>
  (await talk.ok('GET', configMaps)).metadata.resourceVersion as string;

test('a watch from a version tells what came after it, in the order in which it came', async () => {
  await using started = startServer();
  const { talk } = started;
  await talk.ok('POST', configMaps, configMap('before'));
  const since = await version(started);
  await talk.ok('POST', configMaps, configMap('a'));
  await talk.mergePatch(`${configMaps}/before`, { data: { key: '2' } });
  using watching = await talk.watch(`${configMaps}?watch=1&resourceVersion=${since}`);
  await talk.ok('DELETE', `${configMaps}/a`);
  assert.deepEqual(await watching.names(3), ['ADDED a', 'MODIFIED before', 'DELETED a']);
});

test('an object that leaves the selection is deleted as it last was in it, under the number of the change', async () => {
  await using started = startServer();
  const { talk } = started;
  using watching = await talk.watch(
    `${configMaps}?watch=1&labelSelector=tier=front&resourceVersion=${await version(started)}`,
  );
  await talk.ok('POST', configMaps, configMap('a', { labels: { tier: 'front' } }));
  const left = await talk.mergePatch(`${configMaps}/a`, { metadata: { labels: { tier: 'back' } }, data: { key: '2' } });
  const back = await talk.mergePatch(`${configMaps}/a`, { metadata: { labels: { tier: 'front' } } });
  await watching.next();
  const gone = await watching.next();
  assert.equal(gone?.type, 'DELETED');
  assert.deepEqual(gone?.object.data, { key: '1' });
  assert.deepEqual(gone?.object.metadata.labels, { tier: 'front' });
  assert.equal(gone?.object.metadata.resourceVersion, left.metadata.resourceVersion);
  const again = await watching.next();
  assert.equal(again?.type, 'ADDED');
  assert.equal(again?.object.metadata.resourceVersion, back.metadata.resourceVersion);
});

test('a watch hears of its own namespace alone', async () => {
  await using started = startServer();
  const { talk } = started;
  using watching = await talk.watch(`${configMaps}?watch=1&resourceVersion=${await version(started)}`);
  await talk.ok('POST', '/api/v1/namespaces/kube-system/configmaps', configMap('other'));
  await talk.ok('POST', configMaps, configMap('own'));
  assert.deepEqual(await watching.names(1), ['ADDED own']);
});

test('a streaming list ends its beginning with a bookmark, and then goes on', async () => {
  await using started = startServer();
  const { talk } = started;
  for (const name of ['b', 'a']) await talk.ok('POST', configMaps, configMap(name));
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  using watching = await talk.watch(`${configMaps}?${query}`);
  assert.deepEqual(await watching.names(2), ['ADDED a', 'ADDED b']);
  const bookmark = await watching.next();
  assert.equal(bookmark?.type, 'BOOKMARK');
  assert.deepEqual(bookmark?.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
  assert.equal(bookmark?.object.metadata.resourceVersion, await version(started));
  await talk.ok('DELETE', `${configMaps}/a`);
  assert.deepEqual(await watching.names(1), ['DELETED a']);
});

test('bookmarks come every minute of the clock, and the last one shortly before the end', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  const since = await version(started);
  using watching = await talk.watch(
    `${configMaps}?watch=1&resourceVersion=${since}&allowWatchBookmarks=true&timeoutSeconds=150`,
  );
  await talk.ok('POST', '/api/v1/namespaces/kube-system/configmaps', configMap('elsewhere'));
  const told: string[] = [];
  for (const [seconds, events] of [
    [59, 0],
    [1, 1],
    [60, 1],
    [27, 0],
    [1, 1],
    [1, 0],
  ] as const) {
    clock.advance(seconds * 1000);
    for (let index = 0; index < events; index += 1) {
      const event = await watching.next();
      told.push(`${clock.monotonic() / 1000}: ${event?.type} ${event?.object.metadata.resourceVersion}`);
    }
  }
  const current = await version(started);
  assert.deepEqual(told, [`60: BOOKMARK ${current}`, `120: BOOKMARK ${current}`, `148: BOOKMARK ${current}`]);
  clock.advance(1000);
  assert.equal(await watching.next(), undefined);
});

test('a watch without a timeout ends by itself, and leaves no timer behind', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  const before = clock.waiting;
  using watching = await talk.watch(`${configMaps}?watch=1&resourceVersion=${await version(started)}`);
  clock.advance(1_800_000 - 1);
  assert.equal(clock.waiting, before + 1);
  clock.advance(1_800_001);
  assert.equal(await watching.next(), undefined);
  assert.equal(clock.waiting, before);
});

test('whoever leaves a watch leaves no timer behind', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  const before = clock.waiting;
  const watching = await talk.watch(`${configMaps}?watch=1&allowWatchBookmarks=true`);
  assert.ok(clock.waiting > before);
  watching[Symbol.dispose]();
  assert.equal(clock.waiting, before);
  await assert.rejects(watching.next(), { message: 'the test is over' });
});

test('a watcher that takes nothing is closed instead of waited for', async () => {
  await using started = startServer();
  const { talk } = started;
  using watching = await talk.watch(`${configMaps}?watch=1&resourceVersion=${await version(started)}`);
  const large = 'x'.repeat(900_000);
  await talk.ok('POST', configMaps, { metadata: { name: 'a' }, data: { large } });
  for (let index = 0; index < 50; index += 1) {
    await talk.mergePatch(`${configMaps}/a`, { data: { index: String(index) } });
  }
  let events = 0;
  while ((await watching.next()) !== undefined) events += 1;
  assert.ok(events > 5 && events < 20, `${events} events`); // about eight megabytes
});

test('a watch of a table has its columns in the first event alone', async () => {
  await using started = startServer();
  const { talk } = started;
  for (const name of ['a', 'b']) await talk.ok('POST', configMaps, configMap(name));
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  using watching = await talk.watch(`${configMaps}?watch=1`, { accept });
  const [first, second] = [await watching.next(), await watching.next()];
  assert.deepEqual(
    first?.object.columnDefinitions.map(({ name }: { name: string }) => name),
    ['Name', 'Data', 'Age'],
  );
  assert.equal(second?.object.columnDefinitions, null);
  assert.deepEqual(second?.object.rows[0].cells, ['b', 1, '0s']);
});
