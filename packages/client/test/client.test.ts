import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import {
  causesOf,
  isConflict,
  isForbidden,
  isGone,
  isNotFound,
  isTooManyRequests,
  isTransportError,
  isUnauthorized,
} from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Namespace, Pod } from '@keelson/core/v1';
import {
  type Client,
  type ClientOptions,
  connect,
  createClient,
  metadataOf,
  type RequestAttempt,
} from '../src/index.ts';
import { ManualClock, steadyRandom } from './manual-clock.ts';
import { configFor, type Script, type ScriptedServer, sendJson, startServer } from './scripted-server.ts';
import { until } from './until.ts';

interface Setup extends AsyncDisposable {
  readonly client: Client;
  readonly server: ScriptedServer;
  readonly clock: ManualClock;
}

/** A client of a scripted server, on a clock that stands still. */
async function setup(script: Script, options: Partial<ClientOptions> = {}): Promise<Setup> {
  const server = await startServer(script);
  const transport = connect(configFor(server.url));
  const clock = new ManualClock();
  const client = createClient({ transport, clock, random: steadyRandom(0), fieldManager: 'test', ...options });
  return {
    client,
    server,
    clock,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'x', uid: 'u', resourceVersion: '1' },
};

const fail = (response: ServerResponse, code: number, more: object = {}, headers: Record<string, string> = {}) =>
  void response
    .writeHead(code, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'no', ...more }));

/** The request line that a call makes. */
async function lineOf(call: (client: Client) => Promise<unknown>, answer: object = configMap): Promise<string> {
  await using given = await setup((_request, response) => sendJson(response, answer));
  await call(given.client);
  const [{ method, path, body, headers } = assert.fail()] = given.server.requests;
  return [method, path, ...(body ? [headers['content-type'], body] : [])].join(' ');
}

describe('a call asks the server', () => {
  const cases: readonly [string, (client: Client) => Promise<unknown>, string][] = [
    ['get', (client) => client.get(ConfigMap, 'x/a'), 'GET /api/v1/namespaces/x/configmaps/a'],
    [
      'get of a subresource from memory',
      (client) => client.get(Deployment, 'x/a', { subresource: 'scale', resourceVersion: '0' }),
      'GET /apis/apps/v1/namespaces/x/deployments/a/scale?resourceVersion=0',
    ],
    [
      'create',
      (client) => client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' }, data: { b: 'c' } }),
      'POST /api/v1/namespaces/x/configmaps?fieldManager=test application/json {"metadata":{"name":"a","namespace":"x"},"data":{"b":"c"},"apiVersion":"v1","kind":"ConfigMap"}',
    ],
    [
      'update',
      (client) =>
        client.update(ConfigMap, { metadata: { name: 'a', namespace: 'x', resourceVersion: '5' } }, { dryRun: true }),
      'PUT /api/v1/namespaces/x/configmaps/a?dryRun=All&fieldManager=test application/json {"metadata":{"name":"a","namespace":"x","resourceVersion":"5"},"apiVersion":"v1","kind":"ConfigMap"}',
    ],
    [
      'merge patch',
      (client) => client.patch(ConfigMap, 'x/a', { data: { b: null } }, { fieldManager: 'other' }),
      'PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=other application/merge-patch+json {"data":{"b":null}}',
    ],
    [
      'JSON patch',
      (client) => client.patch(ConfigMap, 'x/a', [{ op: 'remove', path: '/data/b' }]),
      'PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=test application/json-patch+json [{"op":"remove","path":"/data/b"}]',
    ],
    [
      'strategic merge patch',
      (client) => client.patch(ConfigMap, 'x/a', { data: { b: 'c' } }, { type: 'strategic' }),
      'PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=test application/strategic-merge-patch+json {"data":{"b":"c"}}',
    ],
    [
      'apply',
      (client) =>
        client.apply(
          ConfigMap,
          { metadata: { name: 'a', namespace: 'x' } },
          { force: true, fieldValidation: 'Strict' },
        ),
      'PATCH /api/v1/namespaces/x/configmaps/a?fieldManager=test&fieldValidation=Strict&force=true application/apply-patch+yaml {"metadata":{"name":"a","namespace":"x"},"apiVersion":"v1","kind":"ConfigMap"}',
    ],
    [
      'apply of a status',
      (client) => client.apply(Deployment, { metadata: { name: 'a', namespace: 'x' } }, { subresource: 'status' }),
      'PATCH /apis/apps/v1/namespaces/x/deployments/a/status?fieldManager=test application/apply-patch+yaml {"metadata":{"name":"a","namespace":"x"},"apiVersion":"apps/v1","kind":"Deployment"}',
    ],
    [
      'delete',
      (client) =>
        client.delete(Namespace, 'a', {
          preconditions: { uid: 'u' },
          propagationPolicy: 'Foreground',
          gracePeriodSeconds: 0,
          dryRun: true,
        }),
      'DELETE /api/v1/namespaces/a application/json {"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"},"propagationPolicy":"Foreground","gracePeriodSeconds":0,"dryRun":["All"]}',
    ],
    [
      'deleteCollection',
      (client) => client.deleteCollection(Pod, { namespace: 'x', labels: { app: 'a' } }),
      'DELETE /api/v1/namespaces/x/pods?labelSelector=app%3Da application/json {"kind":"DeleteOptions","apiVersion":"v1"}',
    ],
    [
      'a subresource of another kind',
      (client) =>
        client.create(
          Pod,
          { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a', namespace: 'x' } },
          {
            subresource: 'eviction',
          },
        ),
      'POST /api/v1/namespaces/x/pods/a/eviction?fieldManager=test application/json {"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a","namespace":"x"}}',
    ],
  ];
  for (const [what, call, line] of cases) test(what, async () => assert.equal(await lineOf(call), line));
});

describe('a call is refused before it is sent', () => {
  const cases: readonly [string, (client: Client) => Promise<unknown>, RegExp][] = [
    ['a namespaced kind without namespace', (client) => client.get(Pod, 'a'), /^Pod is namespaced/],
    ['a cluster-scoped kind with one', (client) => client.get(Namespace, 'x/a'), /^Namespace is cluster-scoped/],
    [
      'create without namespace',
      (client) => client.create(Pod, { metadata: { name: 'a' } } as never),
      /^Pod is namespaced, so create needs/,
    ],
    [
      'deleteCollection everywhere',
      (client) => client.deleteCollection(Pod),
      /^Pod is namespaced, so deleteCollection/,
    ],
    [
      'apply without manager',
      (client) => client.apply(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }),
      /^apply needs a fieldManager/,
    ],
    [
      'apply without name',
      (client) => client.apply(ConfigMap, { metadata: { generateName: 'a', namespace: 'x' } }),
      /no metadata.name/,
    ],
    [
      'an object as JSON patch',
      (client) => client.patch(Pod, 'x/a', {}, { type: 'json' }),
      /a json patch is an array of operations/,
    ],
    [
      'an array as merge patch',
      (client) => client.patch(Pod, 'x/a', [], { type: 'merge' }),
      /a merge patch is an object/,
    ],
    ['no time at all', (client) => client.get(Pod, 'x/a', { timeoutMs: 0 }), /timeoutMs must be greater than 0/],
  ];
  for (const [what, call, message] of cases) {
    test(what, async () => {
      await using given = await setup(() => assert.fail('nothing must be sent'), { fieldManager: undefined });
      await assert.rejects(call(given.client), { message });
      assert.equal(given.server.requests.length, 0);
    });
  }
});

describe('an answer', () => {
  test('keeps fields that nobody here knows', async () => {
    const newer = { ...configMap, spec: { future: [{ unknown: true }] } };
    await using given = await setup((_request, response) => sendJson(response, newer));
    assert.deepEqual(await given.client.get(ConfigMap, 'x/a'), newer);
  });

  test('that says NotFound is undefined to find, and an error to get', async () => {
    await using given = await setup((_request, response) =>
      fail(response, 404, { reason: 'NotFound', details: { name: 'a' } }),
    );
    assert.equal(await given.client.find(ConfigMap, 'x/a'), undefined);
    await assert.rejects(given.client.get(ConfigMap, 'x/a'), (error) => {
      assert.ok(isNotFound(error));
      assert.equal(error.message, 'get configmaps x/a: no');
      return true;
    });
  });

  test('that the kind is unknown is an error to find as well', async () => {
    await using given = await setup((_request, response) => void response.writeHead(404).end('404 page not found'));
    await assert.rejects(given.client.find(ConfigMap, 'x/a'), /is its CustomResourceDefinition installed\?/);
  });

  test('to a delete tells what is gone from what waits', async () => {
    const answers: object[] = [
      { kind: 'Status', apiVersion: 'v1', status: 'Success', details: { uid: 'u1' } },
      { ...configMap, metadata: { ...configMap.metadata, deletionTimestamp: 't', finalizers: ['f'] } },
      { ...configMap, metadata: { ...configMap.metadata, deletionTimestamp: 't', deletionGracePeriodSeconds: 30 } },
      { ...configMap, metadata: { ...configMap.metadata, deletionTimestamp: 't', deletionGracePeriodSeconds: 0 } },
      configMap,
    ];
    await using given = await setup((_request, response) => sendJson(response, answers.shift()));
    const results = [];
    for (let i = 0; i < 5; i++) {
      const result = await given.client.delete(ConfigMap, 'x/a');
      results.push(result.type === 'deleted' ? `deleted ${result.uid}` : result.type);
    }
    assert.deepEqual(results, ['deleted u1', 'terminating', 'terminating', 'deleted u', 'deleted u']);
  });

  test('may come with warnings, which go to the call or else to the client', async () => {
    const warnings: string[] = [];
    await using given = await setup(
      (_request, response) => {
        response.setHeader('warning', '299 - "unknown field \\"x\\"", 299 - "deprecated"');
        sendJson(response, configMap);
      },
      { onWarning: (warning) => warnings.push(`client: ${warning}`) },
    );
    await given.client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
    await given.client.update(
      ConfigMap,
      { metadata: { name: 'a', namespace: 'x' } },
      { onWarning: (warning) => warnings.push(warning) },
    );
    assert.deepEqual(warnings, ['client: unknown field "x"', 'client: deprecated', 'unknown field "x"', 'deprecated']);
  });

  const failures: readonly [string, Script, (error: unknown) => boolean, RegExp][] = [
    [
      'of a proxy',
      (_request, response) => void response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Blocked</html>'),
      isForbidden,
      /^get configmaps x\/a: status 403: <html>Blocked<\/html>$/,
    ],
    [
      'that is no JSON',
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
      isTransportError,
      /^get configmaps x\/a: the answer is not JSON \(text\/html\): <html>Sign in/,
    ],
    [
      'without rights',
      (_request, response) => fail(response, 401, { reason: 'Unauthorized' }),
      isUnauthorized,
      /^get configmaps x\/a: no$/,
    ],
    [
      'with a redirect',
      (_request, response) => void response.writeHead(302, { location: '/login' }).end(),
      () => true,
      /: status 302/,
    ],
    [
      'that breaks off',
      (_request, response) =>
        void response.writeHead(200, { 'content-length': '50' }).write('{"half":', () => response.destroy()),
      isTransportError,
      /^get configmaps x\/a: http:.*closed/,
    ],
  ];
  for (const [what, script, predicate, message] of failures) {
    test(`${what} is an error of our family that names the action`, async () => {
      await using given = await setup(script);
      const call = given.client.get(ConfigMap, 'x/a');
      const rejected = assert.rejects(call, (error: Error) => {
        assert.match(error.message, message);
        assert.ok(predicate(error));
        return true;
      });
      const ended = rejected.then(() => true);
      await untilSettled(given, ended);
      await rejected;
    });
  }

  test('names the fields that the server complains about', async () => {
    const causes = [{ reason: 'FieldManagerConflict', field: '.data.b', message: 'conflict with "other"' }];
    await using given = await setup((_request, response) =>
      fail(response, 409, { reason: 'Conflict', details: { causes } }),
    );
    await assert.rejects(given.client.apply(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }), (error) => {
      assert.ok(isConflict(error));
      assert.deepEqual(causesOf(error), causes);
      return true;
    });
  });
});

describe('a list', () => {
  const page = (items: number[], more: object = {}) => ({
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '9', ...more },
    items: items.map((i) => ({ metadata: { name: `c${i}`, namespace: 'x', resourceVersion: String(i) } })),
  });

  const twoPages: Script = ({ path }, response) =>
    sendJson(
      response,
      path.includes('continue=abc') ? page([3]) : page([1, 2], { continue: 'abc', remainingItemCount: 1 }),
    );

  test('is read in pages into one, and its items know their kind', async () => {
    await using given = await setup(twoPages);
    const list = await given.client.list(ConfigMap, {
      namespace: 'x',
      labels: 'a in (b,c)',
      fields: 'metadata.name!=d',
      pageSize: 2,
      resourceVersion: '5',
    });
    assert.deepEqual(
      list.items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
      [
        ['v1', 'ConfigMap', 'c1'],
        ['v1', 'ConfigMap', 'c2'],
        ['v1', 'ConfigMap', 'c3'],
      ],
    );
    assert.equal(list.resourceVersion, '9');
    const selection = 'labelSelector=a+in+%28b%2Cc%29&fieldSelector=metadata.name%21%3Dd&limit=2';
    assert.deepEqual(
      given.server.requests.map(({ path }) => path),
      [
        `/api/v1/namespaces/x/configmaps?${selection}&resourceVersion=5`,
        `/api/v1/namespaces/x/configmaps?${selection}&continue=abc`,
      ],
    );
  });

  test('may be read page by page', async () => {
    await using given = await setup(twoPages);
    const sizes = [];
    for await (const each of given.client.pages(ConfigMap)) sizes.push([each.items.length, each.remainingItemCount]);
    assert.deepEqual(sizes, [
      [2, 1],
      [1, undefined],
    ]);
    assert.equal(given.clock.timers, 0);
  });

  test('that is empty may say null', async () => {
    await using given = await setup((_request, response) => sendJson(response, { ...page([]), items: null }));
    assert.deepEqual((await given.client.list(ConfigMap)).items, []);
  });

  test('whose pages expire on the way is read whole', async () => {
    await using given = await setup(({ path }, response) => {
      if (path.includes('continue')) fail(response, 410, { reason: 'Expired' });
      else sendJson(response, path.includes('limit=0') ? page([1, 2, 3]) : page([1], { continue: 'abc' }));
    });
    assert.equal((await given.client.list(ConfigMap)).items.length, 3);
    await assert.rejects(async () => {
      for await (const _ of given.client.pages(ConfigMap));
    }, isGone);
  });

  test('that never ends is ended by its deadline, and page by page stays bounded', async () => {
    let pages = 0;
    await using given = await setup((_request, response) => {
      pages += 1;
      // Each page takes a second of the client's time.
      void given.clock.advance(1000).then(() => sendJson(response, page([pages], { continue: `p${pages}` })));
    });
    await assert.rejects(given.client.list(ConfigMap, { timeoutMs: 5000 }), {
      name: 'TransportError',
      message: 'list configmaps in all namespaces: no answer within 5 s',
    });
    assert.ok(pages <= 6);
    let read = 0;
    for await (const each of given.client.pages(ConfigMap, { timeoutMs: 5000 })) {
      assert.equal(each.items.length, 1);
      if (++read === 20) break;
    }
  });
});

describe('metadata alone', () => {
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: configMap.metadata };

  test('is asked for by a kind of its own, whose objects say what they are', async () => {
    await using given = await setup(({ path }, response) => {
      if (path.includes('watch')) response.end(`${JSON.stringify({ type: 'ADDED', object: partial })}\n`);
      else
        sendJson(response, path.includes('limit') ? { metadata: { resourceVersion: '9' }, items: [partial] } : partial);
    });
    const kind = metadataOf(ConfigMap);
    const expected = { apiVersion: 'v1', kind: 'ConfigMap', metadata: configMap.metadata };
    assert.deepEqual(await given.client.get(kind, 'x/a'), expected);
    assert.deepEqual((await given.client.list(kind)).items, [expected]);
    for await (const event of given.client.watch(kind)) assert.deepEqual(event, { type: 'ADDED', object: expected });
    const form = (name: string) => `application/json;as=${name};g=meta.k8s.io;v=v1`;
    assert.deepEqual(
      given.server.requests.map(({ headers }) => headers.accept),
      [form('PartialObjectMetadata'), form('PartialObjectMetadataList'), form('PartialObjectMetadata')],
    );
  });
});

test('any path can be read, as JSON or as it comes', async () => {
  await using given = await setup(({ path }, response) => {
    if (path === '/version') sendJson(response, { major: '1' });
    else if (path === '/log') response.end('line\n');
    else fail(response, 404, { reason: 'NotFound' });
  });
  assert.deepEqual(await given.client.getRaw('/version'), { major: '1' });
  const chunks = [];
  for await (const chunk of given.client.streamRaw('/log')) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'line\n');
  assert.deepEqual(
    given.server.requests.map(({ headers }) => headers.accept),
    ['application/json', '*/*'],
  );
  await assert.rejects(given.client.getRaw('/nothing'), { message: 'get /nothing: no' });
  await assert.rejects(async () => {
    for await (const _ of given.client.streamRaw('/nothing'));
  }, isNotFound);
});

/** Moves the clock whenever someone waits for it, until `ended`. */
async function untilSettled({ clock }: Pick<Setup, 'clock'>, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  void ended.then(over, over);
  await until(async () => {
    if (!isOver && clock.nextInMs !== undefined && clock.nextInMs < 20_000) await clock.advance(clock.nextInMs);
    return isOver;
  });
}

describe('a failed request', () => {
  const busy = (times: number, code: number, headers: Record<string, string> = {}): Script => {
    let failures = 0;
    return (_request, response) =>
      ++failures > times
        ? sendJson(response, configMap)
        : fail(response, code, { reason: code === 429 ? 'TooManyRequests' : 'x' }, headers);
  };

  test('that the server wants later is sent later, whatever it is', async () => {
    await using given = await setup(busy(2, 429, { 'retry-after': '3' }));
    const created = given.client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
    await untilSettled(given, created);
    await created;
    assert.equal(given.server.requests.length, 3);
    assert.equal(given.clock.monotonic(), 6000);
  });

  test('with a 429 that names no time is the caller’s', async () => {
    await using given = await setup(busy(1, 429));
    await assert.rejects(given.client.get(ConfigMap, 'x/a'), isTooManyRequests);
    assert.equal(given.server.requests.length, 1);
  });

  test('is repeated after a 500 for reads and apply, and for nothing else', async () => {
    await using given = await setup(busy(1, 500));
    const calls: readonly [() => Promise<unknown>, number][] = [
      [() => given.client.get(ConfigMap, 'x/a'), 2],
      [() => given.client.apply(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }), 2],
      [() => given.client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }), 1],
      [() => given.client.update(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }), 1],
      [() => given.client.patch(ConfigMap, 'x/a', {}), 1],
      [() => given.client.delete(ConfigMap, 'x/a'), 1],
    ];
    for (const [call, expected] of calls) {
      given.server.script = busy(1, 500);
      const before = given.server.requests.length;
      const result = call().catch(() => {});
      await untilSettled(given, result);
      assert.equal(given.server.requests.length - before, expected);
    }
  });

  test('is repeated after a reset for reads', async () => {
    let resets = 0;
    await using given = await setup(({ incoming }, response) => {
      if (++resets > 2) sendJson(response, configMap);
      else incoming.socket.resetAndDestroy();
    });
    const read = given.client.get(ConfigMap, 'x/a');
    await untilSettled(given, read);
    assert.equal((await read).metadata.name, 'a');
    const before = given.server.requests.length;
    resets = 0;
    await assert.rejects(given.client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }), isTransportError);
    assert.equal(given.server.requests.length - before, 1);
  });

  test('is given up after ten tries, or when its time would not suffice', async () => {
    await using given = await setup(busy(99, 429, { 'retry-after': '1' }));
    const many = given.client.get(ConfigMap, 'x/a').catch((error: unknown) => error);
    await untilSettled(given, many);
    assert.ok(isTooManyRequests(await many));
    assert.equal(given.server.requests.length, 10);
    await assert.rejects(given.client.get(ConfigMap, 'x/a', { timeoutMs: 900 }), isTooManyRequests);
    assert.equal(given.server.requests.length, 11);
    assert.equal(given.clock.timers, 0);
  });
});

describe('time', () => {
  test('is 30 s for a call, and then the socket is closed', async () => {
    await using given = await setup(() => {});
    const call = given.client.get(ConfigMap, 'x/a').catch((error: unknown) => error);
    await until(() => given.server.requests.length === 1);
    await given.clock.advance(29_999);
    assert.equal(given.server.openSockets.size, 1);
    await given.clock.advance(1);
    const error = await call;
    assert.ok(isTransportError(error));
    assert.equal(error.message, 'get configmaps x/a: no answer within 30 s');
    await until(() => given.server.openSockets.size === 0);
  });

  test('ends with the signal of the call, or of the client it is bound to', async () => {
    await using given = await setup(() => {});
    const [own, bound] = [new AbortController(), new AbortController()];
    const client = given.client.with({ signal: bound.signal });
    const first = client.get(ConfigMap, 'x/a', { signal: own.signal });
    const second = client.get(ConfigMap, 'x/a');
    await until(() => given.server.requests.length === 2);
    own.abort(new Error('mine'));
    await assert.rejects(first, /mine/);
    bound.abort(new Error('all'));
    await assert.rejects(second, /all/);
    await assert.rejects(client.get(ConfigMap, 'x/a'), /all/);
    assert.equal(given.server.requests.length, 2);
    assert.equal(given.clock.timers, 0);
  });

  test('defaults can be bound', async () => {
    await using given = await setup((_request, response) => sendJson(response, configMap));
    const client = given.client.with({ fieldManager: 'bound' }).with({ timeoutMs: 5 });
    await client.apply(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
    assert.match(given.server.requests[0]?.path ?? '', /fieldManager=bound/);
  });
});

test('a rate limit holds requests back on this side', async () => {
  await using given = await setup((_request, response) => sendJson(response, configMap), {
    rateLimit: { qps: 10, burst: 2 },
  });
  const calls = Promise.all([1, 2, 3].map(() => given.client.get(ConfigMap, 'x/a')));
  await until(() => given.server.requests.length === 2);
  assert.equal(given.clock.nextInMs, 100);
  await given.clock.advance(100);
  await calls;
});

test('requests are measured as client-go measures them', async () => {
  const finished: Omit<RequestAttempt, 'durationMs'>[] = [];
  const retried: string[] = [];
  const metrics = {
    finished: ({ durationMs, ...attempt }: RequestAttempt) => {
      assert.ok(durationMs >= 0);
      finished.push(attempt);
    },
    retried: ({ method, code }: Pick<RequestAttempt, 'method' | 'code'>) => retried.push(`${method} ${code}`),
  };
  let calls = 0;
  await using given = await setup(
    ({ incoming }, response) => {
      calls += 1;
      if (calls === 1) incoming.socket.resetAndDestroy();
      else if (calls === 2) fail(response, 503);
      else response.writeHead(200).end('{"a":1}');
    },
    { metrics, headers: () => ({ traceparent: '00-1-2-01' }) },
  );
  const call = given.client.apply(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
  await untilSettled(given, call);
  const requestBytes = given.server.requests[0]?.body.length;
  assert.deepEqual(finished, [
    { method: 'PATCH', code: '<error>', requestBytes, responseBytes: 0 },
    { method: 'PATCH', code: '503', requestBytes, responseBytes: 80 },
    { method: 'PATCH', code: '200', requestBytes, responseBytes: 7 },
  ]);
  assert.deepEqual(retried, ['PATCH <error>', 'PATCH 503']);
  assert.equal(given.server.requests[2]?.headers.traceparent, '00-1-2-01');
});

describe('a watch', () => {
  const pod = (resourceVersion: number) => ({
    metadata: { name: 'a', namespace: 'x', resourceVersion: String(resourceVersion) },
  });
  const line = (event: object) => `${JSON.stringify(event)}\n`;

  test('gives events as they come, and closes its connection when the loop is left', async () => {
    await using given = await setup((_request, response) => {
      response.writeHead(200);
      response.write(line({ type: 'ADDED', object: pod(1) }));
      response.write(`${line({ type: 'MODIFIED', object: pod(2) })}{"type":"MOD`);
    });
    const seen = [];
    let isOpen = false;
    for await (const event of given.client.watch(Pod, {
      namespace: 'x',
      resourceVersion: '0',
      onOpen: () => {
        isOpen = true;
      },
    })) {
      seen.push(event.type);
      if (seen.length === 2) break;
    }
    assert.ok(isOpen);
    assert.deepEqual(seen, ['ADDED', 'MODIFIED']);
    assert.equal(
      given.server.requests[0]?.path,
      '/api/v1/namespaces/x/pods?watch=true&allowWatchBookmarks=true&resourceVersion=0',
    );
    await until(() => given.server.openSockets.size === 0);
    assert.equal(given.clock.timers, 0);
  });

  test('must begin in time, but may then be silent for long', async () => {
    await using given = await setup((_request, response) => void response.writeHead(200).flushHeaders());
    const controller = new AbortController();
    let opened = false;
    const stream = given.client.watch(Pod, {
      signal: controller.signal,
      onOpen: () => {
        opened = true;
      },
    });
    const next = stream[Symbol.asyncIterator]().next();
    await until(() => opened);
    await given.clock.advance(3_600_000);
    controller.abort(new Error('enough'));
    await assert.rejects(next, /enough/);

    given.server.script = () => {};
    const late = given.client
      .watch(Pod)
      [Symbol.asyncIterator]()
      .next()
      .catch((error: unknown) => error);
    await until(() => given.server.requests.length === 2);
    await given.clock.advance(30_000);
    assert.match(String(await late), /watch pods in all namespaces: no answer within 30 s/);
  });

  test('that breaks, or is refused, ends with an error that names it', async () => {
    await using given = await setup((_request, response) => {
      response.writeHead(200);
      response.write(line({ type: 'ADDED', object: pod(1) }), () => response.destroy());
    });
    const seen: string[] = [];
    const read = async () => {
      for await (const { type } of given.client.watch(Pod)) seen.push(type);
    };
    await assert.rejects(read(), { name: 'TransportError', message: /^watch pods in all namespaces: http:.* closed/ });
    assert.deepEqual(seen, ['ADDED']);
    given.server.script = (_request, response) => fail(response, 403, { reason: 'Forbidden' });
    await assert.rejects(read(), isForbidden);
    given.server.script = (_request, response) => void response.end('nonsense\n');
    await assert.rejects(read(), /a line of 8 characters is not an event/);
  });
});
