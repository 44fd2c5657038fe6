/** Reading the stats of a server, also of one that means no good. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { type Clock, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { parseStats, readStats } from '../src/server-stats.ts';

const answer = 'STAT pid 1\r\nSTAT curr_items 7\r\nSTAT get_hits 40\r\nSTAT get_misses 2\r\nEND\r\n';
const never = new AbortController().signal;

/** What a server that talks like this is taken for. */
async function readFrom(talk: (socket: Socket) => void, clock: Clock = systemClock, signal = never) {
  // It reads on, or it would not see that the other end has gone, and would never close.
  await using server = createServer((socket) => talk(socket.on('error', () => {}).resume())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return await readStats('127.0.0.1', { clock, signal, port: (server.address() as AddressInfo).port });
}

async function inPieces(socket: Socket): Promise<void> {
  for (const piece of answer.match(/[\s\S]{1,20}/g) ?? []) {
    socket.write(piece);
    await sleep(systemClock, 0);
  }
}

test('the numbers come from a line each, in whatever pieces they come', async () => {
  const asked: string[] = [];
  const stats = await readFrom((socket) => {
    socket.once('data', (request) => {
      asked.push(String(request));
      void inPieces(socket);
    });
  });
  assert.deepEqual([asked, stats], [['stats\r\n'], { items: 7, hits: 40, misses: 2 }]);
});

test('one that answers without end is left after 64 KiB', async () => {
  const flood = (socket: Socket) => {
    const more = () => void (socket.destroyed || socket.write('STAT curr_items 1\r\n'.repeat(1000), more));
    more();
  };
  await assert.rejects(readFrom(flood), /more than 65536 bytes/);
});

test('one that refuses, hangs up or is not there is an error that says so', async () => {
  await assert.rejects(
    readFrom((socket) => void socket.write('CLIENT_ERROR unauthenticated\r\n')),
    /tells no stats: "CLIENT_ERROR unauthenticated"/,
  );
  await assert.rejects(
    readFrom((socket) => void socket.end('STAT curr_items 1\r\n')),
    /the connection was closed/,
  );
  await assert.rejects(
    readStats('127.0.0.1', { clock: systemClock, signal: never, port: 1 }),
    /stats of 127\.0\.0\.1: .*ECONNREFUSED/,
  );
});

test('one that is silent has two seconds', async () => {
  const delays: number[] = [];
  const hasty: Clock = {
    ...systemClock,
    setTimer(delayMs, callback) {
      delays.push(delayMs);
      return systemClock.setTimer(0, callback);
    },
  };
  await assert.rejects(
    readFrom(() => {}, hasty),
    /stats of 127\.0\.0\.1: no answer within 2 s/,
  );
  assert.deepEqual(delays, [2_000]);
});

test('whoever asks can stop asking', async () => {
  const stop = new AbortController();
  const silent = readFrom(() => stop.abort(new Error('enough')), systemClock, stop.signal);
  await assert.rejects(silent, /enough/);
  await assert.rejects(
    readFrom(() => {}, systemClock, stop.signal),
    /enough/,
  );
});

test('numbers that are missing, or none, are not made up', () => {
  for (const odd of ['', '-1', '1e9', '0x10', '99999999999999999999']) {
    assert.throws(() => parseStats(answer.replace('curr_items 7', `curr_items ${odd}`)), /no number curr_items/, odd);
  }
  assert.throws(() => parseStats('END\r\n'), /no number curr_items/);
});
