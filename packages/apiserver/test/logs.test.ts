import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerLog, ContainerLogRequest } from '@keelson/apiserver';
import { type Started, startServer } from './fixtures.ts';

const pods = '/api/v1/namespaces/default/pods';

/** A server with a pod `a` on the node `n`, whose logs are these. */
async function withLogs(logs: ((request: ContainerLogRequest) => ContainerLog) | undefined): Promise<Started> {
  const started = startServer({ logs });
  const { talk } = started;
  await talk.ok('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
  await talk.ok('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  const containers = [{ name: 'main', image: 'main' }];
  await talk.ok('POST', pods, { metadata: { name: 'a' }, spec: { nodeName: 'n', containers } });
  return started;
}

async function* lines(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(`${text}\n`);
}

test('a log is what the node gives, as plain text', async () => {
  const asked: ContainerLogRequest[] = [];
  await using started = await withLogs((request) => {
    asked.push(request);
    return { type: 'log', bytes: lines('one', 'two') };
  });
  const query = 'previous=true&timestamps=1&tailLines=3&limitBytes=100&sinceSeconds=5';
  const { status, headers, text } = await started.talk.send('GET', `${pods}/a/log?${query}`);
  assert.deepEqual([status, headers['content-type'], text], [200, 'text/plain', 'one\ntwo\n']);
  const { pod, signal, ...request } = asked[0] ?? assert.fail();
  assert.equal(pod.metadata.name, 'a');
  assert.equal(signal.aborted, false);
  assert.deepEqual(request, {
    node: 'n',
    container: 'main',
    follow: false,
    previous: true,
    timestamps: true,
    tailLines: 3,
    limitBytes: 100,
    sinceSeconds: 5,
    sinceTime: undefined,
  });
});

test('who follows a log hears each line as it comes, and the node hears when the reader leaves', async () => {
  let write: (text: string) => void = () => {};
  let isLeft = false;
  async function* slowly(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    signal.addEventListener('abort', () => {
      isLeft = true;
      write('');
    });
    while (!signal.aborted) {
      yield await new Promise<Uint8Array>((resolve) => {
        write = (text) => resolve(Buffer.from(text));
      });
    }
  }
  await using started = await withLogs(({ follow, signal }) => {
    assert.equal(follow, true);
    return { type: 'log', bytes: slowly(signal) };
  });
  const response = await started.server.transport.request({
    method: 'GET',
    path: `${pods}/a/log?follow=true`,
    headers: {},
    streaming: true,
  });
  const reader = response.body[Symbol.asyncIterator]();
  for (const text of ['one', 'two']) {
    const next = reader.next();
    await Promise.resolve();
    write(text);
    assert.equal(Buffer.from((await next).value ?? []).toString(), text);
  }
  await reader.return?.();
  assert.equal(isLeft, true);
});

test('what the node refuses is a bad request in its words', async () => {
  await using started = await withLogs(() => ({ type: 'refused', message: 'not yet' }));
  const { status, body } = await started.talk.send('GET', `${pods}/a/log`);
  assert.deepEqual([status, body.reason, body.message], [400, 'BadRequest', 'not yet']);
});

test('a node that no kubelet answers for cannot be asked', async () => {
  for (const logs of [undefined, () => ({ type: 'unreachable' }) as const]) {
    await using started = await withLogs(logs);
    const { status, body } = await started.talk.send('GET', `${pods}/a/log`);
    assert.deepEqual([status, body.reason], [501, 'NotImplemented']);
    assert.equal(body.message, 'asking the node "n" for a log is not implemented by this server');
  }
});

test('a log that breaks off ends', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('one\n');
    throw new Error('the node fell over');
  }
  await using started = await withLogs(() => ({ type: 'log', bytes: broken() }));
  const { status, text } = await started.talk.send('GET', `${pods}/a/log`);
  assert.deepEqual([status, text], [200, 'one\n']);
});
