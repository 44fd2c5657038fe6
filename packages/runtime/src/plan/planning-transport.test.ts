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

test('what has finalizers lives on until the last one is taken', async () => {
  const { send, patch, writes } = planned({ [pod]: object({}, { finalizers: ['x/y'] }) });
  const { metadata } = await send('DELETE', pod);
  assert.match(metadata?.deletionTimestamp ?? '', /^20\d\d-/);
  assert.deepEqual(metadata, writes[0]?.after?.metadata);
  assert.equal(metadata?.resourceVersion, '9000000000000000001');
  assert.deepEqual((await send('GET', pod)).metadata, metadata, 'read back as it would be');
  assert.deepEqual((await send('DELETE', pod)).metadata, metadata, 'a second deletion changes nothing');
  assert.equal((await send('POST', '/api/v1/namespaces/x/pods', object())).code, 409);
  assert.equal((await patch(pod, { metadata: { finalizers: [] } })).code, 200);
  assert.equal(writes.at(-1)?.after, undefined);
  assert.equal((await send('GET', pod)).code, 404);
  assert.equal((await send('DELETE', pod)).code, 404);
});

test('a deletion of many is one of each, over what was planned before', async () => {
  const pods = '/api/v1/namespaces/x/pods';
  const named = (name: string, metadata: object = {}) => ({ metadata: { ...object().metadata, name, ...metadata } });
  const items = [named('a'), named('b', { finalizers: ['x/y'] }), named('c'), named('d')];
  const { send, patch, writes, asked } = planned({
    [`${pods}?labelSelector=a`]: { apiVersion: 'v1', kind: 'PodList', items },
    [`${pods}/c`]: object({}, { name: 'c' }),
    [`${pods}/d`]: object({}, { name: 'd' }),
  });
  await send('DELETE', `${pods}/c`);
  await patch(`${pods}/d`, { metadata: { finalizers: ['late'] } });
  writes.length = 0;
  asked.length = 0;
  const answered = (await send('DELETE', `${pods}?labelSelector=a`)) as object;
  assert.deepEqual(answered, { code: 200, apiVersion: 'v1', kind: 'Status', status: 'Success' });
  assert.deepEqual(asked, [`GET ${pods}?labelSelector=a`]);
  assert.deepEqual(
    writes.map(({ path, before, after }) => [path, before?.kind, before?.apiVersion, after?.metadata.finalizers]),
    [
      [`${pods}/a`, 'Pod', 'v1', undefined],
      [`${pods}/b`, 'Pod', 'v1', ['x/y']],
      [`${pods}/d`, 'Pod', 'v1', ['late']],
    ],
  );
  assert.equal((await send('GET', `${pods}/a`)).code, 404);
  assert.ok((await send('GET', `${pods}/b`)).metadata?.deletionTimestamp);
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

test('a scale is a view of its object: what is written there is read at both', async () => {
  const path = '/apis/apps/v1/namespaces/x/deployments/a';
  const scale = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    spec: { replicas: 1 },
    status: { replicas: 1, selector: 'a' },
  };
  const { patch, send, writes } = planned({
    [path]: object({ kind: 'Deployment', spec: { replicas: 1, paused: true } }),
    [`${path}/scale`]: { ...object(), ...scale },
  });
  const changed = (await patch(`${path}/scale`, { spec: { replicas: 3 } })) as object;
  assert.deepEqual(
    writes.map(({ path: at, before, after }) => [at, before, after]).map((each) => JSON.parse(JSON.stringify(each))),
    [
      [
        path,
        object({ kind: 'Deployment', spec: { replicas: 1, paused: true } }),
        object({ kind: 'Deployment', spec: { replicas: 3, paused: true } }, { resourceVersion: '9000000000000000001' }),
      ],
    ],
  );
  const expected = object({ ...scale, spec: { replicas: 3 } }, { resourceVersion: '9000000000000000001' });
  assert.deepEqual(changed, { code: 200, ...expected });
  assert.deepEqual(await send('GET', `${path}/scale`), { code: 200, ...expected });
  assert.deepEqual(((await send('GET', path)) as { spec?: object }).spec, { replicas: 3, paused: true });
  await patch(path, { spec: { replicas: 5 } });
  assert.deepEqual(((await send('GET', `${path}/scale`)) as { spec?: object }).spec, { replicas: 5 });
  const stale = { metadata: { resourceVersion: '5' }, spec: { replicas: 1 } };
  assert.equal((await send('PUT', `${path}/scale`, stale)).code, 409);
});

test('a scale that is the view of something else cannot be planned, and one of nothing is not found', async () => {
  const path = '/apis/a.example/v1/namespaces/x/things/a';
  const { patch, writes } = planned({
    [path]: object({ spec: { size: 1 } }),
    [`${path}/scale`]: object({ spec: { replicas: 1 } }),
  });
  const refused = await patch(`${path}/scale`, { spec: { replicas: 3 } });
  assert.equal(refused.code, 405);
  assert.match(refused.message ?? '', /^a scale that does not show spec\.replicas cannot be planned/);
  assert.equal((await patch('/apis/a.example/v1/namespaces/x/things/b/scale', {})).code, 404);
  assert.deepEqual(writes, []);
});

test('what is only planned has a scale, too', async () => {
  const things = '/apis/apps/v1/namespaces/x/deployments';
  const { send, patch } = planned({});
  const { metadata } = await send('POST', things, object({ kind: 'Deployment', spec: {} }, { name: 'b' }));
  assert.deepEqual((await send('GET', `${things}/b/scale`)) as object, {
    code: 200,
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata,
    spec: { replicas: 0 },
    status: { replicas: 0 },
  });
  assert.equal((await patch(`${things}/b/scale`, { spec: { replicas: 2 } })).code, 200);
  assert.deepEqual(((await send('GET', `${things}/b`)) as { spec?: object }).spec, { replicas: 2 });
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
