import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './fixtures.ts';

const core = '/api/v1/namespaces/default/events';
const newer = '/apis/events.k8s.io/v1/namespaces/default/events';

test('an event is one object under both of its names, and all its writers are remembered', async () => {
  await using started = startServer();
  const { talk } = started;
  await talk.ok('POST', `${core}?fieldManager=one`, {
    metadata: { name: 'a' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    message: 'hello',
    source: { component: 'test' },
  });
  const read = await talk.ok('GET', `${newer}/a`);
  assert.deepEqual([read.note, read.regarding.name, read.deprecatedSource.component], ['hello', 'p', 'test']);
  await talk.mergePatch(`${newer}/a?fieldManager=two`, { metadata: { labels: { a: 'b' } } });
  const { metadata, message } = await talk.ok('GET', `${core}/a`);
  assert.equal(message, 'hello');
  assert.deepEqual(
    metadata.managedFields.map(({ manager, apiVersion }: Record<string, string>) => `${manager} ${apiVersion}`).sort(),
    ['one v1', 'two events.k8s.io/v1'],
  );
});

test('watches of both names hear of the same event, each in its own words', async () => {
  await using started = startServer();
  const { talk } = started;
  using old = await talk.watch(`${core}?watch=1`);
  using young = await talk.watch(`${newer}?watch=1`);
  await talk.ok('POST', newer, {
    metadata: { name: 'a' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/test',
    reportingInstance: 'test-1',
    action: 'Test',
    reason: 'Testing',
    type: 'Normal',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    note: 'hello',
  });
  assert.equal((await old.next())?.object.message, 'hello');
  assert.equal((await young.next())?.object.note, 'hello');
});
