import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApiError, isGone, type WatchEvent } from '@keelson/core';
import { watchEvents } from './watch-events.ts';

async function read(...lines: unknown[]): Promise<{ events: WatchEvent[]; unreadable: string[]; error: unknown }> {
  const events: WatchEvent[] = [];
  const unreadable: string[] = [];
  async function* body() {
    for (const line of lines) yield Buffer.from(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`);
  }
  try {
    const onUnreadable = (error: Error) => unreadable.push(error.message);
    for await (const event of watchEvents('watch pods', body(), { onUnreadable })) events.push(event);
  } catch (error) {
    return { events, unreadable, error };
  }
  return { events, unreadable, error: undefined };
}

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'x', resourceVersion: '7' } };

test('events come as they were sent', async () => {
  const { events } = await read({ type: 'ADDED', object: pod }, { type: 'DELETED', object: pod });
  assert.deepEqual(events, [
    { type: 'ADDED', object: pod },
    { type: 'DELETED', object: pod },
  ]);
});

test('managedFields come with all objects, with none, or with those that a manager has written', async () => {
  const managed = (manager: string) => ({
    type: 'ADDED',
    object: { ...pod, metadata: { ...pod.metadata, managedFields: [{ manager, operation: 'Apply' }] } },
  });
  async function* body() {
    for (const manager of ['ours', 'theirs']) yield Buffer.from(`${JSON.stringify(managed(manager))}\n`);
  }
  const onUnreadable = assert.fail;
  for (const [managedFields, managers] of [
    ['keep', ['ours', 'theirs']],
    ['drop', [undefined, undefined]],
    [{ manager: 'ours' }, ['ours', undefined]],
  ] as const) {
    const found: (string | undefined)[] = [];
    for await (const event of watchEvents('watch pods', body(), { onUnreadable, managedFields })) {
      if (event.type === 'ADDED') found.push(event.object.metadata.managedFields?.[0]?.manager);
    }
    assert.deepEqual(found, managers);
  }
});

test('of states that came together, only the newest is told where that was asked for', async () => {
  const state = (resourceVersion: string) => ({
    type: 'MODIFIED',
    object: { ...pod, metadata: { ...pod.metadata, uid: 'u1', resourceVersion } },
  });
  const lines = (...versions: string[]) =>
    Buffer.from(versions.map((version) => `${JSON.stringify(state(version))}\n`).join(''));
  async function* body() {
    yield lines('1', '2');
    yield lines('3', '4', '5').subarray(0, -10);
    yield lines('5').subarray(-10);
  }
  for (const [isNewestOnly, expected] of [
    [true, ['2', '4', '5']],
    [false, ['1', '2', '3', '4', '5']],
  ] as const) {
    const found: string[] = [];
    const options = { onUnreadable: assert.fail, newestOnly: () => isNewestOnly };
    for await (const event of watchEvents('watch pods', body(), options)) {
      if (event.type === 'MODIFIED') found.push(event.object.metadata.resourceVersion);
    }
    assert.deepEqual(found, expected);
  }
});

test('a bookmark tells how far the watch is, and whether the list is complete', async () => {
  const metadata = { resourceVersion: '9' };
  const { events } = await read(
    { type: 'BOOKMARK', object: { metadata } },
    { type: 'BOOKMARK', object: { metadata: { ...metadata, annotations: { 'k8s.io/initial-events-end': 'true' } } } },
  );
  assert.deepEqual(events, [
    { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false },
    { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true },
  ]);
});

test('what is no event is reported without being quoted, and the stream goes on', async () => {
  const { events, unreadable } = await read(
    'password: hunter2\n',
    'null\n',
    { type: 'ADDED', object: { metadata: { name: 'a' } } },
    { type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: 7 } } },
    { type: 'ADDED', object: null },
    { type: 'BOOKMARK', object: {} },
    { type: 'SURPRISE', object: pod },
    { type: 'MODIFIED', object: pod },
  );
  assert.deepEqual(events, [{ type: 'MODIFIED', object: pod }]);
  assert.deepEqual(unreadable, [
    'watch pods: a line of 17 characters is not an event',
    'watch pods: a line of 4 characters is not an event',
    'watch pods: an ADDED event has an object without a name or resourceVersion',
    'watch pods: an ADDED event has an object without a name or resourceVersion',
    'watch pods: an ADDED event has an object without a name or resourceVersion',
    'watch pods: a bookmark has no resourceVersion',
    'watch pods: an event has the unknown type "SURPRISE"',
  ]);
});

test('an ERROR event ends the stream as the failure that it is', async () => {
  const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 5 (9)' };
  const { events, error } = await read({ type: 'ADDED', object: pod }, { type: 'ERROR', object: status });
  assert.equal(events.length, 1);
  assert.ok(isGone(error));
  assert.equal(error.message, 'watch pods: too old resource version: 5 (9)');
});

test('an ERROR event that makes no sense is a failure all the same', async () => {
  for (const object of [undefined, null, {}, 'gone']) {
    const { error } = await read({ type: 'ERROR', object });
    assert.ok(isApiError(error));
    assert.equal(error.message, 'watch pods: an ERROR event that does not say why');
  }
});

test('half a line at the end is reported', async () => {
  const { events, unreadable } = await read({ type: 'ADDED', object: pod }, '{"type":"ADD');
  assert.equal(events.length, 1);
  assert.deepEqual(unreadable, ['watch pods: a line of 12 characters is not an event']);
});

test('managedFields come or not, as asked', async () => {
  const object = { ...pod, metadata: { ...pod.metadata, managedFields: [{ manager: 'helm' }] } };
  async function* body() {
    yield Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`);
  }
  for (const [managedFields, expected] of [
    ['keep', object],
    ['drop', pod],
  ] as const) {
    const options = { onUnreadable: assert.ifError, managedFields };
    const { value } = await watchEvents('watch pods', body(), options).next();
    assert.deepEqual(value, { type: 'ADDED', object: expected });
  }
});
