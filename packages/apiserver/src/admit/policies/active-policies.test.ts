import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '../../object.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Write } from '../../resource/write.ts';
import { Store } from '../../store/store.ts';
import { ActivePolicies } from './active-policies.ts';
import type { Binding, Policy } from './policy.ts';

const group = 'admissionregistration.k8s.io';
const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];

function policies() {
  const store = new Store();
  const compiled: string[] = [];
  const active = new ActivePolicies<Policy, Binding, string>(store, 'validating', ({ metadata }) => {
    const name = `${metadata.name} ${metadata.generation}`;
    compiled.push(name);
    return name;
  });
  const put = (plural: string, name: string, generation: number, spec: object, more: object = {}) => {
    const collection = store.collection(`${plural}.${group}`);
    const object = {
      apiVersion: `${group}/v1`,
      kind: 'Kind',
      metadata: { name, uid: name, generation },
      spec,
      ...more,
    };
    const existing = collection.get(name);
    if (existing === undefined) store.create(collection, name, object as ApiObject);
    else store.update(collection, existing, object as ApiObject);
  };
  return {
    store,
    active,
    compiled,
    policy: (name: string, generation = 1, more: object = {}) =>
      put('validatingadmissionpolicies', name, generation, { matchConstraints: { resourceRules } }, more),
    binding: (name: string, policyName: string) => put('validatingadmissionpolicybindings', name, 1, { policyName }),
  };
}

const write = (resource: string, ofGroup = ''): Write =>
  ({ resource: { group: ofGroup, version: 'v1', resource } as Resource, subresource: '' }) as Write;

test('a policy is in force with its binding, and in the order of names', () => {
  const { active, policy, binding } = policies();
  policy('b');
  policy('a');
  assert.deepEqual(active.all(), []);
  binding('x', 'b');
  binding('y', 'a');
  binding('z', 'a');
  binding('lost', 'none');
  assert.deepEqual(
    active.all().map((each) => [each.compiled, each.bindings.map(({ binding: { metadata } }) => metadata.name)]),
    [
      ['a 1', ['y', 'z']],
      ['b 1', ['x']],
    ],
  );
});

test('a policy is compiled once for each generation, whatever else changes', () => {
  const { active, compiled, policy, binding } = policies();
  policy('a');
  binding('x', 'a');
  active.all();
  const before = active.all();
  assert.equal(active.all(), before);
  policy('a', 1, { status: { observedGeneration: 1 } });
  binding('y', 'a');
  active.all();
  assert.deepEqual(compiled, ['a 1']);
  policy('a', 2);
  active.all();
  assert.deepEqual(compiled, ['a 1', 'a 2']);
});

test('a write that no policy can be about is not waited for', () => {
  const { active, policy, binding } = policies();
  assert.equal(active.handles(write('configmaps'), 'CREATE'), false);
  assert.equal(active.all(), active.all(), 'nothing is made anew where there is nothing');
  policy('a');
  binding('x', 'a');
  assert.equal(active.handles(write('configmaps'), 'CREATE'), true);
  assert.equal(active.handles(write('configmaps'), 'DELETE'), false);
  assert.equal(active.handles(write('secrets'), 'CREATE'), false);
  assert.equal(active.handles(write('validatingadmissionpolicies', group), 'CREATE'), false);
});
