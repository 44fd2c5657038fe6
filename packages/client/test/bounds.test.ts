/** What a server can make us hold, and how often it can make us ask: bounds and paces, by figures. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isServerError, isTransportError, type Transport } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { connect, createClient, createInformer } from '../src/index.ts';
import { buffersAfterCollection } from './heap.ts';
import { behaviours } from './hostile/behaviours.ts';
import { type Behaviour, pour, startHostileServer } from './hostile/hostile-server.ts';
import { ManualClock, steadyRandom } from './manual-clock.ts';
import { runInformer } from './run-informer.ts';
import { failure, ScriptedCollection } from './scripted-collection.ts';
import { configFor, sendJson, startServer } from './scripted-server.ts';
import { until } from './until.ts';

const MiB = 1024 * 1024;
const steady = () => 0;

const endless =
  (status: string): Behaviour =>
  (socket) => {
    socket.write(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n\r\n`);
    pour(socket, () => Buffer.alloc(64 * 1024, 'x'));
  };

/** The most that buffers held beyond what they held before, while something ran. */
async function heldBytes(run: () => Promise<unknown>): Promise<number> {
  const before = buffersAfterCollection();
  let most = before;
  let isDone = false;
  const done = run().finally(() => {
    isDone = true;
  });
  await until(
    () => {
      most = Math.max(most, buffersAfterCollection());
      return isDone;
    },
    { timeoutMs: 300_000 },
  );
  await done;
  return most - before;
}

describe('an answer without end', () => {
  test('is left at 16 MiB where an object was asked for, and at 64 MiB where a document was', async () => {
    await using server = await startHostileServer(endless('200 OK'), steady);
    await using transport = connect(configFor(server.url));
    const client = createClient({ transport });
    const held = await heldBytes(async () => {
      await assert.rejects(client.get(ConfigMap, 'x/a'), {
        message: /^get configmaps x\/a: the answer has more than 16 MiB, which no object is; does a proxy answer/,
      });
    });
    assert.ok(held < 24 * MiB, `${held / MiB} MiB were held`);
    await assert.rejects(client.getRaw('/openapi/v2'), {
      message: /^get \/openapi\/v2: the answer has more than 64 MiB, .*read it as a stream \(streamRaw\)$/,
    });
    await until(() => server.sockets === 0);
  });

  test('is left at 256 MiB where a page of a list was asked for', async () => {
    const chunk = Buffer.alloc(16 * MiB, ' ');
    let taken = 0;
    const transport: Transport = {
      request: async () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          for (; taken < 20; taken++) yield chunk;
        })(),
      }),
      async [Symbol.asyncDispose]() {},
    };
    await assert.rejects(createClient({ transport }).list(ConfigMap), {
      message: /^list configmaps in all namespaces: the answer has more than 256 MiB, .*\(pageSize\)/,
    });
    assert.equal(taken, 16, 'it is left with the first chunk that is too much');
  });

  test('is left at a mebibyte where it is a failure, which stays one', async () => {
    await using server = await startHostileServer(endless('500 Oops'), steady);
    await using transport = connect(configFor(server.url));
    const client = createClient({ transport });
    const created = client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
    await assert.rejects(created, (error: Error) => isServerError(error) && error.message.length < 500);
    await until(() => server.sockets === 0);
  });

  test('of single bytes costs no more than others do', async () => {
    await using server = await startHostileServer(
      behaviours['has endless chunks of one byte'] ?? assert.fail(),
      steady,
    );
    await using transport = connect(configFor(server.url));
    const client = createClient({ transport, timeoutMs: 1000 });
    const before = process.memoryUsage().heapUsed;
    await assert.rejects(client.get(ConfigMap, 'x/a'), isTransportError);
    const grown = process.memoryUsage().heapUsed - before;
    assert.ok(grown < 200 * MiB, `${grown / MiB} MiB of heap`);
  });

  test('as one line of a watch ends that watch', async () => {
    await using server = await startHostileServer(behaviours['sends a line without end'] ?? assert.fail(), steady);
    await using transport = connect(configFor(server.url));
    const client = createClient({ transport });
    const held = await heldBytes(() =>
      assert.rejects(drained(client.watch(ConfigMap)), /a line of the watch does not end/),
    );
    assert.ok(held < 24 * MiB, `${held / MiB} MiB were held`);
  });
});

test('an answer that is packed though nobody asked for it is refused, and a failure stays one', async () => {
  await using server = await startServer(({ path }, response) => {
    const status = path.endsWith('broken') ? 503 : 200;
    response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x');
  });
  await using transport = connect(configFor(server.url));
  const client = createClient({ transport });
  await assert.rejects(client.get(ConfigMap, 'x/a'), {
    message: /the answer is packed \(gzip\), and nobody asked for that/,
  });
  await assert.rejects(client.delete(ConfigMap, 'x/broken'), {
    message: 'delete configmaps x/broken: status 503 without a text',
  });
});

describe('a list', () => {
  const listing = (page: (number: number) => object) => {
    let pages = 0;
    return startServer((_, response) => {
      pages += 1;
      sendJson(response, page(pages));
    });
  };

  test('that goes on with empty pages ends after ten of them', async () => {
    await using server = await listing((number) => ({ metadata: { continue: `c${number}` }, items: [] }));
    await using transport = connect(configFor(server.url));
    await assert.rejects(createClient({ transport }).list(ConfigMap), {
      message: 'list configmaps in all namespaces: 10 pages in a row are empty, and another is to follow',
    });
    assert.equal(server.requests.length, 10);
  });

  test('that never ends does so after ten thousand pages', async () => {
    const { PageCount } = await import('../src/client/page-count.ts');
    const count = new PageCount('list x');
    const page = { items: [1], resourceVersion: '1', continueToken: 'more' };
    for (let i = 1; i < 10_000; i++) count.add(page);
    assert.throws(() => count.add(page), {
      message: 'list x: the list does not end after 10000 pages; raise pageSize, or select fewer objects',
    });
  });
});

describe('a watch', () => {
  const given = async () => {
    const collection = await ScriptedCollection.start();
    const transport = connect(configFor(collection.server.url));
    const clock = new ManualClock();
    const random = steadyRandom();
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    const informer = createInformer(createClient({ transport, clock, random }), ConfigMap, { clock, random, onError });
    const running = runInformer(informer);
    return {
      collection,
      clock,
      errors,
      informer,
      async [Symbol.asyncDispose]() {
        await running[Symbol.asyncDispose]();
        await transport[Symbol.asyncDispose]();
        await collection[Symbol.asyncDispose]();
      },
    };
  };

  test('that ends early and brought nothing but a bookmark is resumed after a while, which grows', async () => {
    await using world = await given();
    const { collection, clock, informer } = world;
    await informer.synced;
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      await until(() => collection.watches.size === 1);
      collection.bookmark();
      collection.endWatches();
      await until(() => informer.health.phase === 'waiting' && collection.watches.size === 0);
      waits.push(clock.nextInMs ?? assert.fail('nobody waits'));
      await clock.advance(waits.at(-1) ?? 0);
    }
    assert.deepEqual(waits, [800, 1600, 3200, 6400, 12_800, 25_600]);
  });

  test('that ends early and brought objects is resumed at once, ten times, and then once a second', async () => {
    await using world = await given();
    const { collection, clock, informer } = world;
    await informer.synced;
    const resumed = async (watches: number) =>
      until(() => informer.health.counts.watches === watches && collection.watches.size === 1);
    for (let watches = 1; watches <= 10; watches++) {
      await resumed(watches);
      collection.set('a', String(watches));
      collection.endWatches();
    }
    await until(() => collection.watches.size === 0 && clock.nextInMs === 1000);
    await clock.advance(1000);
    await resumed(11);
    assert.equal(informer.health.lastError, undefined);
  });

  test('that speaks another language is left after a hundred lines, and told of six times', async () => {
    await using world = await given();
    const { collection, clock, errors, informer } = world;
    await informer.synced;
    await until(() => collection.watches.size === 1);
    for (const watch of collection.watches) watch.write('garbage\n'.repeat(50_000));
    await until(() => informer.health.phase === 'waiting');
    assert.equal(errors.at(-1)?.message, 'watch configmaps: 100 lines in a row are no events');
    assert.equal(errors.length, 6);
    await clock.advance(10_000);
    assert.match(
      errors.at(-1)?.message ?? '',
      /a line of 7 characters is not an event \(95 times more, or the like, in 10 s\)$/,
    );
  });

  test('that fails is told of each time, since it is tried at a pace', async () => {
    await using world = await given();
    const { collection, clock, errors, informer } = world;
    await informer.synced;
    collection.intercept = (_, response) => {
      sendJson(response, failure(403, 'Forbidden', 'no'), 403);
      return true;
    };
    collection.cutWatches();
    for (let i = 1; i <= 8; i++) {
      await until(() => errors.length === i);
      await clock.advance(clock.nextInMs ?? assert.fail('nobody waits'));
    }
  });
});

async function drained(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}
