import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransportRequest } from '@keelson/core';
import { configMap, configMaps, startServer } from './fixtures.ts';

const creation = (more: Partial<TransportRequest>): TransportRequest => ({
  method: 'POST',
  path: configMaps,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(configMap('a')),
  ...more,
});

test('beforeSend is called once for each request, before the server has seen anything of it', async () => {
  await using started = startServer();
  const { server, talk } = started;
  const calls: number[] = [];
  const before = (await talk.ok('GET', configMaps)).items.length;
  const beforeSend = () => calls.push(before);
  const response = await server.transport.request(creation({ beforeSend }));
  assert.equal(response.status, 201);
  assert.deepEqual(calls, [0]);
});

test('what beforeSend throws rejects the request, and nothing is written', async () => {
  await using started = startServer();
  const { server, talk } = started;
  const ended = new Error('the term has ended');
  const request = server.transport.request(
    creation({
      beforeSend() {
        throw ended;
      },
    }),
  );
  await assert.rejects(request, ended);
  assert.deepEqual((await talk.ok('GET', configMaps)).items, []);
});

test('a request that was aborted before is not announced', async () => {
  await using started = startServer();
  const reason = new Error('too late');
  const calls: string[] = [];
  const beforeSend = () => calls.push('sent');
  const request = started.server.transport.request(creation({ beforeSend, signal: AbortSignal.abort(reason) }));
  await assert.rejects(request, reason);
  assert.deepEqual(calls, []);
});
