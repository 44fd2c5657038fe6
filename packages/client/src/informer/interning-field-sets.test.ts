import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interningFieldSets } from './interning-field-sets.ts';

const spec = () => ({ 'f:replicas': {}, 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': {} } } } });
const labels = () => ({ 'f:labels': { 'f:app': {} } });
const owners = (uid: string) => ({ 'f:ownerReferences': { [`k:{"uid":"${uid}"}`]: {} } });
const owned = (uid: string) => ({ 'f:metadata': { ...labels(), ...owners(uid) }, 'f:spec': spec() });

test('equal sets are one', () => {
  const intern = interningFieldSets();
  const set = intern({ 'f:metadata': labels(), 'f:spec': spec() });
  assert.equal(intern({ 'f:metadata': labels(), 'f:spec': spec() }), set);
  assert.deepEqual(set, { 'f:metadata': labels(), 'f:spec': spec() });
  assert.notEqual(intern({ 'f:spec': spec() }), set);
});

test('of sets that name their owners, all but these names is one', () => {
  const intern = interningFieldSets();
  const [a, b] = ['u', 'v'].map((uid) => intern(owned(uid)) as ReturnType<typeof owned>);
  assert.deepEqual([a, b], [owned('u'), owned('v')]);
  assert.equal(a?.['f:spec'], b?.['f:spec']);
  assert.equal(a?.['f:metadata']['f:labels'], b?.['f:metadata']['f:labels']);
});

test('however many owners there are, the parts beside their names stay known', () => {
  const intern = interningFieldSets();
  const first = intern(owned('u')) as ReturnType<typeof owned>;
  for (let i = 0; i < 2000; i++) intern(owned(`u${i}`));
  assert.equal((intern(owned('v')) as ReturnType<typeof owned>)['f:spec'], first['f:spec']);
});

test('what came is left as it was, and no part of it is kept', () => {
  const came = [owned('u'), { 'f:spec': spec() }];
  const before = structuredClone(came);
  const kept = came.map(interningFieldSets());
  assert.deepEqual(came, before);
  assert.deepEqual(kept, before);
  const parts = partsOf(came);
  for (const part of partsOf(kept)) assert.ok(!parts.has(part), JSON.stringify(part));
});

test('sets that hold names are not kept for ever', () => {
  const intern = interningFieldSets();
  const first = intern({ 'f:data': { 'f:0': {} } });
  for (let i = 1; i <= 1000; i++) intern({ 'f:data': { [`f:${i}`]: {} } });
  assert.notEqual(intern({ 'f:data': { 'f:0': {} } }), first);
});

/** All objects in a value. */
function partsOf(value: unknown, found = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof value !== 'object' || value === null) return found;
  found.add(value);
  for (const part of Object.values(value)) partsOf(part, found);
  return found;
}
