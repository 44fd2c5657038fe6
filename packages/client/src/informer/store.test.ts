import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type KubernetesObject, keyOf } from '@keelson/core';
import fc from 'fast-check';
import { ObjectStore } from './store.ts';

interface Thing extends KubernetesObject {
  readonly color?: string;
}

interface ThingInput {
  readonly name?: string;
  readonly uid?: string;
  readonly color?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

function thing(
  resourceVersion: number,
  { name = 'a', uid = 'u1', color, namespace = 'x', labels }: ThingInput = {},
): Thing {
  const metadata = { name, namespace, uid, labels, resourceVersion: String(resourceVersion), creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Thing', metadata, ...(color === undefined ? {} : { color }) };
}

function newStore(errors: Error[] = []) {
  return new ObjectStore<Thing>({
    admits: ({ metadata }) => metadata.namespace === 'x' && metadata.labels?.out === undefined,
    prepare: (object) => object,
    onError: (error) => errors.push(error),
  });
}

function syncedStore(...objects: Thing[]) {
  const store = newStore();
  relist(store, objects, '100');
  return store;
}

/** What a complete list means. */
function relist(store: ObjectStore<Thing>, objects: readonly Thing[], resourceVersion: string) {
  return store.replace(new Map(objects.map((object) => [keyOf(object), object])), resourceVersion);
}

const versionOf = (store: ObjectStore<Thing>, key = 'x/a') => store.get(key)?.metadata.resourceVersion;

describe('a store', () => {
  test('gives back the stored object itself', () => {
    const object = thing(5);
    const store = syncedStore(object);
    assert.equal(store.get('x/a'), object);
    assert.equal(store.list()[0], object);
    assert.equal(store.get('x/b'), undefined);
    assert.equal(store.size, 1);
    assert.equal(store.resourceVersion, '100');
  });

  test('makes an array once, and leaves those who have it alone', () => {
    const store = syncedStore(thing(5), thing(6, { name: 'b', namespace: 'y' }));
    store.addIndex('name', ({ metadata }) => [metadata.name]);
    for (const read of [() => store.list(), () => store.list({ namespace: 'x' }), () => store.byIndex('name', 'a')]) {
      const before = read();
      assert.equal(read(), before);
      const [length, first] = [before.length, before[0]];
      store.deliver(thing(Number(store.resourceVersion) + 1));
      assert.notEqual(read(), before);
      assert.equal(read().length, length);
      assert.notEqual(read()[0], first);
      assert.equal(before[0], first);
      assert.throws(() => (before as Thing[]).push(thing(1)), TypeError);
    }
    const inOther = store.list({ namespace: 'y' });
    store.deliver(thing(Number(store.resourceVersion) + 1));
    assert.equal(store.list({ namespace: 'y' }), inOther, 'a change elsewhere does not concern it');
  });

  test('lists by namespace and labels', () => {
    const store = syncedStore(
      thing(1, { name: 'a', labels: { app: 'web' } }),
      thing(2, { name: 'b' }),
      thing(3, { name: 'c', namespace: 'y', labels: { app: 'web' } }),
    );
    const names = (selection: Parameters<typeof store.list>[0]) =>
      store.list(selection).map(({ metadata }) => metadata.name);
    assert.deepEqual(names({}), ['a', 'b', 'c']);
    assert.deepEqual(names({ namespace: 'x' }), ['a', 'b']);
    assert.deepEqual(names({ labels: { app: 'web' } }), ['a', 'c']);
    assert.deepEqual(names({ namespace: 'y', labels: 'app in (web, api)' }), ['c']);
    assert.deepEqual(names({ namespace: 'z' }), []);
  });

  test('lists by a label that is indexed without a look at the objects that have another value', () => {
    const store = syncedStore(
      thing(1, { name: 'a', labels: { app: 'web', tier: 'one' } }),
      thing(2, { name: 'b', labels: { app: 'web', tier: 'two' } }),
      thing(3, { name: 'c', namespace: 'y', labels: { app: 'web' } }),
      thing(4, { name: 'd' }),
    );
    store.indexLabel('app');
    store.indexLabel('app');
    const other = thing(5, { name: 'e', labels: { app: 'batch' } });
    let looks = 0;
    const labels = new Proxy(other.metadata.labels ?? {}, {
      has: () => true,
      get: (_, name) => ++looks && `${String(name)}`,
    });
    store.deliver({ ...other, metadata: { ...other.metadata, labels } });
    const before = looks;
    const names = (selection: Parameters<typeof store.list>[0]) =>
      store.list(selection).map((each) => each.metadata.name);
    assert.deepEqual(names({ labels: { app: 'web' } }), ['a', 'b', 'c']);
    assert.deepEqual(names({ namespace: 'x', labels: { app: 'web' } }), ['a', 'b']);
    assert.deepEqual(names({ namespace: 'x', labels: 'tier=two,app=web' }), ['b']);
    assert.deepEqual(names({ labels: { app: 'none' } }), []);
    assert.equal(looks, before);
    assert.deepEqual(names({ labels: 'app in (web,batch),tier=one' }), ['a']);
    store.deliver(thing(6, { name: 'a', labels: { app: 'batch' } }));
    assert.deepEqual(names({ labels: { app: 'web' } }), ['b', 'c']);
  });

  test('finds objects by index, also those that were there before it', () => {
    const store = syncedStore(thing(1, { color: 'red' }));
    const byColor = ({ color }: Thing) => (color === undefined ? [] : [color]);
    store.addIndex('color', byColor);
    store.addIndex('color', byColor);
    assert.equal(store.byIndex('color', 'red').length, 1);
    store.deliver(thing(101, { color: 'blue' }));
    store.deliver(thing(102, { name: 'b', uid: 'u2', color: 'blue' }));
    assert.equal(store.byIndex('color', 'red').length, 0);
    assert.equal(store.byIndex('color', 'blue').length, 2);
    store.deliverDeleted(thing(103, { color: 'blue' }));
    assert.deepEqual(
      store.byIndex('color', 'blue').map(({ metadata }) => metadata.name),
      ['b'],
    );
    assert.throws(() => store.addIndex('color', () => []), TypeError);
    assert.throws(() => store.byIndex('colour', 'red'), new TypeError('there is no index "colour"; there are color'));
  });

  test('reports an index function that throws or returns no array, and keeps the object', () => {
    const errors: Error[] = [];
    const store = newStore(errors);
    store.addIndex('broken', () => {
      throw new Error('no');
    });
    store.addIndex('careless', (() => undefined) as unknown as () => string[]);
    store.addIndex('fine', ({ metadata }) => [metadata.name, metadata.name]);
    relist(store, [thing(1)], '1');
    assert.equal(store.size, 1);
    assert.equal(store.byIndex('fine', 'a').length, 1);
    assert.deepEqual(store.byIndex('broken', ''), []);
    assert.deepEqual(
      errors.map(({ message }) => message),
      ['no', 'an index function must return an array of strings'],
    );
    store.deliverDeleted(thing(2));
    assert.equal(store.byIndex('fine', 'a').length, 0);
  });
});

describe('what the watch delivers', () => {
  test('is told as added, updated, deleted', () => {
    const store = syncedStore();
    const [first, second, last] = [thing(101), thing(102), thing(103)];
    assert.deepEqual(store.deliver(first), [{ type: 'added', object: first }]);
    assert.deepEqual(store.deliver(second), [{ type: 'updated', object: second, previous: first }]);
    assert.deepEqual(store.deliverDeleted(last), [{ type: 'deleted', object: last, missed: false }]);
    assert.deepEqual(store.deliverDeleted(last), []);
    assert.equal(store.resourceVersion, '103');
  });

  test('is ignored when it is old, however the numbers are spelled', () => {
    const store = syncedStore();
    store.deliver(thing(1000));
    assert.deepEqual(store.deliver(thing(999)), []);
    assert.deepEqual(store.deliver(thing(1000)), []);
    assert.equal(versionOf(store), '1000');
  });

  test('is ignored when it is the end of what came before, and told of the right one when it is another', () => {
    const store = syncedStore();
    store.deliver(thing(1000, { uid: 'u2' }));
    assert.deepEqual(store.deliverDeleted(thing(999)), []);
    assert.equal(versionOf(store), '1000');
    const told = store.deliverDeleted(thing(1002, { uid: 'u3' }));
    assert.deepEqual(
      told.map((each) => [each.type, each.object.metadata.uid, 'missed' in each && each.missed]),
      [['deleted', 'u2', true]],
    );
    assert.equal(store.size, 0);
  });

  test('is told anew when the server went back in time, although the resourceVersions are the same', () => {
    const store = syncedStore(thing(5, { color: 'lost' }), thing(6, { name: 'b' }));
    const told = relist(store, [thing(5, { color: 'restored' }), thing(6, { name: 'b', uid: 'other' })], '50');
    assert.deepEqual(
      told.map(({ type, object }) => `${type} ${object.metadata.name} ${object.metadata.uid}`),
      ['updated a u1', 'deleted b u1', 'added b other'],
    );
    assert.equal(store.get('x/a')?.color, 'restored');
    assert.equal(store.resourceVersion, '50');
  });

  test('is a delete and an add when the uid is another', () => {
    const store = syncedStore(thing(5));
    const successor = thing(101, { uid: 'u2' });
    assert.deepEqual(
      store.deliver(successor).map(({ type, object }) => [type, object.metadata.uid]),
      [
        ['deleted', 'u1'],
        ['added', 'u2'],
      ],
    );
  });

  test('is compared with a new list: vanished, recreated, changed, unchanged and new objects', () => {
    const unchanged = thing(2, { name: 'same' });
    const store = syncedStore(
      thing(1, { name: 'gone' }),
      unchanged,
      thing(3, { name: 'again' }),
      thing(4, { name: 'other' }),
    );
    const told = relist(
      store,
      [
        thing(2, { name: 'same' }),
        thing(203, { name: 'again', uid: 'u9' }),
        thing(204, { name: 'other' }),
        thing(205, { name: 'new' }),
      ],
      '300',
    );
    assert.deepEqual(
      told.map((each) => [
        each.type,
        each.object.metadata.name,
        each.object.metadata.uid,
        'missed' in each && each.missed,
      ]),
      [
        ['deleted', 'gone', 'u1', true],
        ['deleted', 'again', 'u1', true],
        ['added', 'again', 'u9', false],
        ['updated', 'other', 'u1', false],
        ['added', 'new', 'u1', false],
      ],
    );
    assert.equal(store.get('x/same'), unchanged, 'what did not change stays the same value');
    assert.equal(store.resourceVersion, '300');
  });
});

describe('the answer to a write', () => {
  test('is seen at once by every read, and unheard by handlers', () => {
    const store = syncedStore(thing(5, { color: 'red' }));
    store.addIndex('color', ({ color = '' }) => [color]);
    store.overlay(thing(101, { color: 'blue' }));
    store.overlay(thing(102, { name: 'b', uid: 'u2', color: 'blue' }));
    assert.equal(store.get('x/a')?.color, 'blue');
    assert.equal(store.list({ namespace: 'x' }).length, 2);
    assert.equal(store.byIndex('color', 'blue').length, 2);
    assert.equal(store.byIndex('color', 'red').length, 0);
    assert.deepEqual(
      [...store.allDelivered()].map(({ color }) => color),
      ['red'],
    );
    const [told] = store.deliver(thing(101, { color: 'blue' }));
    assert.equal(told?.type === 'updated' && told.previous.color, 'red');
  });

  test('goes when the watch delivers it or something newer, and stays over what is older', () => {
    const store = syncedStore(thing(5));
    store.overlay(thing(105));
    store.deliver(thing(103));
    assert.equal(versionOf(store), '105');
    store.deliver(thing(105));
    assert.equal(versionOf(store), '105');
    store.deliver(thing(107));
    assert.equal(versionOf(store), '107');
  });

  test('is ignored when the watch has come that far already, also when the object is gone by then', () => {
    const store = syncedStore(thing(5));
    store.deliver(thing(101));
    store.overlay(thing(101));
    store.deliverDeleted(thing(104));
    store.overlay(thing(102));
    assert.equal(versionOf(store), undefined);
  });

  test('of an earlier write does not cover that of a later one', () => {
    const store = syncedStore();
    store.overlay(thing(110));
    store.overlay(thing(108));
    assert.equal(versionOf(store), '110');
  });

  test('goes when a bookmark shows that the watch has passed it', () => {
    const store = syncedStore();
    store.overlay(thing(105));
    store.advance('104', true);
    assert.equal(versionOf(store), '105');
    store.advance('105', true);
    assert.equal(versionOf(store), undefined);
  });

  test('outlives a list that is older, and not one that is newer', () => {
    const store = syncedStore();
    store.overlay(thing(105));
    relist(store, [], '104');
    assert.equal(versionOf(store), '105');
    relist(store, [], '106');
    assert.equal(versionOf(store), undefined);
  });

  test('is forgotten when the server went back in time, before that write', () => {
    const store = syncedStore(thing(5), thing(6, { name: 'b', uid: 'u2' }));
    store.overlay(thing(150));
    store.overlay(thing(151, { name: 'c', uid: 'u3' }));
    store.overlayDeleted('x/b', 'u2');
    relist(store, [thing(5), thing(6, { name: 'b', uid: 'u2' })], '50');
    assert.deepEqual(
      store
        .list()
        .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
        .sort(),
      ['a 5', 'b 6'],
    );
    assert.deepEqual([...store.allDelivered()].length, 2);
  });

  test('is seen before the first list, and then only if it is newer', () => {
    const store = newStore();
    store.overlay(thing(50, { name: 'old' }));
    store.overlay(thing(150, { name: 'new' }));
    assert.equal(store.size, 2);
    relist(store, [], '100');
    assert.deepEqual(
      store.list().map(({ metadata }) => metadata.name),
      ['new'],
    );
  });

  test('does not enter outside the selection, and hides what left it', () => {
    const store = syncedStore(thing(5));
    store.overlay(thing(101, { name: 'b', uid: 'u2', labels: { out: 'yes' } }));
    assert.equal(store.size, 1);
    store.overlay(thing(102, { labels: { out: 'yes' } }));
    assert.equal(store.size, 0);
    store.deliver(thing(101));
    assert.equal(store.size, 0, 'an older event does not bring it back');
    store.deliverDeleted(thing(102, { labels: { out: 'yes' } }));
    store.deliver(thing(103));
    assert.equal(store.size, 1);
  });

  test('that leaves the selection hides what the watch has yet to show of the time before', () => {
    const store = syncedStore();
    store.overlay(thing(105, { labels: { out: 'yes' } }));
    store.deliver(thing(104));
    assert.equal(store.size, 0);
    store.deliverDeleted(thing(105, { labels: { out: 'yes' } }));
    store.deliver(thing(106));
    assert.equal(store.size, 1);
  });

  test('that is outside the selection is forgotten with the next bookmark', () => {
    const store = syncedStore();
    store.overlay(thing(105, { labels: { out: 'yes' } }));
    store.advance('105', true);
    store.deliver(thing(101));
    assert.equal(store.size, 1, 'nothing is left that would hide it');
  });
});

describe('the answer to a delete', () => {
  test('hides the object until the watch reports it gone', () => {
    const store = syncedStore(thing(5));
    store.overlayDeleted('x/a', 'u1');
    assert.equal(store.size, 0);
    store.deliver(thing(101));
    assert.equal(store.size, 0);
    assert.equal(store.delivered('x/a')?.metadata.resourceVersion, '101');
    assert.deepEqual(
      store.deliverDeleted(thing(102)).map(({ type }) => type),
      ['deleted'],
    );
    store.deliver(thing(103, { uid: 'u2' }));
    assert.equal(store.size, 1);
  });

  test('hides one object and not its successor', () => {
    const store = syncedStore(thing(5));
    store.overlayDeleted('x/a', 'u1');
    store.overlay(thing(110, { uid: 'u2' }));
    assert.equal(store.get('x/a')?.metadata.uid, 'u2');
    store.deliverDeleted(thing(108));
    assert.equal(store.get('x/a')?.metadata.uid, 'u2');
    store.deliver(thing(110, { uid: 'u2' }));
    assert.equal(versionOf(store), '110');
  });

  test('does nothing about another object than the one that is shown', () => {
    const store = syncedStore(thing(5));
    store.overlayDeleted('x/a', 'u2');
    store.overlayDeleted('x/b', undefined);
    assert.equal(store.size, 1);
    store.overlayDeleted('x/a', undefined);
    assert.equal(store.size, 0);
  });

  test('of an object that the watch has yet to show hides it through its history, and not its successor', () => {
    const store = syncedStore();
    store.overlayDeleted('x/a', 'u1');
    store.deliver(thing(101));
    store.deliver(thing(102));
    assert.equal(store.size, 0);
    store.deliverDeleted(thing(103));
    store.deliver(thing(104, { uid: 'u2' }));
    assert.equal(store.get('x/a')?.metadata.uid, 'u2');
  });

  test('of an object that the watch has yet to show is forgotten by a server that went back in time', () => {
    const store = syncedStore();
    store.overlayDeleted('x/a', 'u1');
    relist(store, [thing(40)], '50');
    assert.equal(store.size, 1);
  });

  test('keeps late answers to earlier writes out', () => {
    const store = syncedStore(thing(5));
    store.overlayDeleted('x/a', 'u1');
    store.overlay(thing(101));
    assert.equal(store.size, 0);
  });

  test('of something just created is hidden through the whole of its history', () => {
    const store = syncedStore(thing(5, { uid: 'u0' }));
    store.overlay(thing(110, { uid: 'u1' }));
    store.overlayDeleted('x/a', 'u1');
    const shown: (string | undefined)[] = [];
    store.deliver(thing(105, { uid: 'u0' }));
    shown.push(versionOf(store));
    store.deliverDeleted(thing(106, { uid: 'u0' }));
    shown.push(versionOf(store));
    store.deliver(thing(110, { uid: 'u1' }));
    shown.push(versionOf(store));
    store.deliverDeleted(thing(111, { uid: 'u1' }));
    shown.push(versionOf(store));
    assert.deepEqual(shown, [undefined, undefined, undefined, undefined]);
    store.deliver(thing(112, { uid: 'u2' }));
    assert.equal(versionOf(store), '112');
  });

  test('ends with a list that no longer has the object, and not with one that still does', () => {
    const store = syncedStore(thing(5));
    store.overlayDeleted('x/a', 'u1');
    relist(store, [thing(5)], '100');
    assert.equal(store.size, 0);
    relist(store, [thing(120, { uid: 'u2' })], '130');
    assert.equal(store.size, 1);
  });

  test('outlives a list from before the object was made, whatever that has under the key', () => {
    for (const before of [[], [thing(5, { uid: 'u0' })]]) {
      const store = syncedStore(...before);
      store.overlay(thing(110));
      store.overlayDeleted('x/a', 'u1');
      relist(store, before, '105');
      assert.equal(store.size, 0);
      store.deliver(thing(110));
      assert.equal(store.size, 0);
      store.deliverDeleted(thing(111));
      store.deliver(thing(112, { uid: 'u2' }));
      assert.equal(store.size, 1);
    }
  });
});

/**
 * A server with one key and one writer (us): its history is a list of states, and the watch may lag behind by any amount.
 * Whatever the watch has delivered, a read must show the newest state: everything was written by us.
 */
const action = fc.constantFrom('write', 'delete', 'watch', 'watch', 'bookmark', 'relist', 'relist of the past');

test('whatever the watch has delivered, our own last write is what reads show', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const store = newStore();
      let revision = 100;
      relist(store, [], String(revision));
      const history: { readonly object: Thing; readonly isDeleted: boolean }[] = [];
      let delivered = 0;
      let uids = 0;
      let live: Thing | undefined;
      for (const each of actions) {
        if (each === 'write') {
          revision += 1;
          live = thing(revision, { uid: live?.metadata.uid ?? `u${++uids}` });
          history.push({ object: live, isDeleted: false });
          store.overlay(live);
        } else if (each === 'delete' && live) {
          revision += 1;
          const { uid } = live.metadata;
          history.push({ object: thing(revision, { uid }), isDeleted: true });
          live = undefined;
          store.overlayDeleted('x/a', uid);
        } else if (each === 'watch' && delivered < history.length) {
          const next = history[delivered++] as (typeof history)[number];
          if (next.isDeleted) store.deliverDeleted(next.object);
          else store.deliver(next.object);
        } else if (each === 'bookmark') {
          store.advance(String(100 + delivered), true);
        } else if (each === 'relist') {
          delivered = history.length;
          relist(store, live ? [live] : [], String(revision));
        } else if (each === 'relist of the past' && delivered < history.length) {
          const { object, isDeleted } = history[delivered++] as (typeof history)[number];
          relist(store, isDeleted ? [] : [object], object.metadata.resourceVersion);
        }
        assert.equal(versionOf(store), live?.metadata.resourceVersion);
        assert.equal(store.list({ namespace: 'x' }).length, live ? 1 : 0);
      }
      // Once the watch has caught up, nothing of the overlays is left: the store shows what was delivered.
      for (const { object, isDeleted } of history.slice(delivered)) {
        if (isDeleted) store.deliverDeleted(object);
        else store.deliver(object);
      }
      assert.equal(versionOf(store), live?.metadata.resourceVersion);
      assert.equal(store.delivered('x/a'), store.get('x/a'));
    }),
    { numRuns: 500 },
  );
});

test('an index lists objects in the order in which they came while their values stay the same', () => {
  const store = syncedStore(thing(1, { name: 'a' }), thing(2, { name: 'b' }), thing(3, { name: 'c' }));
  store.addIndex('color', ({ color }) => (color === undefined ? [] : [color]));
  store.deliver(thing(101, { name: 'a', labels: { new: '' } }));
  const names = () => store.list({ namespace: 'x' }).map(({ metadata }) => metadata.name);
  assert.deepEqual(names(), ['a', 'b', 'c']);
  assert.equal(store.list({ namespace: 'x' })[0]?.metadata.resourceVersion, '101');
  store.deliver(thing(102, { name: 'b', color: 'red' }));
  store.deliver(thing(103, { name: 'b', color: 'blue' }));
  assert.deepEqual(store.byIndex('color', 'red'), []);
  assert.equal(store.byIndex('color', 'blue')[0]?.metadata.resourceVersion, '103');
});

test('an index finds an object under the values that it has now, however few of them changed', () => {
  const store = syncedStore(thing(1, { color: 'red blue' }));
  store.addIndex('color', ({ color = '' }) => color.split(' '));
  const found = (color: string) => store.byIndex('color', color).length;
  store.deliver(thing(101, { color: 'red green' }));
  assert.deepEqual(['red', 'blue', 'green'].map(found), [1, 0, 1]);
  store.deliver(thing(102, { color: 'red green white' }));
  assert.deepEqual(['red', 'green', 'white'].map(found), [1, 1, 1]);
  store.deliver(thing(103, { color: 'red' }));
  assert.deepEqual(['red', 'green', 'white'].map(found), [1, 0, 0]);
});
