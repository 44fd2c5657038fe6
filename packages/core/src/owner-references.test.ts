import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from './generated/v1.ts';
import type { KubernetesObject } from './kind.ts';
import {
  assertMayOwn,
  controllerOf,
  controllerReference,
  isControlledBy,
  isNotControlled,
  NotControlledError,
  withController,
} from './owner-references.ts';

const stored = (name: string, uid: string, namespace?: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid, resourceVersion: '1', creationTimestamp: 'then', ...(namespace && { namespace }) },
});

test('the controller of an object is known by uid, not by name', () => {
  const owner = stored('a', 'uid-1', 'default');
  const owned = { ...stored('b', 'uid-2', 'default') };
  const metadata = { ...owned.metadata, ownerReferences: [{ ...controllerReference(ConfigMap, owner) }] };

  assert.ok(isControlledBy({ metadata }, owner));
  assert.ok(!isControlledBy({ metadata }, stored('a', 'uid-1b', 'default')), 'a recreated owner is someone else');
  assert.equal(controllerOf({ metadata })?.apiVersion, 'v1');
});

test('an owner that is not the controller controls nothing', () => {
  const owner = stored('a', 'uid-1', 'default');
  const { controller: _, ...reference } = controllerReference(ConfigMap, owner);
  assert.equal(controllerOf({ metadata: { ownerReferences: [reference] } }), undefined);
});

test('an owner in another namespace is refused', () => {
  const owner = stored('a', 'uid-1', 'default');
  assert.throws(() => assertMayOwn(owner, 'other', 'Deployment x'), /cannot own Deployment x in namespace other/);
  assert.throws(() => assertMayOwn(owner, undefined, 'Node x'), /cannot own Node x in no namespace/);
  assertMayOwn(owner, 'default', 'Deployment x');
  assertMayOwn(stored('node', 'uid-3'), 'default', 'Deployment x');
});

test('an object of someone else is named together with its controller', () => {
  const foreign = { ...stored('cache', 'uid-2', 'default') };
  const error = new NotControlledError(foreign, { kind: 'Memcached', key: 'default/cache' });
  assert.ok(isNotControlled(error));
  assert.match(
    error.message,
    /^ConfigMap default\/cache exists and was not made by this controller; it is left alone\./,
  );
});

test('an object gets one controller, and keeps its other owners', () => {
  const owner = stored('a', 'uid-1', 'default');
  const other = { ...controllerReference(ConfigMap, stored('b', 'uid-2', 'default')), controller: false };
  const object = { kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default', ownerReferences: [other] } };

  const controlled = withController(object, ConfigMap, owner);
  assert.deepEqual(controlled.metadata.ownerReferences, [other, controllerReference(ConfigMap, owner)]);
  assert.deepEqual(object.metadata.ownerReferences, [other]);
  assert.equal(withController(controlled, ConfigMap, owner), controlled);

  const promoted = withController(object, ConfigMap, stored('b', 'uid-2', 'default'));
  assert.deepEqual(promoted.metadata.ownerReferences, [{ ...other, controller: true }]);
});

test('a second controller is refused, be it the same name with another uid, and so is an owner from elsewhere', () => {
  const owner = stored('a', 'uid-1', 'default');
  const object = { metadata: { generateName: 'x-', namespace: 'default' } };
  const controlled = withController(object, ConfigMap, owner);
  for (const second of [stored('b', 'uid-2', 'default'), stored('a', 'uid-1b', 'default'), stored('node', 'uid-3')]) {
    assert.throws(
      () => withController(controlled, ConfigMap, second),
      (error) => {
        assert.ok(isNotControlled(error));
        assert.equal(error.controller?.uid, 'uid-1');
        return true;
      },
    );
  }
  assert.throws(() => withController(object, ConfigMap, stored('a', 'uid-1', 'other')), {
    name: 'TypeError',
    message: /^ConfigMap other\/a cannot own object x-… in namespace default: /,
  });
  const byNode = withController(object, ConfigMap, stored('node', 'uid-3'));
  assert.equal(controllerOf(byNode)?.uid, 'uid-3', 'a cluster-scoped owner may own anything');
});

test('a reference to the owner in another version stays while that is served, and no longer', () => {
  const owner = stored('a', 'uid-1', 'default');
  const kind = (served: readonly string[]) => ({
    ...ConfigMap,
    group: 'a.example.com',
    conversion: { versions: ['v1', 'v1beta1'], served, convert: () => ({}) },
  });
  const made = (served: readonly string[], uid = owner.metadata.uid) => {
    const reference = { ...controllerReference(ConfigMap, owner), uid, apiVersion: 'a.example.com/v1beta1' };
    return controllerReference(kind(served), owner, { metadata: { ownerReferences: [reference] } }).apiVersion;
  };
  assert.equal(made(['v1', 'v1beta1']), 'a.example.com/v1beta1');
  assert.equal(made(['v1']), 'a.example.com/v1');
  assert.equal(made(['v1', 'v1beta1'], 'of-another'), 'a.example.com/v1');
});
