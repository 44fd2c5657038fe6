import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutBytes, eventName, eventNamespace, eventObject } from './event-object.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'x', uid: 'u1', resourceVersion: '7', labels: { secret: 'no' } },
};
const source = { controller: 'test', instance: 'test-0' };
const at = Date.parse('2026-01-01T00:00:00.5Z');

test('an event says who saw what about which object, and when', () => {
  const event = { type: 'Normal', reason: 'ScaledUp', message: 'from 1 to 3' } as const;
  assert.deepEqual(eventObject(pod, event, source, { name: 'n', firstAt: at, seen: { count: 1, lastAt: at } }), {
    metadata: { name: 'n', namespace: 'x' },
    eventTime: '2026-01-01T00:00:00.500000Z',
    type: 'Normal',
    reason: 'ScaledUp',
    action: 'ScaledUp',
    note: 'from 1 to 3',
    regarding: { apiVersion: 'v1', kind: 'Pod', name: 'web-0', namespace: 'x', uid: 'u1', resourceVersion: '7' },
    reportingController: 'test',
    reportingInstance: 'test-0',
  });
});

test('an event that was seen before it was sent is a series from the start', () => {
  const fieldPath = 'spec.containers{web}';
  const event = { type: 'Warning', reason: 'R', action: 'A', message: 'm', fieldPath, related: pod } as const;
  const made = eventObject(pod, event, source, { name: 'n', firstAt: at, seen: { count: 3, lastAt: at + 1000 } });
  assert.deepEqual(made.series, { count: 3, lastObservedTime: '2026-01-01T00:00:01.500000Z' });
  assert.equal(made.action, 'A');
  assert.equal(made.related?.name, 'web-0');
  assert.equal(made.regarding?.fieldPath, fieldPath);
  assert.equal(made.related?.fieldPath, undefined);
});

test('texts are cut to what the server accepts', () => {
  const long = { type: 'Normal', reason: 'R'.repeat(200), message: 'ü'.repeat(2000) } as const;
  const made = eventObject(
    pod,
    long,
    { controller: 'c', instance: 'i'.repeat(200) },
    { name: 'n', firstAt: at, seen: { count: 1, lastAt: at } },
  );
  assert.equal(made.reason?.length, 128);
  assert.equal(made.action?.length, 128);
  assert.equal(made.reportingInstance?.length, 128);
  assert.ok(Buffer.byteLength(made.note ?? '') <= 1024);
  assert.match(made.note ?? '', /^ü+…$/);
});

test('a text is cut between characters, and only when it is too long', () => {
  assert.equal(cutBytes('🚢'.repeat(4), 16), '🚢🚢🚢🚢');
  assert.equal(cutBytes('🚢'.repeat(4), 15), '🚢🚢🚢…');
  assert.equal(cutBytes('🚢'.repeat(4), 14), '🚢🚢…');
});

test('events about cluster-scoped objects live in default', () => {
  assert.equal(eventNamespace({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }), 'default');
  assert.equal(eventNamespace(pod), 'x');
});

test('the name of an event is a DNS name, whatever its object is called', () => {
  const named = (name: string, kind = 'Pod') => eventName({ apiVersion: 'v1', kind, metadata: { name } }, '00ff');
  assert.equal(named('web-0'), 'web-0.00ff');
  assert.equal(named('system:node', 'ClusterRole'), 'clusterrole.00ff');
  assert.equal(named('a'.repeat(253)).length, 253);
  assert.equal(named(`${'a'.repeat(247)}.${'b'.repeat(5)}`), `${'a'.repeat(247)}.00ff`);
});
