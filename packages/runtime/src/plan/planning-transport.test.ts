import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject, Transport, TransportRequest } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { answer, failure, readJson } from './planned-answer.ts';
import { type AnsweredWrite, PlanningTransport } from './planning-transport.ts';

const pod = '/api/v1/namespaces/x/pods/a';

/** A server with these objects by path, that notes what it is asked. */
function planned(objects: Readonly<Record<string, object>>) {
  const asked: string[] = [];
  const writes: AnsweredWrite[] = [];
  const server: Transport = {
    async request({ method, path }) {
      asked.push(`${method} ${path}`);
      const object = objects[path];
      if (method !== 'GET') return answer(201, { answered: true });
      return object === undefined ? failure(404, 'NotFound', 'not found', path) : answer(200, object);
    },
    async [Symbol.asyncDispose]() {},
  };
  const way = new PlanningTransport(server, systemClock).recording((write) => void writes.push(write));
  const send = async (
    method: TransportRequest['method'],
    path: string,
    body?: object,
    more: Partial<TransportRequest> = {},
  ) => {
    const response = await way.request({ method, path, headers: {}, body: body && JSON.stringify(body), ...more });
    const read = await readJson({ ...response, status: 200 });
    return {
      code: response.status,
      ...(read as { readonly message?: string; readonly metadata?: KubernetesObject['metadata'] }),
    };
  };
  const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
  return { asked, writes, send, patch: (path: string, body: object) => send('PATCH', path, body, merge) };
}

const object = (more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'x', uid: 'u', resourceVersion: '5', creationTimestamp: 't', ...metadata },
  ...more,
});

test('a review is asked, and nothing else that is posted reaches the server', async () => {
  const { asked, send, writes } = planned({ [pod]: object() });
  const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  assert.equal((await send('POST', review, {})).code, 201);
  const refused = await send('POST', '/api/v1/namespaces/x/serviceaccounts/a/token', {});
  assert.equal(refused.code, 405);
  assert.match(refused.message ?? '', /^token cannot be planned, since only the server knows what comes of it/);
  assert.deepEqual(asked, [`POST ${review}`]);
  assert.deepEqual(writes, []);
});

test('an eviction is a deletion, under its own conditions', async () => {
  const { send, writes } = planned({ [pod]: object() });
  const evict = (uid: string) => send('POST', `${pod}/eviction`, { deleteOptions: { preconditions: { uid } } });
  assert.equal((await evict('other')).code, 409);
  assert.equal((await evict('u')).code, 200);
  assert.deepEqual(
    writes.map(({ path, after }) => [path, after]),
    [[pod, undefined]],
  );
  assert.equal((await evict('u')).code, 404);
});

test('what has finalizers would wait for them, and is told as deleted', async () => {
  const { send, writes } = planned({ [pod]: object({}, { finalizers: ['x/y'] }) });
  const { metadata } = await send('DELETE', pod);
  assert.match(metadata?.deletionTimestamp ?? '', /^20\d\d-/);
  assert.equal(writes[0]?.after, undefined);
});

test('the last finalizer of a deleted object is its end', async () => {
  const { patch, writes } = planned({ [pod]: object({}, { finalizers: ['x/y'], deletionTimestamp: 't' }) });
  await patch(pod, { metadata: { finalizers: null } });
  assert.deepEqual(
    writes.map(({ before, after }) => [before?.metadata.name, after]),
    [['a', undefined]],
  );
});

test('a status is written at its subresource alone, and nothing else is there', async () => {
  const { patch, writes } = planned({ [pod]: object({ spec: { a: 1 }, status: { phase: 'Pending' } }) });
  await patch(`${pod}/status`, { spec: { a: 2 }, status: { phase: 'Running' } });
  await patch(pod, { spec: { a: 3 }, status: { phase: 'Failed' } });
  assert.deepEqual(
    writes.map(({ after }) => after).map((after) => JSON.parse(JSON.stringify({ ...after, metadata: undefined }))),
    [
      { apiVersion: 'v1', kind: 'Pod', spec: { a: 1 }, status: { phase: 'Running' } },
      { apiVersion: 'v1', kind: 'Pod', spec: { a: 3 }, status: { phase: 'Running' } },
    ],
  );
});

test('a scale is an object of its own', async () => {
  const scale = '/apis/apps/v1/namespaces/x/deployments/a/scale';
  const { patch, send, writes } = planned({ [scale]: object({ kind: 'Scale', spec: { replicas: 1 } }) });
  await patch(scale, { spec: { replicas: 3 } });
  assert.deepEqual(
    writes.map(({ path }) => path),
    [scale],
  );
  assert.deepEqual((await send('GET', scale)) as unknown, { code: 200, ...writes[0]?.after });
});

test("a planned object is read back, whole or by its metadata; its log is the server's", async () => {
  const { asked, patch, send } = planned({ [pod]: object({ spec: {} }), [`${pod}/log`]: { log: true } });
  const { metadata } = await patch(pod, { metadata: { labels: { a: '1' } } });
  assert.equal(metadata?.resourceVersion, '9000000000000000001');
  asked.length = 0;
  assert.deepEqual((await send('GET', pod)).metadata, metadata);
  const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  assert.deepEqual((await send('GET', pod, undefined, { headers: { accept } })) as unknown, {
    code: 200,
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata,
  });
  assert.deepEqual(asked, []);
  assert.deepEqual((await send('GET', `${pod}/log`)) as unknown, { code: 200, log: true });
});

test('what may not be read cannot be planned, and says why', async () => {
  const server: Transport = {
    request: async ({ path }) => failure(403, 'Forbidden', 'pods is forbidden', path),
    async [Symbol.asyncDispose]() {},
  };
  const way = new PlanningTransport(server, systemClock).recording(() => assert.fail());
  const { status, body } = await way.request({ method: 'DELETE', path: pod, headers: {} });
  assert.equal(status, 403);
  assert.match(
    String(((await readJson({ status: 200, headers: {}, body })) as { message: string }).message),
    /forbidden/,
  );
});

test('a write that its guard refuses is not planned', async () => {
  const { send, writes } = planned({ [pod]: object() });
  const beforeSend = () => {
    throw new Error('the pass is over');
  };
  await assert.rejects(send('DELETE', pod, undefined, { beforeSend }), /the pass is over/);
  assert.deepEqual(writes, []);
});

test('what only the server can do, and what a question sets in motion, is refused', async () => {
  const { asked, send, writes } = planned({ [pod]: object() });
  for (const [method, path] of [
    ['PUT', '/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval'],
    ['PATCH', `${pod}/ephemeralcontainers`],
    ['GET', `${pod}/proxy/shutdown`],
    ['GET', `${pod}/exec`],
  ] as const) {
    assert.equal((await send(method, path, method === 'GET' ? undefined : object())).code, 405, path);
  }
  assert.deepEqual([asked, writes], [[], []]);
});

test('a name that the server would invent is not looked for', async () => {
  const { asked, send, writes } = planned({});
  const made = await send('POST', '/api/v1/namespaces/x/pods', object({}, { name: undefined, generateName: 'a-' }));
  assert.equal(made.code, 201);
  assert.deepEqual([asked, writes.length], [[], 1]);
});

test('a JSON patch that does not fit is refused as by a server', async () => {
  const { send } = planned({ [pod]: object() });
  const headers = { 'content-type': 'application/json-patch+json' };
  const refused = await send('PATCH', pod, [{ op: 'remove', path: '/spec/nothing' }], { headers });
  assert.equal(refused.code, 422);
});
