import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from './kind.ts';
import { and, annotationsChanged, changed, generationChanged, labelsChanged, not, or } from './predicates.ts';

const object = (metadata: Partial<KubernetesObject['metadata']>, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: 'then', ...metadata },
  ...more,
});

test('each predicate sees its own part of an update, by value', () => {
  const before = object({ generation: 1, labels: { a: '1' }, annotations: { a: '1' } });
  const same = object({ generation: 1, labels: { a: '1' }, annotations: { a: '1' }, resourceVersion: '2' });
  const parts = [generationChanged, labelsChanged, annotationsChanged];
  const told = (now: KubernetesObject) => parts.map((each) => each(now, before));
  assert.deepEqual(told(same), [false, false, false]);
  assert.deepEqual(told(object({ ...same.metadata, generation: 2 })), [true, false, false]);
  assert.deepEqual(told(object({ ...same.metadata, labels: { a: '2' } })), [false, true, false]);
  assert.deepEqual(told(object({ ...same.metadata, annotations: undefined })), [false, false, true]);
  assert.ok(!labelsChanged(object({ labels: {} }), object({})), 'no labels are no labels');
});

test('a part of one’s own choice is compared by value, and may come and go', () => {
  const replicas = changed<KubernetesObject & { readonly spec?: { readonly replicas: number } }>(({ spec }) => spec);
  const [one, other] = [object({}, { spec: { replicas: 1 } }), object({}, { spec: { replicas: 1 } })];
  assert.ok(!replicas(one, other));
  assert.ok(replicas(one, object({})));
  assert.ok(replicas(object({}), one));
  assert.ok(!replicas(object({}), object({})));
});

test('predicates are joined as the words say', () => {
  const yes = () => true;
  const no = () => false;
  const ask = (predicate: (now: unknown, before: unknown) => boolean) => predicate({}, {});
  assert.deepEqual(
    [ask(and(yes, yes)), ask(and(yes, no)), ask(or(no, yes)), ask(or(no, no)), ask(not(yes))],
    [true, false, true, false, false],
  );
});
