import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { StatusReports } from './status-reports.ts';

const key = 'ns/a';
const object = (uid = 'u', generation = 1): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ns', uid, resourceVersion: '1', creationTimestamp: 'then', generation },
});
const report = (seen: string, of = object()) => ({ object: of, status: { seen } });

test('the last word counts, with the object that it was said of', () => {
  const reports = new StatusReports();
  assert.equal(reports.last(key, object()), undefined);
  reports.say(key, report('first'));
  reports.say(key, report('last', object('u', 2)));
  assert.deepEqual(reports.last(key, object()), { ...report('last', object('u', 2)), wasHeld: false });
});

test('what was held gives way to what is said later, and stands until something newer is written', () => {
  const reports = new StatusReports();
  reports.say(key, report('held'));
  reports.hold(key, { ...report('held'), wasHeld: false } as never);
  assert.deepEqual(reports.last(key, object()), { ...report('held'), wasHeld: true });
  reports.say(key, report('newer'));
  assert.deepEqual(reports.last(key, object()), { ...report('newer'), wasHeld: true });
  reports.unsay(key);
  assert.deepEqual(reports.last(key, object()), { ...report('held'), wasHeld: true }, 'the pass that said it failed');
  reports.say(key, report('after'));
  reports.written(key);
  assert.deepEqual(reports.last(key, object()), { ...report('after'), wasHeld: false });
});

test('what was held for an object is not told of another one with its name', () => {
  const reports = new StatusReports();
  reports.hold(key, report('held'));
  assert.equal(reports.last(key, object('other')), undefined);
  assert.equal(reports.last(key, object()), undefined, 'and never again');
  reports.hold(key, report('held'));
  reports.say(key, report('new', object('other')));
  assert.deepEqual(reports.last(key, object('other')), { ...report('new', object('other')), wasHeld: false });
});

test('what is forgotten is neither said nor held', () => {
  const reports = new StatusReports();
  reports.hold(key, report('held'));
  reports.say(key, report('said'));
  reports.forget(key);
  assert.equal(reports.last(key, object()), undefined);
});

test('what was held and is refused is over; what was said in its place and is refused leaves it', () => {
  const reports = new StatusReports();
  const held = report('held');
  reports.hold(key, held);
  reports.refused(key, report('newer'));
  assert.deepEqual(reports.last(key, object()), { ...held, wasHeld: true });
  reports.refused(key, held);
  assert.equal(reports.last(key, object()), undefined);
});
