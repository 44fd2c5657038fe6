import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { metadataOf } from '@keelson/core';
import { nextTurn } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import {
  connect,
  createClient,
  createInformer,
  createSharedInformers,
  type InformerEvent,
  type InformerOptions,
  type OwnInformer,
} from '../src/index.ts';
import { heapAfterCollection } from './heap.ts';
import { ManualClock, steadyRandom } from './manual-clock.ts';
import { runInformer } from './run-informer.ts';
import { configMap, failure, ScriptedCollection } from './scripted-collection.ts';
import { configFor, sendJson } from './scripted-server.ts';
import { until } from './until.ts';

interface Watching extends AsyncDisposable {
  readonly collection: ScriptedCollection;
  readonly informer: OwnInformer<ConfigMap>;
  readonly clock: ManualClock;
  readonly errors: Error[];
  /** What the first handler heard: `added a=1`. */
  readonly heard: string[];
  readonly controller: AbortController;
  readonly stopped: Promise<void>;
}

const tell = (event: InformerEvent<ConfigMap>): string => {
  const { type, object } = event;
  const change = type === 'updated' ? `${event.previous.data?.value}>` : '';
  const more =
    (type === 'deleted' && event.missed && ' missed') || (type === 'added' && event.initial && ' initial') || '';
  return `${type} ${object.metadata.name}=${change}${object.data?.value}${more}`;
};

async function watching(
  prepare: (collection: ScriptedCollection) => void = () => {},
  options: InformerOptions<ConfigMap> = {},
): Promise<Watching> {
  const collection = await ScriptedCollection.start();
  prepare(collection);
  const clock = new ManualClock();
  // Rests are the test's to end; connections are made in the time that they take.
  const transport = connect(configFor(collection.server.url), options.gatherMs === undefined ? {} : { clock });
  const random = steadyRandom(0);
  const errors: Error[] = [];
  const heard: string[] = [];
  const client = createClient({ transport, clock, random });
  const informer = createInformer(client, ConfigMap, {
    clock,
    random,
    onError: (error) => errors.push(error),
    ...options,
  });
  informer.subscribe((event) => heard.push(tell(event)));
  const controller = new AbortController();
  const stopped = informer.start(controller.signal);
  return {
    collection,
    informer,
    clock,
    errors,
    heard,
    controller,
    stopped,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await stopped;
      await transport[Symbol.asyncDispose]();
      await collection[Symbol.asyncDispose]();
    },
  };
}

const three = (collection: ScriptedCollection) => {
  for (const name of ['a', 'b', 'c']) collection.set(name, '1');
};

/** Lets the reflector wait out its backoff, as soon as it waits. */
async function waitOut({ informer, clock }: Watching): Promise<void> {
  await until(() => informer.health.phase === 'waiting');
  await clock.advance(clock.nextInMs ?? assert.fail('nobody waits'));
}

/** Ends the present watch, and returns when it is gone. Another may be open by then. */
async function endWatch({ collection }: Watching): Promise<void> {
  const [watch] = collection.watches;
  assert.ok(watch);
  collection.endWatches();
  await until(() => !collection.watches.has(watch));
}

describe('an informer', () => {
  for (const canStreamLists of [true, false]) {
    describe(canStreamLists ? 'on a server that streams lists' : 'on a server that lists in pages', () => {
      const prepare = (collection: ScriptedCollection) => {
        collection.canStreamLists = canStreamLists;
        three(collection);
      };

      test('shows what is there, then what happens', async () => {
        await using given = await watching(prepare, { pageSize: 2 });
        const { informer, collection, heard } = given;
        await informer.synced;
        assert.deepEqual(heard.splice(0), ['added a=1 initial', 'added b=1 initial', 'added c=1 initial']);
        assert.equal(informer.store.size, 3);
        await until(() => collection.watches.size === 1);
        collection.set('d', '1');
        collection.set('a', '2');
        collection.delete('b');
        await until(() => heard.length === 3);
        assert.deepEqual(heard, ['added d=1', 'updated a=1>2', 'deleted b=1']);
        assert.deepEqual(
          informer.store.list().map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`),
          ['v1 ConfigMap a', 'v1 ConfigMap c', 'v1 ConfigMap d'],
        );
        assert.equal(informer.store.get('x/a')?.metadata.managedFields, undefined);
        assert.deepEqual(given.errors, []);
      });

      test('resumes where a watch ended, without a new list', async () => {
        await using given = await watching(prepare);
        const { informer, collection, heard, clock } = given;
        await informer.synced;
        await until(() => collection.watches.size === 1);
        collection.bookmark();
        collection.set('a', '2');
        await until(() => heard.length === 4);
        await clock.advance(1000); // a watch that ends at once would be taken for a failure
        await endWatch(given);
        collection.set('a', '3');
        await until(() => heard.length === 5);
        assert.equal(heard.at(-1), 'updated a=2>3');
        const last = new URL(collection.server.requests.at(-1)?.path ?? '', collection.server.url).searchParams;
        assert.equal(last.get('resourceVersion'), '104');
        assert.equal(last.has('sendInitialEvents'), false);
        assert.deepEqual(given.errors, []);
      });

      test('lists again when history is lost, and tells what it missed', async () => {
        await using given = await watching(prepare);
        const { informer, collection, heard, errors } = given;
        await informer.synced;
        await until(() => collection.watches.size === 1);
        heard.length = 0;
        collection.cutWatches();
        await until(() => informer.health.phase === 'waiting');
        collection.set('a', '2');
        collection.delete('b');
        collection.delete('c');
        collection.set('c', 'new');
        collection.set('d', '1');
        collection.compact();
        await waitOut(given); // the broken connection
        await until(() => errors.length === 2);
        await waitOut(given); // the 410
        await until(() => heard.length === 5);
        assert.deepEqual(heard, [
          'deleted b=1 missed',
          'updated a=1>2',
          'deleted c=1 missed',
          'added c=new',
          'added d=1',
        ]);
        assert.match(errors[0]?.message ?? '', /^watch configmaps in all namespaces: http:.*closed/);
        assert.match(errors[1]?.message ?? '', /too old resource version: 103 \(108\)$/);
      });
    });
  }

  test('that gathers tells of states that came together only the newest, and of a change after a rest at once', async () => {
    await using given = await watching(three, { gatherMs: 100 });
    const { informer, collection, clock, heard } = given;
    await informer.synced; // without a rest: the clock stands still
    assert.deepEqual(heard.splice(0), ['added a=1 initial', 'added b=1 initial', 'added c=1 initial']);
    collection.set('a', '2');
    await until(() => heard.length > 0);
    assert.deepEqual(heard.splice(0), ['updated a=1>2']);
    for (const value of ['3', '4', '5']) collection.set('a', value);
    collection.set('b', '2');
    collection.delete('b');
    collection.set('b', '3');
    collection.set('d', '1');
    collection.set('d', '2');
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    assert.deepEqual(heard, []);
    await clock.advance(100);
    await until(() => heard.length >= 4);
    assert.deepEqual(heard, ['updated a=2>5', 'deleted b=2', 'added b=3', 'added d=2']);
    assert.equal(informer.store.get('x/a')?.data?.value, '5');
  });

  test('that gathers tells of the end of an own object that came and went together', async () => {
    await using given = await watching(undefined, { gatherMs: 100 });
    const { informer, collection, clock, heard } = given;
    await informer.synced;
    collection.set('other', '1');
    await until(() => heard.length === 1);
    const own = configMap('own', '1', 'u2', collection.revision + 1) as unknown as ConfigMap;
    informer.overlay({ type: 'stored', kind: ConfigMap, object: own });
    assert.equal(informer.store.get('x/own')?.data?.value, '1');
    collection.set('own', '1');
    collection.delete('own');
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    await clock.advance(100);
    await until(() => heard.length === 3);
    assert.deepEqual(heard, ['added other=1', 'added own=1', 'deleted own=1']);
  });

  test('refuses to gather for a time that is none, or longer than a server waits', () => {
    const client = createClient({ transport: connect(configFor('http://127.0.0.1:1')) });
    for (const gatherMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, 10_001]) {
      assert.throws(() => createInformer(client, ConfigMap, { gatherMs }), { name: 'RangeError', message: /gatherMs/ });
    }
  });

  test('gets over lines that are no events, and objects that make no sense', async () => {
    await using given = await watching(three, {
      transform: (object) => {
        if (object.data?.value === 'poison') throw new Error('cannot bear it');
        return object;
      },
    });
    const { informer, collection, heard, errors } = given;
    await informer.synced;
    heard.length = 0;
    for (const watch of collection.watches) {
      watch.write('this is not JSON\n');
      watch.write('{"type":"ADDED","object":{"kind":"ConfigMap"}}\n{"type":"MODI');
      watch.write(`FIED","object":${JSON.stringify(configMap('a', 'half and half', 'u1', 104))}}\n`);
    }
    collection.set('b', 'poison');
    collection.set('c', '2');
    await until(() => heard.length === 2);
    assert.deepEqual(heard, ['updated a=1>half and half', 'updated c=1>2']);
    assert.equal(informer.store.get('x/b')?.data?.value, '1');
    assert.deepEqual(
      errors.map(({ message }) => message.replace('watch configmaps in all namespaces: ', '')),
      [
        'a line of 16 characters is not an event',
        'an ADDED event has an object without a name or resourceVersion',
        'ConfigMap x/b cannot be stored: its transform failed',
      ],
    );
    assert.equal(informer.health.phase, 'watching');
  });

  test('keeps what it has of an object that a new list brings in a form it cannot store', async () => {
    let isPoison = false;
    await using given = await watching(three, {
      transform: (object) => {
        if (isPoison && object.metadata.name === 'b') throw new Error('cannot bear it');
        return object;
      },
    });
    const { informer, collection, heard, errors } = given;
    await informer.synced;
    heard.length = 0;
    isPoison = true;
    collection.set('a', '2');
    await until(() => heard.length === 1);
    collection.compact();
    collection.set('d', '1');
    await until(() => heard.length === 2);
    for (const watch of collection.watches) watch.send({ type: 'ERROR', object: failure(410, 'Expired', 'gone') });
    await waitOut(given);
    await until(() => errors.some(({ message }) => message.includes('x/b cannot be stored')));
    assert.deepEqual(heard.slice(2), []);
    assert.equal(informer.store.size, 4);
  });

  test('lists again when it was told to go on from 0, where a watch begins anywhere', async () => {
    await using given = await watching(three);
    const { informer, collection } = given;
    await informer.synced;
    const asked: (string | null)[] = [];
    collection.intercept = (_request, _response, query) => {
      asked.push(query.get('resourceVersion'));
      return false;
    };
    const bookmark = { type: 'BOOKMARK', object: { kind: 'ConfigMap', metadata: { resourceVersion: '0' } } };
    for (const watch of collection.watches) watch.send(bookmark);
    await endWatch(given);
    await until(() => asked.length > 0);
    assert.deepEqual(asked, [null]);
  });

  test('hears of the end of an object that it cannot store, also when it has a successor', async () => {
    await using given = await watching(three, {
      transform: (object) => {
        if (object.metadata.annotations?.poison === 'yes') throw new Error('cannot bear it');
        return object;
      },
    });
    const { informer, collection, heard, errors } = given;
    await informer.synced;
    heard.length = 0;
    const poisoned = (type: string, name: string, uid: string, revision: number) => {
      const object = configMap(name, 'poison', uid, revision);
      const metadata = { ...object.metadata, annotations: { poison: 'yes' } };
      for (const watch of collection.watches) watch.send({ type, object: { ...object, metadata } });
    };
    poisoned('DELETED', 'a', 'u1', 104);
    poisoned('ADDED', 'b', 'successor', 105);
    poisoned('ADDED', 'new', 'u9', 106);
    poisoned('DELETED', 'new', 'u9', 107);
    await until(() => errors.length === 4);
    assert.deepEqual(heard, ['deleted a=1 missed', 'deleted b=1 missed']);
    assert.deepEqual(
      informer.store.list().map(({ metadata }) => metadata.name),
      ['c'],
    );
  });

  test('leaves out objects of a list that have no name, and objects that their transform disfigures', async () => {
    await using given = await watching(
      (collection) => {
        collection.intercept = (_request, response, query) => {
          if (query.has('watch')) return false;
          const items = [
            { data: { value: 'nameless' } },
            configMap('a', '1', 'u1', 101),
            { ...configMap('b', '1', 'u2', 101), metadata: { name: 'b', namespace: 'x', uid: 'u2' } },
            configMap('c', 'disfigured', 'u3', 101),
            configMap('d', 'vanishing', 'u4', 101),
          ];
          sendJson(response, { metadata: { resourceVersion: '101' }, items });
          return true;
        };
        collection.canStreamLists = false;
      },
      {
        transform: (object) => {
          if (object.data?.value === 'vanishing') return undefined as unknown as ConfigMap;
          if (object.data?.value !== 'disfigured') return object;
          return { ...object, metadata: { ...object.metadata, uid: 'mine' } };
        },
      },
    );
    await given.informer.synced;
    assert.deepEqual(given.heard, ['added a=1 initial']);
    assert.deepEqual(
      given.errors.map(({ message }) => message),
      [
        'ConfigMap without a name cannot be stored: it has no name or resourceVersion',
        'ConfigMap x/b cannot be stored: it has no name or resourceVersion',
        'ConfigMap x/c cannot be stored: its transform changed its name, namespace, uid or resourceVersion',
        'ConfigMap x/d cannot be stored: its transform changed its name, namespace, uid or resourceVersion',
      ],
    );
  });

  test('lists again when a watch ends in which a line could not be read, since nobody knows what it was', async () => {
    await using given = await watching(three);
    const { informer, collection, heard, clock } = given;
    await informer.synced;
    const [watch] = collection.watches;
    assert.ok(watch);
    const send = watch.send.bind(watch);
    watch.send = (event) => watch.write(`${JSON.stringify(event).slice(0, -20)}\n`);
    collection.delete('b');
    watch.send = send;
    collection.set('a', '2');
    await until(() => heard.includes('updated a=1>2'));
    assert.ok(informer.store.get('x/b'), 'the deletion was the line that could not be read');
    await clock.advance(1000);
    await endWatch(given);
    await until(() => heard.includes('deleted b=1 missed'));
    assert.deepEqual(informer.health.counts, { lists: 2, watches: 2, silences: 0 });
    await endWatch(given);
    await until(() => informer.health.counts.watches === 3);
    assert.equal(informer.health.counts.lists, 2, 'once is enough');
  });

  test('goes on from before a line that could not be read, when it was the last', async () => {
    await using given = await watching(three);
    const { informer, collection, heard, clock, errors } = given;
    await informer.synced;
    const [watch] = collection.watches;
    assert.ok(watch);
    watch.send = (event) => watch.write(JSON.stringify(event).slice(0, -20));
    collection.delete('b');
    await clock.advance(1000);
    await endWatch(given);
    await until(() => heard.includes('deleted b=1'));
    assert.equal(informer.health.counts.lists, 1);
    assert.match(errors[0]?.message ?? '', /a line of \d+ characters is not an event$/);
  });

  test('takes nothing for deleted that it could not read in a streamed list', async () => {
    await using given = await watching(three);
    const { informer, collection, heard, errors } = given;
    await informer.synced;
    collection.compact();
    collection.intercept = (_request, response, query) => {
      if (!query.has('sendInitialEvents')) return false;
      response.writeHead(200);
      for (const name of ['a', 'c'])
        response.write(`${JSON.stringify({ type: 'ADDED', object: configMap(name, '1', `u-${name}`, 101) })}\n`);
      response.write('{"type":"ADDED","object":{"meta\n');
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      response.write(
        `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '103', annotations } } })}\n`,
      );
      return true;
    };
    for (const watch of collection.watches) watch.send({ type: 'ERROR', object: failure(410, 'Expired', 'gone') });
    await waitOut(given);
    await until(() => errors.length === 3);
    assert.match(errors[2]?.message ?? '', /the list has lines that cannot be read$/);
    await waitOut(given); // and then in pages
    await until(() => informer.health.counts.lists === 2);
    assert.equal(heard.length, 3);
    assert.equal(informer.store.size, 3);
  });

  test('backs off longer with each failure, and begins anew after two healthy minutes', async () => {
    await using given = await watching(three);
    const { informer, collection, clock, errors } = given;
    await informer.synced;
    collection.intercept = (_request, response) => {
      response.destroy();
      return true;
    };
    collection.cutWatches();
    const waits: (number | undefined)[] = [];
    for (let failures = 1; failures <= 7; failures++) {
      await until(() => informer.health.phase === 'waiting' && errors.length >= failures);
      waits.push(clock.nextInMs);
      // Reads are repeated by the client as well; its pauses are shorter than any of these.
      while (informer.health.phase === 'waiting') await clock.advance(clock.nextInMs ?? 0);
      await until(async () => {
        if (informer.health.phase !== 'waiting' && (clock.nextInMs ?? 999) < 800)
          await clock.advance(clock.nextInMs ?? 0);
        return errors.length > failures;
      });
    }
    assert.deepEqual(waits, [800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
    collection.intercept = () => false;
    await until(() => informer.health.phase === 'waiting');
    await clock.advance(30_000);
    await until(() => collection.watches.size === 1);
    for (let minute = 0; minute < 3; minute++) {
      collection.bookmark();
      await until(() => informer.health.lastEventAt === clock.now());
      await clock.advance(60_000);
    }
    collection.cutWatches();
    await until(() => informer.health.phase === 'waiting');
    assert.equal(clock.nextInMs, 800);
  });

  test('replaces a watch that says nothing for three minutes, and misses nothing', async () => {
    await using given = await watching(three);
    const { informer, collection, clock, heard, errors } = given;
    await informer.synced;
    await clock.advance(120_000);
    collection.bookmark();
    await until(() => informer.health.lastEventAt === clock.now());
    await clock.advance(179_000);
    const [silent] = collection.watches;
    assert.ok(silent);
    silent.send = () => {}; // the server goes on, but nothing arrives any more
    collection.set('a', '2');
    await clock.advance(1000);
    await until(() => heard.length === 4);
    assert.equal(heard[3], 'updated a=1>2');
    assert.deepEqual(informer.health.counts, { lists: 1, watches: 2, silences: 1 });
    assert.deepEqual(errors, []);
    assert.ok(!collection.watches.has(silent));
  });

  test('notices after a silence that the server was restored from a backup', async () => {
    await using given = await watching(three);
    const { informer, collection, clock, heard, errors } = given;
    await informer.synced;
    collection.set('d', '1');
    await until(() => heard.length === 4);
    // A list shows an older state than the one we know, and a watch from our future is accepted and says nothing.
    collection.restore(['a']);
    await clock.advance(180_000);
    await until(() => errors.length === 1);
    assert.match(errors[0]?.message ?? '', /the server went back in time; was it restored from a backup\?$/);
    await until(() => heard.length === 8);
    assert.deepEqual(heard.slice(4), [
      'deleted b=1 missed',
      'deleted c=1 missed',
      'deleted d=1 missed',
      'updated a=1>restored',
    ]);
    assert.equal(informer.health.phase, 'watching');
  });

  test('ends a watch that the server forgot to end', async () => {
    await using given = await watching(three);
    const { informer, collection, clock, errors } = given;
    await informer.synced;
    const [watch] = collection.watches;
    assert.equal(watch?.query.get('timeoutSeconds'), '300');
    for (let minutes = 0; minutes < 5; minutes++) {
      await clock.advance(60_000);
      collection.bookmark();
      await until(() => informer.health.lastEventAt === clock.now());
    }
    assert.equal(errors.length, 0);
    await clock.advance(30_000);
    await until(() => errors.length === 1);
    assert.match(errors[0]?.message ?? '', /it did not end when it was to/);
  });

  test('lists in pages when a streamed list never ends', async () => {
    let bookmark = () => {};
    await using given = await watching((collection) => {
      three(collection);
      collection.intercept = (_request, response, query) => {
        if (!query.has('sendInitialEvents')) return false;
        response.writeHead(200);
        response.write(`${JSON.stringify({ type: 'ADDED', object: configMap('a', '1', 'u1', 101) })}\n`);
        bookmark = () =>
          void response.write(
            `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '103' } } })}\n`,
          );
        return true; // an old server: it ignores the parameter, sends what it has, and then bookmarks
      };
    });
    const { informer, clock } = given;
    await until(() => informer.health.lastEventAt !== undefined);
    for (let minutes = 0; minutes < 3; minutes++) {
      await clock.advance(60_000);
      if (minutes === 2) break;
      bookmark();
      await until(() => informer.health.lastEventAt === clock.now());
    }
    await informer.synced;
    assert.equal(informer.store.size, 3);
  });

  test('lists in pages after a streamed list that failed, and streams the next one again, up to three times', async () => {
    await using given = await watching((collection) => {
      three(collection);
      collection.intercept = (_request, response, query) => {
        if (!query.has('sendInitialEvents')) return false;
        response.writeHead(200);
        response.end(); // it never finishes
        return true;
      };
    });
    const { informer, collection } = given;
    const streamed = () => collection.server.requests.filter(({ path }) => path.includes('sendInitialEvents')).length;
    for (let lists = 1; lists <= 4; lists++) {
      if (lists <= 3) await waitOut(given); // the stream that ended too early
      await until(() => informer.health.counts.lists === lists && collection.watches.size === 1);
      assert.equal(streamed(), Math.min(lists, 3));
      collection.compact();
      for (const watch of collection.watches) watch.send({ type: 'ERROR', object: failure(410, 'Expired', 'gone') });
      await waitOut(given);
    }
    await until(() => informer.health.counts.lists === 5);
    assert.equal(streamed(), 3);
  });

  test('asks for everything at once when pages are compacted away while it reads them', async () => {
    const asked: string[] = [];
    await using given = await watching(
      (collection) => {
        three(collection);
        collection.canStreamLists = false;
        collection.intercept = (_request, response, query) => {
          if (query.has('watch')) return false;
          asked.push(`limit ${query.get('limit')}${query.has('continue') ? ', continued' : ''}`);
          if (!query.has('continue')) return false;
          collection.delete('a');
          sendJson(response, failure(410, 'Expired', 'The provided continue parameter is too old'), 410);
          return true;
        };
      },
      { pageSize: 2 },
    );
    await given.informer.synced;
    assert.deepEqual(asked, ['limit 2', 'limit 2, continued', 'limit 0']);
    assert.deepEqual(given.heard, ['added b=1 initial', 'added c=1 initial']);
    assert.deepEqual(given.errors, []);
  });

  test('asks the server to end a watch after five to ten minutes', async () => {
    for (const [value, seconds] of [
      [0, '300'],
      [0.5, '450'],
      [0.9999, '600'],
    ] as const) {
      await using given = await watching(three, { random: steadyRandom(value) });
      await given.informer.synced;
      const [watch] = given.collection.watches;
      assert.equal(watch?.query.get('timeoutSeconds'), seconds);
      assert.equal(watch?.query.get('allowWatchBookmarks'), 'true');
    }
  });

  test('goes on from where it was, however often it is told to come later', async () => {
    await using given = await watching(three);
    const { informer, collection, heard, errors } = given;
    await informer.synced;
    collection.intercept = (_request, response) => {
      sendJson(response, failure(429, 'TooManyRequests', 'later'), 429);
      return true;
    };
    collection.cutWatches();
    for (let failures = 1; failures <= 5; failures++) {
      await until(() => errors.length === failures);
      await waitOut(given);
    }
    await until(() => errors.length === 6);
    collection.intercept = () => false;
    await waitOut(given);
    collection.set('a', '2');
    await until(() => heard.includes('updated a=1>2'));
    assert.equal(informer.health.counts.lists, 1);
  });

  test('can watch metadata alone', async () => {
    await using collection = await ScriptedCollection.start();
    three(collection);
    await using transport = connect(configFor(collection.server.url));
    const informer = createInformer(createClient({ transport }), metadataOf(ConfigMap));
    await using _running = runInformer(informer);
    await informer.synced;
    const form = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    assert.equal(collection.server.requests[0]?.headers.accept, form);
  });

  test('says which rule is missing, and goes on when it is granted', async () => {
    await using given = await watching(
      (collection) => {
        three(collection);
        collection.intercept = (_request, response) => {
          sendJson(response, failure(403, 'Forbidden', 'configmaps is forbidden'), 403);
          return true;
        };
      },
      { namespace: 'x' },
    );
    const { informer, collection } = given;
    await until(() => informer.health.phase === 'waiting');
    const { synced, forbidden, lastError, lastEventAt } = informer.health;
    assert.deepEqual(forbidden, { verb: 'watch', group: '', resource: 'configmaps', namespace: 'x' });
    assert.match(lastError?.message ?? '', /^watch configmaps in x: configmaps is forbidden$/);
    assert.deepEqual([synced, lastEventAt], [false, undefined]);
    collection.canStreamLists = false;
    collection.intercept = () => false;
    await waitOut(given);
    await informer.synced;
    await until(() => informer.health.phase === 'watching');
    assert.deepEqual([informer.health.forbidden, informer.health.lastError], [undefined, undefined]);
  });

  test('lists again when the server does not know its resourceVersion yet', async () => {
    await using given = await watching(three);
    const { informer, collection, heard } = given;
    await informer.synced;
    collection.intercept = (_request, response, query) => {
      if (query.has('sendInitialEvents')) return false;
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      sendJson(response, failure(400, 'BadRequest', 'Too large resource version: 103, current: 5', causes), 400);
      return true;
    };
    collection.cutWatches();
    await until(() => informer.health.phase === 'waiting');
    collection.set('a', '2');
    await waitOut(given);
    await until(() => given.errors.length === 2);
    await waitOut(given);
    await until(() => heard.includes('updated a=1>2'));
  });

  test('lists again when the server refuses three times to go on', async () => {
    await using given = await watching(three);
    const { informer, collection, heard, errors } = given;
    await informer.synced;
    collection.intercept = (_request, response, query) => {
      if (query.has('sendInitialEvents')) return false;
      sendJson(response, failure(403, 'Forbidden', 'not today'), 403);
      return true;
    };
    collection.cutWatches();
    for (let failures = 1; failures <= 4; failures++) {
      await until(() => errors.length === failures);
      await waitOut(given);
    }
    collection.set('a', '2');
    await until(() => heard.includes('updated a=1>2'));
  });
});

describe('stopping an informer', () => {
  test('during its first list opens nothing more', async () => {
    let answer = () => {};
    await using given = await watching((collection) => {
      collection.canStreamLists = false;
      three(collection);
      collection.intercept = (_request, response, query) => {
        if (query.has('watch')) return false;
        answer = () => sendJson(response, { metadata: { resourceVersion: '5' }, items: [] });
        return true;
      };
    });
    const { informer, collection, controller, stopped } = given;
    await until(() => collection.server.requests.length === 2);
    const before = collection.server.requests.length;
    controller.abort(new Error('enough'));
    answer();
    await stopped;
    assert.equal(collection.server.requests.length, before);
    assert.equal(informer.health.phase, 'stopped');
    await assert.rejects(informer.synced, /enough/);
  });

  test('during its watch closes the connection and says no more', async () => {
    await using given = await watching(three);
    const { informer, collection, controller, stopped, heard, errors } = given;
    await informer.synced;
    controller.abort();
    await stopped;
    await until(() => collection.watches.size === 0);
    collection.set('a', '2');
    assert.equal(heard.length, 3);
    assert.deepEqual(errors, []);
    assert.equal(given.clock.timers, 0);
    assert.equal(informer.store.size, 3, 'what was seen can still be read');
  });

  test('during a backoff ends at once', async () => {
    await using given = await watching((collection) => {
      collection.intercept = (_request, response) => {
        sendJson(response, failure(403, 'Forbidden', 'no'), 403);
        return true;
      };
    });
    await until(() => given.informer.health.phase === 'waiting');
    given.controller.abort();
    await given.stopped;
    assert.equal(given.clock.timers, 0);
  });
});

describe('handlers', () => {
  test('do not harm each other, nor the stream', async () => {
    await using given = await watching(three);
    const { informer, collection, heard, errors } = given;
    await informer.synced;
    informer.subscribe(() => {
      throw new Error('clumsy');
    });
    informer.subscribe((() => Promise.reject(new Error('clumsy later'))) as () => void);
    const others: string[] = [];
    informer.subscribe((event) => others.push(tell(event)));
    assert.equal(errors.length, 3, 'the existing objects already met the first');
    collection.set('a', '2');
    await until(() => heard.length === 4 && errors.length === 8);
    assert.equal(others.at(-1), 'updated a=1>2');
    assert.equal(errors[0]?.message, 'a handler failed at the event added of ConfigMap x/a');
    assert.equal(String(errors[0]?.cause), 'Error: clumsy');
  });

  test('and whoever hears of failures may fail himself', async () => {
    let calls = 0;
    await using given = await watching(three, {
      onError: (() => {
        calls += 1;
        if (calls === 1) throw new Error('clumsy, too');
        return Promise.reject(new Error('clumsy later'));
      }) as () => void,
    });
    const { informer, collection, heard } = given;
    await informer.synced;
    for (const watch of collection.watches) watch.write('no event\nnor this\n');
    collection.set('a', '2');
    await until(() => heard.includes('updated a=1>2'));
    collection.cutWatches();
    await waitOut(given);
    collection.set('a', '3');
    await until(() => heard.includes('updated a=2>3'));
    assert.equal(calls, 3);
  });

  test('that come late get what is there, and those that leave get nothing more', async () => {
    await using given = await watching(three);
    const { informer, collection, heard } = given;
    await informer.synced;
    const late: string[] = [];
    const controller = new AbortController();
    const subscription = informer.subscribe((event) => late.push(tell(event)), { signal: controller.signal });
    assert.deepEqual(late.splice(0), ['added a=1 initial', 'added b=1 initial', 'added c=1 initial']);
    collection.set('a', '2');
    await until(() => late.length === 1);
    controller.abort();
    subscription[Symbol.dispose]();
    collection.set('a', '3');
    await until(() => heard.length === 5);
    assert.equal(late.length, 1);
  });

  test('find the store as new as the event', async () => {
    await using given = await watching(three);
    const { informer, collection, heard } = given;
    await informer.synced;
    const seen: unknown[] = [];
    informer.subscribe(({ type, object }) => {
      if (type === 'updated') seen.push(informer.store.get('x/a') === object);
    });
    collection.set('a', '2');
    await until(() => heard.length === 4);
    assert.deepEqual(seen, [true]);
  });

  test('are shown everything again when they ask for a resync', async () => {
    await using given = await watching(three);
    const { informer, clock } = given;
    await informer.synced;
    const seen: string[] = [];
    const subscription = informer.subscribe((event) => seen.push(tell(event)), { resyncMs: 60_000 });
    seen.length = 0;
    await clock.advance(60_000);
    assert.deepEqual(seen.splice(0), ['updated a=1>1', 'updated b=1>1', 'updated c=1>1']);
    await clock.advance(60_000);
    assert.equal(seen.length, 3);
    subscription[Symbol.dispose]();
    await clock.advance(60_000);
    assert.equal(seen.length, 3);
    assert.throws(() => informer.subscribe(() => {}, { resyncMs: 0 }), RangeError);

    informer.subscribe((event) => seen.push(tell(event)), { resyncMs: 60_000 });
    const left = new AbortController();
    informer.subscribe(() => left.abort(), { resyncMs: 60_000, signal: left.signal });
    seen.length = 0;
    given.controller.abort();
    await given.stopped;
    assert.equal(clock.timers, 0, 'it ends with the informer, and with those who leave');
    await clock.advance(60_000);
    assert.equal(seen.length, 0);
  });

  test('do not hear of our own writes before the watch brings them, but reads show them', async () => {
    await using given = await watching(three);
    const { informer, collection, heard } = given;
    await informer.synced;
    const answer = configMap('a', 'ours', 'u1', 104) as unknown as ConfigMap;
    informer.overlay({ type: 'stored', kind: ConfigMap, object: answer });
    assert.equal(informer.store.get('x/a')?.data?.value, 'ours');
    assert.equal(informer.store.get('x/a')?.metadata.managedFields, undefined, 'it is stored like all others');
    assert.ok(answer.metadata.managedFields, 'and the answer itself is left alone');
    const late: string[] = [];
    informer.subscribe((event) => late.push(tell(event)));
    assert.equal(late[0], 'added b=1 initial');
    assert.ok(late.includes('added a=1 initial'));
    collection.set('a', 'ours');
    await until(() => heard.length === 4);
    assert.equal(heard[3], 'updated a=1>ours');
  });

  test('find the parts that a change or our own write left alone to be the very same', async () => {
    await using given = await watching(three);
    const { informer, collection, heard } = given;
    await informer.synced;
    const data = informer.store.get('x/a')?.data;
    assert.ok(data);
    const answer = configMap('a', '1', 'u1', 104);
    informer.overlay({ type: 'stored', kind: ConfigMap, object: answer });
    assert.equal(informer.store.get('x/a')?.metadata.resourceVersion, '104');
    const shown = informer.store.get('x/a');
    assert.equal(shown?.data, data);
    collection.set('a', '1');
    await until(() => heard.length === 4);
    assert.equal(informer.store.get('x/a'), shown, 'the watch brings the state that the answer had brought');
    collection.set('a', '1');
    await until(() => heard.length === 5);
    assert.equal(informer.store.get('x/a')?.metadata.resourceVersion, '105');
    assert.equal(informer.store.get('x/a')?.data, data);
  });

  test('hear of a successor, though it comes with the resourceVersion that our write had', async () => {
    await using given = await watching(three);
    const { informer, collection, heard } = given;
    await informer.synced;
    const answer = configMap('a', 'ours', 'another uid', 104);
    informer.overlay({ type: 'stored', kind: ConfigMap, object: answer });
    collection.set('a', '2');
    await until(() => heard.length === 4);
    assert.equal(informer.store.get('x/a')?.data?.value, '2');
  });

  test('and reads do not hear of an answer that cannot be stored, which is reported', async () => {
    await using given = await watching(three, {
      transform: (object) => {
        if (object.data?.value === 'poison') throw new Error('cannot bear it');
        return object;
      },
    });
    const { informer, errors } = given;
    await informer.synced;
    const object = configMap('a', 'poison', 'u1', 104);
    informer.overlay({ type: 'stored', kind: ConfigMap, object });
    assert.equal(informer.store.get('x/a')?.data?.value, '1');
    assert.equal(errors[0]?.message, 'ConfigMap x/a cannot be stored: its transform failed');
  });

  test('cannot change what is stored', async () => {
    await using given = await watching(three, { freeze: true });
    await given.informer.synced;
    const object = given.informer.store.get('x/a') as { data: Record<string, string> };
    assert.throws(() => {
      object.data.value = '2';
    }, TypeError);
  });
});

describe('shared informers', () => {
  test('are two for those who gather and those who do not', async () => {
    await using collection = await ScriptedCollection.start();
    await using transport = connect(configFor(collection.server.url));
    const onError = (error: Error) => assert.fail(error);
    await using informers = createSharedInformers({ client: createClient({ transport }), onError });
    for (const gatherMs of [undefined, 0, 100, 100]) informers.informer(ConfigMap, { gatherMs });
    assert.equal(informers.all.length, 2);
  });

  async function sharing() {
    const collection = await ScriptedCollection.start();
    three(collection);
    const transport = connect(configFor(collection.server.url));
    const clock = new ManualClock();
    const client = createClient({ transport, clock, random: steadyRandom(0) });
    const errors: string[] = [];
    const informers = createSharedInformers({
      client,
      clock,
      random: steadyRandom(0),
      onError: (error, informer) => errors.push(`${informer.kind.kind}: ${error.message}`),
    });
    return {
      collection,
      informers,
      errors,
      async [Symbol.asyncDispose]() {
        await informers[Symbol.asyncDispose]();
        await transport[Symbol.asyncDispose]();
        await collection[Symbol.asyncDispose]();
      },
    };
  }

  test('have one watch for the same selection, until the last leaves', async () => {
    await using given = await sharing();
    const { collection, informers } = given;
    const byValue = ({ data }: ConfigMap) => [data?.value ?? ''];
    const first = informers.informer(ConfigMap, { labels: { a: 'b' } });
    const second = informers.informer(ConfigMap, { labels: 'a=b', indexes: { value: byValue } });
    const third = informers.informer(ConfigMap, { labels: { a: 'b' }, indexes: { value: byValue } });
    await Promise.all([first.synced, second.synced, third.synced]);
    assert.equal(collection.server.requests.length, 1);
    assert.equal(informers.all.length, 1);
    assert.equal(first.store, second.store);
    assert.equal(first.store.byIndex('value', '1').length, 3);

    const heard: string[] = [];
    first.subscribe(() => assert.fail('its handle is disposed before anything changes'));
    second.subscribe((event) => heard.push(tell(event)));
    given.errors.length = 0; // the failed assertions of the initial objects
    heard.length = 0;
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    await third[Symbol.asyncDispose]();
    collection.set('a', '2');
    await until(() => heard.length === 1);
    assert.deepEqual(given.errors, []);
    assert.equal(collection.watches.size, 1);
    await second[Symbol.asyncDispose]();
    await until(() => collection.watches.size === 0);
    assert.equal(informers.all.length, 0);
    assert.throws(() => second.subscribe(() => {}), TypeError);

    const again = informers.informer(ConfigMap, { labels: { a: 'b' } });
    await again.synced;
    assert.equal(collection.server.requests.length, 2);
  });

  test('are apart when selection, namespace or stored form differ', async () => {
    await using given = await sharing();
    const { informers } = given;
    const transform = (object: ConfigMap) => object;
    const all = [
      informers.informer(ConfigMap),
      informers.informer(ConfigMap, { namespace: 'x' }),
      informers.informer(ConfigMap, { labels: { a: 'b' } }),
      informers.informer(ConfigMap, { fields: 'metadata.name=a' }),
      informers.informer(metadataOf(ConfigMap)),
      informers.informer(ConfigMap, { managedFields: 'keep' }),
      informers.informer(ConfigMap, { managedFields: { manager: 'us' } }),
      informers.informer(ConfigMap, { transform }),
      informers.informer(ConfigMap, { transform: (object) => object }),
    ];
    informers.informer(ConfigMap, { transform });
    assert.equal(informers.all.length, all.length);
    await Promise.all(all.map(({ synced }) => synced));
  });

  test('forget subscriptions that their signal ended', async () => {
    await using given = await sharing();
    const handle = given.informers.informer(ConfigMap);
    let collected = 0;
    const registry = new FinalizationRegistry(() => {
      collected += 1;
    });
    const subscribe = () => {
      for (let i = 0; i < 20; i++) {
        const left = new AbortController();
        const handler = () => void left;
        registry.register(handler, undefined);
        if (i % 2 === 0) left.abort(); // too late, too, to begin with
        handle.subscribe(handler, { signal: left.signal });
        left.abort();
      }
    };
    subscribe();
    await until(() => {
      heapAfterCollection();
      return collected === 20;
    });
  });

  test('all stop together, and begin nothing more', async () => {
    await using given = await sharing();
    const { collection, informers } = given;
    await informers.informer(ConfigMap).synced;
    await informers[Symbol.asyncDispose]();
    await until(() => collection.watches.size === 0);
    assert.throws(() => informers.informer(ConfigMap), TypeError);
  });
});
