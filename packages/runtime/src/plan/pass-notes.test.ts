import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Pod } from '@keelson/core/v1';
import { ownWriteOf, PassNotes } from './pass-notes.ts';

const path = '/apis/apps/v1/namespaces/x/deployments/a';

const object = (metadata: object = {}, more: object = {}): KubernetesObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'x', uid: 'u', ...metadata },
    ...more,
  }) as never;

test('writes to one object are one change, from its first state to its last', () => {
  const [one, two, three] = [object(), object({ labels: { a: '1' } }), object({ labels: { a: '2' } })];
  const going = object({ deletionTimestamp: 't', finalizers: ['f'] });
  const head = { group: 'apps', kind: 'Deployment', key: 'x/a' };
  type State = KubernetesObject | undefined;
  const cases: readonly (readonly [name: string, states: readonly State[], type?: string])[] = [
    ['made', [undefined, one], 'create'],
    ['made and changed', [undefined, one, two], 'create'],
    ['changed twice', [one, two, three], 'change'],
    ['changed and back', [one, two, one]],
    ['changed by the server alone', [one, object({ resourceVersion: '7' })]],
    ['deleted', [one, undefined], 'delete'],
    ['deleted and kept by a finalizer', [object({ finalizers: ['f'] }), going], 'delete'],
    ['deleted before, and changed', [going, object({ deletionTimestamp: 't', finalizers: [] })], 'change'],
    ['deleted before, and let go', [going, undefined], 'delete'],
    ['made and deleted', [undefined, one, undefined]],
    ['deleted and made', [one, undefined, two], 'change'],
  ];
  for (const [name, states, type] of cases) {
    const notes = new PassNotes();
    for (const [i, after] of states.slice(1).entries()) notes.wrote({ path, before: states[i], after });
    const changes = type === undefined ? [] : [{ type, ...head, before: states[0], after: states.at(-1) }];
    assert.deepEqual(notes.report().changes, changes, name);
  }
});

test('what was looked at and not changed is told once, and told from a namesake of another group', () => {
  const notes = new PassNotes();
  for (const apiVersion of ['apps/v1', 'apps/v1', 'v1', 'other.example/v1']) notes.look(object({}, { apiVersion }));
  notes.wrote({ path, before: object(), after: object({ labels: { a: '1' } }) });
  const { unchanged } = notes.report();
  assert.deepEqual(unchanged, [
    { group: '', kind: 'Deployment', key: 'x/a' },
    { group: 'other.example', kind: 'Deployment', key: 'x/a' },
  ]);
});

test('what is applied is noted and given back; what is removed is passed on', async () => {
  const calls: unknown[] = [];
  const applied = object();
  const call =
    (name: string, result?: unknown) =>
    async (...args: readonly unknown[]) => {
      calls.push([name, ...args]);
      return result;
    };
  const notes = new PassNotes();
  const owned = notes.owned({ apply: call('apply', applied), absent: call('absent'), only: call('only') } as never);
  const options = { shared: ['spec.replicas'] };
  assert.equal(await owned.apply(Deployment, { metadata: { name: 'a' } } as never, options), applied);
  await owned.absent(Deployment, 'b');
  await owned.only(Deployment, ['c']);
  assert.deepEqual(calls, [
    ['apply', Deployment, { metadata: { name: 'a' } }, options],
    ['absent', Deployment, 'b'],
    ['only', Deployment, ['c']],
  ]);
  assert.deepEqual(notes.report().unchanged, [{ group: 'apps', kind: 'Deployment', key: 'x/a' }]);
  notes.recorder().event(applied, { type: 'Normal', reason: 'Seen', message: 'here' });
  assert.deepEqual(notes.report().events, [{ type: 'Normal', reason: 'Seen', message: 'here' }]);
});

test('the caches are told of each planned state, in a copy of their own', () => {
  const [before, after] = [object(), object({ labels: {} })];
  const stored = ownWriteOf([Pod, Deployment], { path, before, after });
  assert.deepEqual(stored, { type: 'stored', kind: Deployment, object: after });
  if (stored?.type === 'stored') assert.notEqual(stored.object, after);
  const gone = { path, before, after: undefined };
  assert.deepEqual(ownWriteOf([Deployment], gone), { type: 'deleted', kind: Deployment, key: 'x/a', uid: 'u' });
  assert.equal(ownWriteOf([Deployment], { path, before: undefined, after: undefined }), undefined);
  for (const other of [{ group: 'other' }, { version: 'v2' }, { resource: 'things' }])
    assert.equal(ownWriteOf([{ ...Deployment, ...other }], gone), undefined);
});
