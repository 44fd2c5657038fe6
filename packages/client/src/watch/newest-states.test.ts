import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestStates } from './newest-states.ts';

const event = (type: string, metadata: object, more: object = {}) =>
  JSON.stringify({ type, object: { kind: 'Pod', apiVersion: 'v1', metadata, ...more } });
const newest = (...lines: readonly string[]) => newestStates(lines.map((line) => Buffer.from(line))).map(String);

test('of the states of an object, the last line is read, where it stands', () => {
  const [a1, a2, a3] = ['1', '2', '3'].map((value) => event('MODIFIED', { name: 'a', uid: 'u1' }, { value }));
  const b = event('MODIFIED', { name: 'b', uid: 'u2' });
  assert.deepEqual(newest(a1 ?? '', b, a2 ?? '', a3 ?? ''), [b, a3]);
  const [added, deleted] = [event('ADDED', { name: 'a', uid: 'u1' }), event('DELETED', { name: 'a', uid: 'u1' })];
  assert.deepEqual(newest(deleted, added), [added], 'it left the selection and came back');
  assert.deepEqual(newest(a1 ?? '', deleted), [deleted]);
});

test('of an object that came and went, both are read', () => {
  const [added, changed, deleted] = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => event(type, { uid: 'u1' }));
  assert.deepEqual(newest(added ?? '', changed ?? '', deleted ?? ''), [added, deleted]);
});

test('what a bookmark vouches for is read before it', () => {
  const [a1, a2, a3] = ['1', '2', '3'].map((value) => event('MODIFIED', { uid: 'u1' }, { value }));
  const bookmark = event('BOOKMARK', { resourceVersion: '2' });
  assert.deepEqual(newest(a1 ?? '', a2 ?? '', bookmark, a3 ?? ''), [a2, bookmark, a3]);
});

test('objects of one name that are not the same one are two', () => {
  const [first, second] = [event('DELETED', { name: 'a', uid: 'u1' }), event('ADDED', { name: 'a', uid: 'u2' })];
  assert.deepEqual(newest(first, second), [first, second]);
});

test('a line in which no uid is found stays', () => {
  const lines = [
    event('BOOKMARK', { resourceVersion: '7' }),
    event('MODIFIED', { name: 'a' }),
    event('MODIFIED', { name: 'a', uid: '' }),
    event('MODIFIED', { name: 'b', uid: '' }),
    event('MODIFIED', { name: 'a', uid: 1 }),
    event('MODIFIED', { name: 'b', uid: 1 }),
    event('MODIFIED', { name: 'a' }, { spec: { metadata: { uid: 'u1' } } }),
    event('MODIFIED', { name: 'b' }, { spec: { metadata: { uid: 'u1' } } }),
    event('MODIFIED', { name: 'a', labels: { uid: 'u1' } }),
    event('MODIFIED', { name: 'b', labels: { uid: 'u1' } }),
    '{"type": "MODIFIED", "object": {"metadata": {"uid": "u1"}}}',
    '{"type": "MODIFIED", "object": {"metadata": {"uid": "u1"}}}',
    'no JSON',
    '{"type":"MODIFIED","object":{"metadata":{"uid":"u1',
  ];
  assert.deepEqual(newest(...lines), lines);
});
