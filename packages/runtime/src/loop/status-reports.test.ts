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

test('the last word counts, with the object that it was said of, and is taken once', () => {
  const reports = new StatusReports();
  assert.equal(reports.take(key, object()), undefined);
  reports.say(key, report('first'));
  reports.say(key, report('last', object('u', 2)));
  assert.deepEqual(reports.take(key, object()), { ...report('last', object('u', 2)), wasHeld: false });
  assert.equal(reports.take(key, object()), undefined);
});

test('what was held gives way to what is said later, and is held no second time', () => {
  const reports = new StatusReports();
  reports.hold(key, report('held'));
  assert.deepEqual(reports.take(key, object()), { ...report('held'), wasHeld: true });
  reports.hold(key, report('held'));
  reports.say(key, report('newer'));
  assert.deepEqual(reports.take(key, object()), { ...report('newer'), wasHeld: true });
});

test('what a pass said that failed is void, and what was held before it is not', () => {
  const reports = new StatusReports();
  reports.hold(key, report('held'));
  reports.say(key, report('void'));
  reports.unsay(key);
  assert.deepEqual(reports.take(key, object()), { ...report('held'), wasHeld: true });
});

test('what was held for an object is not told of another one with its name', () => {
  const reports = new StatusReports();
  reports.hold(key, report('held'));
  assert.equal(reports.take(key, object('other')), undefined);
  assert.equal(reports.take(key, object()), undefined, 'and never again');
  reports.hold(key, report('held'));
  reports.say(key, report('new', object('other')));
  assert.deepEqual(reports.take(key, object('other')), { ...report('new', object('other')), wasHeld: false });
});

test('what is forgotten is neither said nor held', () => {
  const reports = new StatusReports();
  reports.hold(key, report('held'));
  reports.say(key, report('said'));
  reports.forget(key);
  assert.equal(reports.take(key, object()), undefined);
});
