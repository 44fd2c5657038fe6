import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, configMaps, startServer } from './fixtures.ts';

const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name);

test('the pages of a list show one state, whatever happens between them', async () => {
  await using started = startServer();
  const { talk } = started;
  for (const name of ['a', 'b', 'c', 'd', 'e']) await talk.ok('POST', configMaps, configMap(name));
  const first = await talk.ok('GET', `${configMaps}?limit=2`);
  assert.deepEqual(names(first), ['a', 'b']);
  assert.equal(first.metadata.remainingItemCount, 3);
  await talk.ok('DELETE', `${configMaps}/d`);
  await talk.ok('POST', configMaps, configMap('cc'));
  const second = await talk.ok('GET', `${configMaps}?limit=2&continue=${first.metadata.continue}`);
  const third = await talk.ok('GET', `${configMaps}?limit=2&continue=${second.metadata.continue}`);
  assert.deepEqual([...names(second), ...names(third)], ['c', 'd', 'e']);
  assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  assert.equal(third.metadata.continue, undefined);
});

test('a page of a state that was compacted is gone, and the answer says how to go on', async () => {
  await using started = startServer();
  const { talk, server } = started;
  for (const name of ['a', 'b', 'c']) await talk.ok('POST', configMaps, configMap(name));
  const first = await talk.ok('GET', `${configMaps}?limit=1`);
  await talk.ok('POST', configMaps, configMap('bb'));
  server.compact();
  const refused = await talk.send('GET', `${configMaps}?limit=1&continue=${first.metadata.continue}`);
  assert.equal(refused.status, 410);
  assert.equal(refused.body.reason, 'Expired');
  const rest = await talk.ok('GET', `${configMaps}?continue=${refused.body.metadata.continue}`);
  assert.deepEqual(names(rest), ['b', 'bb', 'c']);
});

test('a list of an exact past state is that state, until it is compacted', async () => {
  await using started = startServer();
  const { talk, server } = started;
  await talk.ok('POST', configMaps, configMap('a'));
  const { metadata } = await talk.ok('GET', configMaps);
  await talk.ok('DELETE', `${configMaps}/a`);
  const exact = `${configMaps}?resourceVersionMatch=Exact&resourceVersion=${metadata.resourceVersion}`;
  assert.deepEqual(names(await talk.ok('GET', exact)), ['a']);
  assert.deepEqual(names(await talk.ok('GET', `${configMaps}?resourceVersion=${metadata.resourceVersion}`)), []);
  server.compact();
  const refused = await talk.send('GET', exact);
  assert.equal(refused.status, 410);
  assert.equal(refused.body.message, 'The resourceVersion for the provided list is too old.');
});

test('a watch from a compacted version is told so by an event, and ends', async () => {
  await using started = startServer();
  const { talk, server } = started;
  const { metadata } = await talk.ok('GET', configMaps);
  await talk.ok('POST', configMaps, configMap('a'));
  server.compact();
  using watching = await talk.watch(`${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  const event = await watching.next();
  assert.equal(event?.type, 'ERROR');
  assert.deepEqual({ code: event?.object.code, reason: event?.object.reason }, { code: 410, reason: 'Expired' });
  assert.equal(await watching.next(), undefined);
});

test('a version of the future is waited for, but not for long', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  const { metadata } = await talk.ok('GET', configMaps);
  const next = Number(metadata.resourceVersion) + 1;
  const waiting = talk.send('GET', `${configMaps}?resourceVersion=${next}`);
  await talk.ok('POST', configMaps, configMap('a'));
  assert.deepEqual(names((await waiting).body), ['a']);

  const tooLong = talk.send('GET', `${configMaps}?resourceVersion=${next + 100}`);
  clock.advance(3000);
  const refused = await tooLong;
  assert.equal(refused.status, 504);
  assert.equal(refused.body.details.causes[0].reason, 'ResourceVersionTooLarge');
});

test('events are gone an hour after they were last written', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  const events = '/api/v1/namespaces/default/events';
  const event = (name: string) => ({
    metadata: { name },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  });
  for (const name of ['a', 'b']) await talk.ok('POST', events, event(name));
  clock.advance(1_800_000);
  await talk.mergePatch(`${events}/a`, { count: 2 });
  using watching = await talk.watch(
    `${events}?watch=1&resourceVersion=${(await talk.ok('GET', events)).metadata.resourceVersion}`,
  );
  clock.advance(1_800_000);
  assert.deepEqual(names(await talk.ok('GET', events)), ['a']);
  assert.deepEqual(await watching.names(1), ['DELETED b']);
  clock.advance(1_800_000);
  assert.deepEqual(names(await talk.ok('GET', events)), []);
});

test('who stops waiting for a version of the future is let go at once', async () => {
  await using started = startServer();
  const stop = new AbortController();
  const waiting = started.server.transport.request({
    method: 'GET',
    path: `${configMaps}?resourceVersion=1000`,
    headers: {},
    signal: stop.signal,
  });
  stop.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
});

test('what is older than five minutes is forgotten every five minutes of the clock', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  for (const name of ['a', 'b']) await talk.ok('POST', configMaps, configMap(name));
  const page = async () => (await talk.ok('GET', `${configMaps}?limit=1`)).metadata.continue as string;
  const next = async (token: string) => (await talk.send('GET', `${configMaps}?limit=1&continue=${token}`)).status;
  const first = await page();
  await talk.ok('DELETE', `${configMaps}/b`);
  clock.advance(299_000);
  await talk.ok('POST', configMaps, configMap('c'));
  const second = await page();
  await talk.ok('POST', configMaps, configMap('d'));
  clock.advance(2000);
  assert.deepEqual([await next(first), await next(second)], [200, 200], 'the first time there is nothing so old');
  clock.advance(300_000);
  assert.deepEqual([await next(first), await next(second)], [410, 410]);
  const third = await page();
  clock.advance(250_000);
  await talk.ok('POST', configMaps, configMap('e'));
  assert.equal(await next(third), 200);
});

test('a server that nobody asked for a while forgets all of it', async () => {
  await using started = startServer();
  const { talk, clock } = started;
  const { metadata } = await talk.ok('GET', configMaps);
  await talk.ok('POST', configMaps, configMap('a'));
  clock.advance(3_600_000);
  using watching = await talk.watch(`${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  assert.equal((await watching.next())?.object.reason, 'Expired');
});
