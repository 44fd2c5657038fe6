import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '../object.ts';
import { compacted, withPrefix } from './collection.ts';
import type { Revision } from './revision.ts';
import { Store } from './store.ts';

const object = (name: string, value = 0): ApiObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name }, value });
const keys = (list: readonly Revision[]) => list.map(({ key }) => key);
const values = (list: readonly Revision[] | typeof compacted) =>
  list === compacted ? 'compacted' : list.map(({ key, object: { value } }) => `${key}=${value}`);

function exists(revision: Revision | undefined): Revision {
  assert.ok(revision);
  return revision;
}

test('one counter numbers the writes of all collections', () => {
  const store = new Store();
  const first = store.create(store.collection('a'), 'x', object('x'));
  const second = store.create(store.collection('b'), 'x', object('x'));
  assert.equal(second.number, first.number + 1);
  assert.equal(second.object.metadata.resourceVersion, String(second.number));
});

test('a write that changes nothing has no number and is not told', () => {
  const store = new Store();
  const things = store.collection('things');
  const created = store.create(things, 'x', object('x', 1));
  const told: string[] = [];
  store.listen((_, { type }) => told.push(type));
  assert.equal(store.update(things, created, { ...object('x', 1) }), created);
  assert.equal(store.revision, created.number);
  assert.deepEqual(told, []);
});

test('what is stored cannot be changed afterwards', () => {
  const store = new Store();
  const { object: stored } = store.create(store.collection('a'), 'x', { ...object('x'), spec: { list: [{}] } });
  assert.ok(
    Object.isFrozen(stored) &&
      Object.isFrozen(stored.metadata) &&
      Object.isFrozen((stored.spec as { list: unknown[] }).list[0]),
  );
});

test('lists are in the order of the keys as bytes, in which a dash comes before a slash', () => {
  const store = new Store();
  const things = store.collection('things');
  for (const key of ['b/a', 'a/b', 'a-b/a', 'a/a']) store.create(things, key, object(key));
  assert.deepEqual(keys(things.list()), ['a-b/a', 'a/a', 'a/b', 'b/a']);
  assert.deepEqual(keys(withPrefix(things.list(), 'a/')), ['a/a', 'a/b']);
  assert.deepEqual(keys(withPrefix(things.list(), 'c/')), []);
});

test('a list once handed out does not change', () => {
  const store = new Store();
  const things = store.collection('things');
  store.create(things, 'a', object('a'));
  const list = things.list();
  store.create(things, 'b', object('b'));
  assert.deepEqual(keys(list), ['a']);
  assert.deepEqual(keys(things.list()), ['a', 'b']);
});

test('every past state can be had until it is compacted', () => {
  const store = new Store();
  const things = store.collection('things');
  const states: [number, unknown][] = [];
  const remember = () => states.push([store.revision, values(things.list())]);
  remember();
  const a = store.create(things, 'a', object('a', 1));
  remember();
  store.create(things, 'b', object('b', 1));
  remember();
  const changed = store.update(things, a, object('a', 2));
  remember();
  store.delete(things, exists(things.get('b')));
  remember();
  store.delete(things, changed);
  remember();
  store.create(things, 'a', object('a', 3));
  remember();
  for (const [revision, expected] of states) assert.deepEqual(values(things.listAt(revision)), expected);
  store.compact();
  for (const [revision] of states.slice(0, -1)) assert.equal(things.listAt(revision), compacted);
  assert.deepEqual(values(things.listAt(store.revision)), ['a=3']);
});

test('changes are kept in order, and only as many as asked for', () => {
  const store = new Store({ history: 3 });
  const things = store.collection('things');
  const begun = store.revision;
  let last = store.create(things, 'a', object('a', 0));
  for (let value = 1; value <= 10; value += 1) last = store.update(things, last, object('a', value));
  assert.equal(things.changesAfter(begun), compacted);
  const recent = things.changesAfter(last.number - 3);
  assert.ok(recent !== compacted);
  assert.deepEqual(
    recent.map(({ revision }) => revision.object.value),
    [8, 9, 10],
  );
});

test('a listener that writes is heard after the change that it heard of', () => {
  const store = new Store();
  const things = store.collection('things');
  const told: string[] = [];
  store.listen((_, { revision }) => {
    if (revision.key === 'a') store.create(things, 'b', object('b'));
  });
  store.listen((_, { revision }) => told.push(revision.key));
  store.create(things, 'a', object('a'));
  assert.deepEqual(told, ['a', 'b']);
});

test('bytes are made once for each form', () => {
  const store = new Store();
  const revision = store.create(store.collection('a'), 'x', object('x'));
  let made = 0;
  const other = (shown: ApiObject) => {
    made += 1;
    return { ...shown, value: made };
  };
  assert.equal(
    revision.encoded('other', other).toString(),
    '{"kind":"Thing","apiVersion":"v1","metadata":{"name":"x","resourceVersion":"2"},"value":1}',
  );
  assert.equal(revision.encoded('other', other), revision.encoded('other', other));
  const same = (shown: ApiObject) => shown;
  assert.equal(revision.encoded('json', same), revision.encoded('json', same));
  assert.equal(made, 1);
});

/** In a store that holds one object as such, all but the last one are held by their bytes. */
function cooled(first: ApiObject): Revision {
  const store = new Store({ recent: 1 });
  const things = store.collection('things');
  const revision = store.create(things, 'here/first', first);
  for (const key of ['here/second', 'here/third']) store.create(things, key, object(key));
  return revision;
}

test('an object that was not used for a while is parsed again, and is what it was', () => {
  const first = { ...object('first'), spec: { list: [{ text: '\u00e4\u{1f680}\ud800', n: 0.1 }], none: null } };
  const revision = cooled(first);
  const again = revision.object;
  assert.notEqual(again.spec, first.spec);
  assert.deepEqual(again, { ...first, metadata: { name: 'first', resourceVersion: '2' } });
  assert.ok(Object.isFrozen(again.spec));
  assert.equal(revision.object, again);
});

test('an object of 10,000 levels can be parsed again', () => {
  let deep: unknown = 'bottom';
  for (let level = 0; level < 10_000; level += 1) deep = { deep };
  const revision = cooled({ ...object('first'), deep });
  let found: unknown = revision.object.deep;
  while (typeof found === 'object') found = (found as { deep: unknown }).deep;
  assert.equal(found, 'bottom');
});

test('to select by labels, name and namespace, and to send the bytes, no object is parsed', (t) => {
  const labels = { app: 'shop' };
  const revision = cooled({ ...object('first'), metadata: { name: 'first', labels } });
  const bytes = revision.encoded('json', (shown) => shown);
  for (let index = 0; index < 2; index += 1) revision.cool();
  const parse = t.mock.method(JSON, 'parse');
  assert.deepEqual(revision.labels, labels);
  assert.deepEqual([revision.namespace, revision.name], ['here', 'first']);
  assert.equal(
    revision.encoded('json', (shown) => shown),
    bytes,
  );
  assert.equal(parse.mock.callCount(), 0);
  assert.equal(revision.object.metadata.name, 'first');
  assert.equal(parse.mock.callCount(), 1);
});

test('a past state is as it was, though the present one has cooled', () => {
  const store = new Store({ recent: 1 });
  const things = store.collection('things');
  const first = store.create(things, 'a', object('a', 1));
  store.create(things, 'b', object('b', 1));
  store.update(things, first, object('a', 2));
  for (const key of ['c', 'd']) store.create(things, key, object(key, 1));
  assert.deepEqual(values(things.listAt(first.number + 1)), ['a=1', 'b=1']);
  assert.deepEqual(values(things.list()), ['a=2', 'b=1', 'c=1', 'd=1']);
});
