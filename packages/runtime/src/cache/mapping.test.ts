import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byLabel, byOwner, type KubernetesObject, NotControlledError, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Namespace, Pod } from '@keelson/core/v1';
import { causeOf, concernedKeys, controllerKey, isOfFormerSelf, mapperOf } from './mapping.ts';

const object = (metadata: Partial<KubernetesObject['metadata']>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: 'then', ...metadata },
});
const empty = { get: () => undefined, list: () => [], serves: () => true };
const context = { cache: empty };
const owner = (apiVersion: string, kind: string) => ({ apiVersion, kind, name: 'web', uid: 'o', controller: true });

test('an owned object concerns the object that controls it, in any version of its kind', () => {
  const keys = (apiVersion: string, kind: string) =>
    controllerKey(Deployment, object({ ownerReferences: [owner(apiVersion, kind)] }));
  assert.deepEqual(keys('apps/v1', 'Deployment'), ['ns/web']);
  assert.deepEqual(keys('apps/v1beta1', 'Deployment'), ['ns/web']);
  assert.deepEqual(keys('other/v1', 'Deployment'), []);
  assert.deepEqual(keys('apps/v1', 'ReplicaSet'), []);
  assert.deepEqual(controllerKey(Deployment, object({})), []);
});

test('a cluster-scoped owner is named without a namespace', () => {
  const reference = owner('v1', 'Namespace');
  assert.deepEqual(controllerKey(Namespace, object({ ownerReferences: [reference] })), ['web']);
});

test('an owner that is not the controller is not concerned', () => {
  const { controller: _, ...reference } = owner('apps/v1', 'Deployment');
  assert.deepEqual(controllerKey(Deployment, object({ ownerReferences: [reference] })), []);
});

test('a watched object concerns whom its label names, or whom the function says', () => {
  const labelled = mapperOf(Deployment, watch(Pod, { to: byLabel('instance') }), context);
  assert.deepEqual(labelled(object({ labels: { instance: 'a' } })), ['ns/a']);
  assert.deepEqual(labelled(object({ labels: { instance: '' } })), []);
  assert.deepEqual(labelled(object({})), []);
  const computed = mapperOf(Deployment, watch(Pod, { to: (pod) => [`x/${pod.metadata.name}`, 'x/y'] }), context);
  assert.deepEqual(computed(object({})), ['x/p', 'x/y']);
});

test('an object concerns every reconciled one that owns it, where that is asked for', () => {
  const map = mapperOf(Deployment, watch(Pod, { to: byOwner }), context);
  const { controller: _, ...second } = { ...owner('apps/v1', 'Deployment'), name: 'second' };
  const ownerReferences = [owner('apps/v1', 'Deployment'), second, owner('v1', 'Node')];
  assert.deepEqual(map(object({ ownerReferences })), ['ns/web', 'ns/second']);
  assert.deepEqual(map(object({})), []);
});

test('an object outside of the fields and namespaces of a watch concerns nobody', () => {
  const watched = { fields: 'metadata.name=p', namespaces: ['ns'], to: () => ['ns/a'] };
  const map = mapperOf(Deployment, watch(Pod, watched), context);
  assert.deepEqual(map(object({})), ['ns/a']);
  assert.deepEqual(map(object({ name: 'q' })), []);
  assert.deepEqual(map(object({ namespace: 'other' })), []);
});

test('a cluster-scoped object is mapped without a namespace', () => {
  const labelled = mapperOf(Namespace, watch(Pod, { to: byLabel('instance') }), context);
  assert.deepEqual(labelled(object({ labels: { instance: 'a' } })), ['a']);
  const { namespace: _, ...placeless } = object({ labels: { instance: 'a' } }).metadata;
  const inAll = mapperOf(Deployment, watch(Namespace, { to: byLabel('instance') }), context);
  assert.deepEqual(inAll({ ...object({}), metadata: placeless }), ['a']);
  const owned = mapperOf(Namespace, watch(Pod, { to: byOwner }), context);
  assert.deepEqual(owned(object({ ownerReferences: [owner('v1', 'Namespace')] })), ['web']);
  const nowhere = mapperOf(Deployment, watch(Namespace, { namespaces: [''], to: () => ['ns/a'] }), context);
  assert.deepEqual(nowhere({ ...object({}), metadata: placeless }), ['ns/a']);
});

test('an object outside of the labels of a watch concerns nobody', () => {
  const map = mapperOf(Deployment, watch(Pod, { labels: { app: 'x' }, to: byLabel('instance') }), context);
  assert.deepEqual(map(object({ labels: { app: 'x', instance: 'a' } })), ['ns/a']);
  assert.deepEqual(map(object({ labels: { app: 'y', instance: 'a' } })), []);
});

test('an update concerns both states, each key once, also when the mapping throws for one of them', () => {
  const before = object({ labels: { instance: 'a' } });
  const after = object({ labels: { instance: 'b' } });
  const byInstance = mapperOf(Deployment, watch(Pod, { to: byLabel('instance') }), context);
  const unwanted = () => assert.fail('nothing throws');
  assert.deepEqual(concernedKeys({ type: 'updated', object: after, previous: before }, byInstance, unwanted), [
    'ns/a',
    'ns/b',
  ]);
  assert.deepEqual(concernedKeys({ type: 'updated', object: after, previous: after }, byInstance, unwanted), ['ns/b']);
  const states: KubernetesObject[] = [];
  const noting = (state: KubernetesObject) => {
    states.push(state);
    return [];
  };
  concernedKeys({ type: 'deleted', object: after, missed: false }, noting, unwanted);
  concernedKeys({ type: 'updated', object: after, previous: after }, noting, unwanted);
  assert.deepEqual(states, [after, after], 'one state is asked about once');
  assert.equal(causeOf({ type: 'deleted', object: after, missed: false }), 'Pod ns/p deleted');

  const errors: unknown[] = [];
  const clumsy = (state: KubernetesObject) => {
    if (state === before) throw new Error('malformed');
    return ['ns/b'];
  };
  const keys = concernedKeys({ type: 'updated', object: after, previous: before }, clumsy, (error) =>
    errors.push(error),
  );
  assert.deepEqual(keys, ['ns/b']);
  assert.equal(errors.length, 1);
});

test('what a deleted object of the same name left behind is told from what belongs to someone else', () => {
  const self = { ...object({}), metadata: { ...object({}).metadata, name: 'web', uid: 'new' } };
  const blocking = (reference: object) =>
    new NotControlledError(object({ ownerReferences: [{ ...owner('apps/v1', 'Deployment'), ...reference }] }), {
      kind: 'Deployment',
      key: 'ns/web',
    });
  assert.ok(isOfFormerSelf(blocking({ uid: 'old' }), Deployment, self));
  assert.ok(!isOfFormerSelf(blocking({ name: 'other' }), Deployment, self));
  assert.ok(!isOfFormerSelf(blocking({ kind: 'ReplicaSet' }), Deployment, self));
  assert.ok(
    !isOfFormerSelf(new NotControlledError(object({}), { kind: 'Deployment', key: 'ns/web' }), Deployment, self),
  );
});
