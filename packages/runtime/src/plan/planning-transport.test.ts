import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject, Status, Transport, TransportRequest } from '@keelson/core';
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

const cm = '/api/v1/namespaces/x/configmaps';
const apply = { headers: { 'content-type': 'application/apply-patch+yaml' } };

test('each way to write is answered with the code and the object of a server', async () => {
  const stored = object({ kind: 'ConfigMap', data: { a: '1', b: '1' } });
  const cases: readonly (readonly [
    string,
    TransportRequest['method'],
    string,
    object | undefined,
    object,
    number,
    object?,
  ])[] = [
    ['a creation', 'POST', cm, object({ data: { c: '1' } }, { name: 'b' }), {}, 201, { c: '1' }],
    ['one of what is there', 'POST', cm, object(), {}, 409],
    ['a replacement', 'PUT', `${cm}/a`, object({ data: { c: '1' } }), {}, 200, { c: '1' }],
    ['one of nothing', 'PUT', `${cm}/b`, object(), {}, 404],
    [
      'a JSON patch',
      'PATCH',
      `${cm}/a`,
      [{ op: 'remove', path: '/data/a' }],
      { 'content-type': 'application/json-patch+json' },
      200,
      { b: '1' },
    ],
    [
      'a merge patch',
      'PATCH',
      `${cm}/a`,
      { data: { a: null } },
      { 'content-type': 'application/merge-patch+json' },
      200,
      { b: '1' },
    ],
    ['one of nothing', 'PATCH', `${cm}/b`, {}, { 'content-type': 'application/merge-patch+json' }, 404],
    [
      'an apply',
      'PATCH',
      `${cm}/a?fieldManager=me`,
      object({ data: { c: '1' } }),
      apply.headers,
      200,
      { a: '1', b: '1', c: '1' },
    ],
    [
      'one of something new',
      'PATCH',
      `${cm}/b?fieldManager=me`,
      object({ data: { c: '1' } }),
      apply.headers,
      201,
      { c: '1' },
    ],
    ['one at the status of nothing', 'PATCH', `${cm}/b/status`, object(), apply.headers, 404],
    [
      'a strategic merge patch',
      'PATCH',
      `${cm}/a`,
      {},
      { 'content-type': 'application/strategic-merge-patch+json' },
      405,
    ],
    ['a patch without a type', 'PATCH', `${cm}/a`, {}, {}, 405],
    ['another object of that name', 'PUT', `${cm}/a`, object({}, { uid: 'other' }), {}, 409],
    ['another state', 'PUT', `${cm}/a`, object({}, { resourceVersion: '4' }), {}, 409],
  ];
  for (const [name, method, path, body, headers, code, data] of cases) {
    const { send, writes, asked } = planned({ [`${cm}/a`]: stored });
    const answered = (await send(method, path, body, { headers: headers as Record<string, string> })) as {
      code: number;
      data?: object;
    };
    assert.equal(answered.code, code, name);
    assert.deepEqual([answered.data, writes.length], [data, data === undefined ? 0 : 1], name);
    assert.deepEqual(
      asked.filter((each) => !each.startsWith('GET')),
      [],
      name,
    );
  }
});

test('what would be refused says of what, and why', async () => {
  const { send } = planned({ [`${cm}/a`]: object() });
  const failed = async (method: TransportRequest['method'], path: string, body?: object, headers = {}) => {
    const { reason, message, details } = (await send(method, path, body, { headers })) as unknown as Status;
    return [reason, message, details?.kind, details?.name];
  };
  const patch = { 'content-type': 'application/json-patch+json' };
  const absent = 'configmaps "b" not found';
  assert.deepEqual(await failed('POST', cm, object()), [
    'AlreadyExists',
    'configmaps "a" already exists',
    'configmaps',
    'a',
  ]);
  assert.deepEqual(await failed('DELETE', `${cm}/b`), ['NotFound', absent, 'configmaps', 'b']);
  assert.deepEqual(await failed('PUT', `${cm}/b`, object()), ['NotFound', absent, 'configmaps', 'b']);
  const changed = 'Operation cannot be fulfilled on configmaps "a": the object has been modified';
  assert.deepEqual(await failed('PUT', `${cm}/a`, object({}, { uid: 'x' })), ['Conflict', changed, 'configmaps', 'a']);
  const [reason] = await failed('PATCH', `${cm}/a`, [{ op: 'remove', path: '/x/y' }], patch);
  assert.equal(reason, 'Invalid');
  const [, message] = await failed('GET', `${cm}/a/proxy/x`);
  assert.match(message ?? '', /^proxy\/x cannot be planned/);
  const [, put] = await failed('PUT', `${cm}/a/approval`, object());
  assert.match(put ?? '', /^approval cannot be planned/);
  await send('DELETE', `${cm}/a`);
  assert.deepEqual(await failed('GET', `${cm}/a`), ['NotFound', 'it would be gone by then', 'configmaps', 'a']);
});

test('a deletion is answered with what went, and a dry run changes nothing', async () => {
  const { send, writes } = planned({ [`${cm}/a`]: object() });
  assert.equal((await send('DELETE', `${cm}/a?dryRun=All`)).code, 200);
  assert.equal((await send('DELETE', `${cm}/a`, { dryRun: ['All'] })).code, 200);
  assert.equal((await send('PUT', `${cm}/a?dryRun=All`, object())).code, 200);
  assert.deepEqual(writes, []);
  const preconditions = { resourceVersion: '4' };
  assert.equal((await send('DELETE', `${cm}/a`, { preconditions })).code, 409);
  assert.deepEqual((await send('DELETE', `${cm}/a`, { dryRun: [] })) as object, {
    code: 200,
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Success',
    details: { name: 'a', uid: 'u' },
  });
  assert.equal(writes.length, 1);
});

test('the texts of a Secret become its data; others keep theirs', async () => {
  const secrets = '/api/v1/namespaces/x/secrets';
  const { send } = planned({});
  const made = async (more: object) => {
    const { code: _, metadata: __, ...content } = await send('POST', secrets, object(more, { name: undefined }));
    return content as object;
  };
  const both = { data: { a: 'MQ==' }, stringData: { b: '2' } };
  assert.deepEqual(await made({ kind: 'Secret', ...both }), {
    apiVersion: 'v1',
    kind: 'Secret',
    data: { a: 'MQ==', b: 'Mg==' },
  });
  assert.deepEqual(await made({ kind: 'Secret' }), { apiVersion: 'v1', kind: 'Secret', data: {} });
  assert.deepEqual(await made({ kind: 'Other', ...both }), { apiVersion: 'v1', kind: 'Other', ...both });
  assert.deepEqual(await made({ apiVersion: 'x/v1', kind: 'Secret', ...both }), {
    apiVersion: 'x/v1',
    kind: 'Secret',
    ...both,
  });
  assert.deepEqual(await made({ kind: 'Other' }), { apiVersion: 'v1', kind: 'Other' });
});

test('what is created is marked as by a server, once', async () => {
  const { send } = planned({});
  const first = await send('POST', cm, object({}, { name: undefined, generateName: 'a-', uid: undefined }));
  const second = await send('POST', cm, object({}, { name: 'b', uid: undefined }));
  for (const [{ metadata }, name, uid, version] of [
    [first, 'a-plan1', 'planned-1', '9000000000000000001'],
    [second, 'b', 'planned-2', '9000000000000000002'],
  ] as const) {
    assert.deepEqual([metadata?.name, metadata?.uid, metadata?.resourceVersion], [name, uid, version]);
    assert.match(metadata?.creationTimestamp ?? '', /^20\d\d-.*Z$/);
  }
});

test('who may create need not be allowed to look; other failures are passed on', async () => {
  for (const [code, expected] of [
    [403, 201],
    [500, 500],
  ] as const) {
    const requests: TransportRequest[] = [];
    const server: Transport = {
      async request(request) {
        requests.push(request);
        return failure(code, 'x', 'x', request.path);
      },
      async [Symbol.asyncDispose]() {},
    };
    const { signal } = new AbortController();
    const way = new PlanningTransport(server, systemClock).recording(() => {});
    const { status } = await way.request({
      method: 'POST',
      path: cm,
      headers: {},
      body: JSON.stringify(object()),
      signal,
    });
    assert.equal(status, expected);
    assert.deepEqual(
      requests.map(({ method, path, headers, signal: passed }) => [method, path, headers.accept, passed === signal]),
      [['GET', `${cm}/a`, 'application/json', true]],
    );
  }
});

for (const [apiVersion, kind, spec, status] of [
  ['apps/v1', 'Deployment', { replicas: 1 }, {}],
  ['v1', 'ConfigMap', undefined, undefined],
  ['networking.k8s.io/v1', 'Ingress', {}, {}],
  ['example.com/v1', 'Website', {}, undefined],
] as const) {
  test(`a new ${kind} is answered ${status ? 'with the empty status that the server gives it' : 'without a status'}`, async () => {
    const { send, writes } = planned({});
    const path = '/apis/g/v1/namespaces/x/things';
    const created = await send('POST', path, { apiVersion, kind, metadata: { name: 'a' }, spec });
    const read = await send('GET', `${path}/a`);
    assert.deepEqual(
      [created, read].map((each) => (each as { status?: object }).status),
      [status, status],
    );
    assert.equal('status' in (writes[0]?.after ?? {}), false, 'it is no part of what was written');
  });
}
