/** The real world in virtual time: found, and named with the line that asked for it. */
import assert from 'node:assert/strict';
import { generateKeyPair, generateKeyPairSync, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { done } from '@keelson/runtime';
import { startCluster } from '../src/index.ts';
import { Note, note, noteOperator } from './fixtures.ts';

async function failureOf(act: () => Promise<unknown>): Promise<Error> {
  await using cluster = await startCluster({
    operators: [
      noteOperator(async () => {
        await act();
        return done;
      }),
    ],
  });
  await cluster.client.create(Note, note());
  return await cluster.clock.advance(1000).then(
    () => new Error('nothing was noticed'),
    (error: Error) => error,
  );
}

test('a timer of the machine is named', async () => {
  const { message, stack } = await failureOf(() => sleep(systemClock, 1));
  assert.equal(
    message,
    "note-operator waits for a timer of the machine, and virtual time does not: it goes on meanwhile. Pass in what asks the world, and give the test one that answers in the process; wait by the context's clock",
  );
  assert.match(stack ?? '', /real-io\.test\.ts/);
});

test('a file is named', async () => {
  const { message } = await failureOf(() => readFile(new URL(import.meta.url)));
  assert.match(message, /^note-operator waits for a file, and virtual time does not/);
});

test('a request over the network is named with its address', async () => {
  await using server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { message } = await failureOf(async () => (await fetch(`http://127.0.0.1:${port}/records/a`)).text());
  assert.match(message, new RegExp(`^note-operator waits for GET http://127\\.0\\.0\\.1:${port}/records/a, and`));
  server.closeAllConnections();
});

test('a key that is made and used there and then is waited for by nobody, one that is made in a thread is', async () => {
  const { message: atOnce } = await failureOf(async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    sign('sha256', Buffer.from('text'), privateKey);
  });
  assert.equal(atOnce, 'nothing was noticed');
  const { message } = await failureOf(() => promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }));
  assert.match(message, /^note-operator waits for a thread \(asynchronous cryptography\)/);
});

test('what the test itself does is its own business', async () => {
  await using cluster = await startCluster({ operators: [noteOperator(async () => done)] });
  await cluster.client.create(Note, note());
  await readFile(new URL(import.meta.url));
  await sleep(systemClock, 1);
  await cluster.clock.advance(1000);
});
