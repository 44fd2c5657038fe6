import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import {
  causesOf,
  DeadlineExceededError,
  deadline,
  isConflict,
  isForbidden,
  isGone,
  isNotFound,
  isTooManyRequests,
  isTransportError,
  isUnauthorized,
  metadataOf,
  TransportError,
} from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap, Namespace, Pod } from '@keelson/core/v1';
import {
  type Client,
  type ClientOptions,
  connect,
  createClient,
  installDefinitions,
  type RequestAttempt,
} from '../src/index.ts';
import { heapAfterCollection } from './heap.ts';
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
      (client) => client.applySubresource(Deployment, 'status', { metadata: { name: 'a', namespace: 'x' } }),
      'PATCH /apis/apps/v1/namespaces/x/deployments/a/status?fieldManager=test&fieldValidation=Ignore application/apply-patch+yaml {"metadata":{"name":"a","namespace":"x"},"apiVersion":"apps/v1","kind":"Deployment"}',
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
        client.createSubresource(Pod, 'eviction', {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'a', namespace: 'x' },
        }),
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
      ({ path }, response) => {
        response.setHeader('warning', '299 - "unknown field \\"x\\"", 299 - "deprecated"');
        if (path.includes('watch')) response.end();
        else sendJson(response, configMap);
      },
      { onWarning: (warning) => warnings.push(`client: ${warning}`) },
    );
    await given.client.get(ConfigMap, 'x/a'); // such as of a deprecated version
    for await (const _ of given.client.watch(ConfigMap));
    assert.deepEqual(warnings.splice(0), Array(2).fill(['client: unknown field "x"', 'client: deprecated']).flat());
    await given.client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
    await given.client.update(
      ConfigMap,
      { metadata: { name: 'a', namespace: 'x' } },
      { onWarning: (warning) => warnings.push(warning) },
    );
    assert.deepEqual(warnings, ['client: unknown field "x"', 'client: deprecated', 'unknown field "x"', 'deprecated']);
  });

  test('stands when those who are told about it fail, at once or later', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    const outcomes = { now: () => assert.fail('now'), later: () => Promise.reject(new Error('later')) };
    try {
      for (const observe of Object.values(outcomes)) {
        let told = 0;
        const observer = (() => {
          told += 1;
          return observe();
        }) as () => void;
        await using given = await setup(
          ({ path }, response) => {
            response.setHeader('warning', '299 - "deprecated"');
            if (given.server.requests.length === 1) fail(response, 500);
            else if (path.includes('watch'))
              response.write(`${JSON.stringify({ type: 'ADDED', object: configMap })}\n`);
            else sendJson(response, configMap);
          },
          {
            onWarning: observer,
            metrics: { finished: observer, retried: observer, throttled: observer },
            rateLimit: { qps: 5, burst: 1 },
          },
        );
        const call = given.client.get(ConfigMap, 'x/a');
        await untilSettled(given, call);
        assert.deepEqual(await call, configMap);
        assert.equal(told, 6, 'two tries, two warnings, one repetition, one wait');
        await given.clock.advance(200);
        for await (const event of given.client.watch(ConfigMap, { onOpen: observer })) {
          assert.equal(event.type, 'ADDED');
          break;
        }
        assert.equal(told, 9);
        await until(() => given.server.openSockets.size === 1, { what: 'the socket of the watch to close' });
      }
    } finally {
      process.off('unhandledRejection', onUnhandled);
    }
    assert.deepEqual(unhandled, []);
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
      /^get configmaps x\/a: no; a test names no credentials$/,
    ],
    [
      'that is broken JSON, of which nothing is shown',
      (_request, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"kind":"Secret","data":{"password":"aHVudGVyMg=='),
      isTransportError,
      /^get configmaps x\/a: the answer is broken JSON \(49 bytes\); does a proxy answer in the server's place\?$/,
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
        assert.ok(!inspect(error, { depth: 9 }).includes('aHVudGVy'));
        return true;
      });
      const ended = rejected.then(() => true);
      await untilSettled(given, ended);
      await rejected;
    });
  }

  test('of another shape than was asked for is an error that names the action, and never taken for the thing', async () => {
    await using given = await setup(() => {});
    const { client } = given;
    const metadata = { name: 'a', namespace: 'x' };
    const calls: readonly [string, (client: Client) => Promise<unknown>][] = [
      ['get', () => client.get(ConfigMap, 'x/a')],
      ['find', () => client.find(ConfigMap, 'x/a')],
      ['create', () => client.create(ConfigMap, { metadata })],
      ['update', () => client.update(ConfigMap, { metadata })],
      ['patch', () => client.patch(ConfigMap, 'x/a', {})],
      ['apply', () => client.apply(ConfigMap, { metadata })],
      ['delete', () => client.delete(ConfigMap, 'x/a')],
      ['get of a subresource', () => client.get(Deployment, 'x/a', { subresource: 'scale' })],
      ['list', () => client.list(ConfigMap)],
    ];
    const shapes = [null, [], 'ok', {}, { metadata: {}, items: [null] }, { metadata: {}, items: {} }];
    for (const [what, call] of calls) {
      // A subresource may answer with anything that has fields, and only a list has items.
      const wrong = what === 'list' ? shapes : shapes.slice(0, what.endsWith('subresource') ? 3 : 4);
      for (const answer of wrong) {
        given.server.script = (_request, response) => sendJson(response, answer);
        await assert.rejects(call(client), (error: Error) => {
          assert.ok(isTransportError(error), `${what} ${JSON.stringify(answer)}: ${error}`);
          assert.match(
            error.message,
            /^(get|create|update|patch|apply|delete|list) (configmaps|deployments.apps\/scale) /,
          );
          assert.match(error.message, /: the answer is .*; does a proxy answer in the server's place\?$/);
          return true;
        });
      }
    }
    given.server.script = (_request, response) => sendJson(response, { spec: { replicas: 1 } });
    assert.ok(await client.get(Deployment, 'x/a', { subresource: 'scale' }));
  });

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

  test('page by page holds one page, however many there are', async () => {
    const bulk = 'x'.repeat(100_000);
    let pages = 0;
    await using given = await setup((_request, response) => {
      const { items, ...rest } = page(
        Array.from({ length: 10 }, (_, i) => i),
        { continue: `p${++pages}` },
      );
      sendJson(response, { ...rest, items: items.map((item) => ({ ...item, data: { bulk: bulk + pages } })) });
    });
    let read = 0;
    let early = 0;
    for await (const each of given.client.pages(ConfigMap)) {
      assert.equal(each.items.length, 10);
      read += 1;
      if (read === 10) early = heapAfterCollection();
      if (read === 60) break; // 60 MB, were they kept
    }
    assert.ok(heapAfterCollection() - early < 5 * 1024 * 1024);
  });

  test('that is followed by itself is an error at once, also page by page', async () => {
    await using given = await setup((_request, response) => sendJson(response, page([1], { continue: 'abc' })));
    const message =
      'list configmaps in all namespaces: the server goes round in circles: this page says that it is followed by itself';
    await assert.rejects(given.client.list(ConfigMap), { name: 'TransportError', message });
    assert.equal(given.server.requests.length, 2);
    await assert.rejects(
      async () => {
        for await (const _ of given.client.pages(ConfigMap));
      },
      { name: 'TransportError', message },
    );
    assert.equal(given.server.requests.length, 4);
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
    const controller = new AbortController();
    const endless = given.client.list(ConfigMap, { timeoutMs: 3_600_000, signal: controller.signal });
    const soFar = pages;
    await until(() => pages > soFar + 3);
    controller.abort(new Error('enough'));
    await assert.rejects(endless, /enough/);
  });
});

describe('a kind that is known by its name', () => {
  const widgets = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'x', uid: 'u' } };
  /** Installed after the first look, or from the beginning. */
  const script = (looks = 0): Script => {
    return ({ path }, response) => {
      if (path === '/api') sendJson(response, { kind: 'APIGroupDiscoveryList', items: [] });
      else if (path === '/apis') {
        const resources =
          looks++ === 0
            ? []
            : [{ resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Namespaced', verbs: ['get'] }];
        const items = [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources }] }];
        sendJson(response, { kind: 'APIGroupDiscoveryList', items });
      } else if (path.includes('watch'))
        response.end(
          `${JSON.stringify({ type: 'ADDED', object: { metadata: { ...widget.metadata, resourceVersion: '1' } } })}\n`,
        );
      else if (path.includes('limit')) sendJson(response, { metadata: {}, items: [{ metadata: widget.metadata }] });
      else sendJson(response, widget);
    };
  };

  test('is found as soon as it is there, asked for once, and then like any other', async () => {
    await using given = await setup(script());
    const { client } = given;
    await assert.rejects(client.get(widgets, 'x/a'), (error: Error) => {
      assert.ok(isNotFound(error));
      assert.equal(
        error.message,
        'find the kind Widget of example.com/v1: the server has no such kind; is its CustomResourceDefinition installed?',
      );
      return true;
    });
    assert.equal(given.server.requests.length, 2, 'what may have been meant is no reason to ask again');
    const before = given.server.requests.length;
    const bound = client.with({ timeoutMs: 1000 });
    assert.deepEqual(await bound.get(widgets, 'x/a'), widget);
    assert.deepEqual(await client.find(widgets, 'x/a', { subresource: 'status' }), widget);
    assert.equal((await client.list(widgets)).items[0]?.kind, 'Widget');
    for await (const page of client.pages(widgets, { namespace: 'x' })) assert.equal(page.items[0]?.kind, 'Widget');
    for await (const event of client.watch(widgets)) assert.ok('object' in event && event.object.kind === 'Widget');
    await client.create(widgets, { metadata: { name: 'a', namespace: 'x' }, spec: { size: 1 } });
    await client.update(widgets, { metadata: { name: 'a', namespace: 'x' }, spec: { size: 1 } });
    await client.patch(widgets, 'x/a', { spec: { size: 2 } });
    await client.apply(widgets, { metadata: { name: 'a', namespace: 'x' }, spec: { size: 3 } });
    await client.delete(widgets, 'x/a');
    await client.deleteCollection(widgets, { namespace: 'x' });
    const collection = '/apis/example.com/v1/namespaces/x/widgets';
    assert.deepEqual(
      given.server.requests.slice(before).map(({ method, path }) => `${method} ${path.split('?')[0]}`),
      [
        'GET /api',
        'GET /apis',
        `GET ${collection}/a`,
        `GET ${collection}/a/status`,
        'GET /apis/example.com/v1/widgets',
        `GET ${collection}`,
        'GET /apis/example.com/v1/widgets',
        `POST ${collection}`,
        `PUT ${collection}/a`,
        `PATCH ${collection}/a`,
        `PATCH ${collection}/a`,
        `DELETE ${collection}/a`,
        `DELETE ${collection}`,
      ],
    );
    assert.equal(JSON.parse(given.server.requests.at(-6)?.body ?? '').kind, 'Widget');
    await assert.rejects(client.get(widgets, 'a'), /^TypeError: Widget is namespaced/);
    await assert.rejects(client.get({ ...widgets, kind: 'widgets' }, 'x/a'), {
      message:
        'find the kind widgets of example.com/v1: the server has no such kind; it has Widget in the group example.com, version v1',
    });
    await assert.rejects(client.get({ kind: 'Widget' } as typeof widgets, 'x/a'), TypeError);
  });

  test('is looked for again when it has moved', async () => {
    let plural = 'widgets';
    await using given = await setup(({ path }, response) => {
      if (path === '/api') sendJson(response, { kind: 'APIGroupDiscoveryList', items: [] });
      else if (path === '/apis') {
        const resources = [{ resource: plural, responseKind: { kind: 'Widget' }, scope: 'Namespaced', verbs: ['get'] }];
        const items = [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources }] }];
        sendJson(response, { kind: 'APIGroupDiscoveryList', items });
      } else if (path.endsWith(`/${plural}/a`)) sendJson(response, widget);
      else if (path.includes(`/${plural}?watch`)) response.end();
      else response.writeHead(404).end('404 page not found');
    });
    await given.client.get(widgets, 'x/a');
    plural = 'gizmos'; // the definition was deleted, and another made
    await assert.rejects(given.client.get(widgets, 'x/a'), /is its CustomResourceDefinition installed\?/);
    assert.deepEqual(await given.client.get(widgets, 'x/a'), widget);
    plural = 'gadgets';
    const watch = async () => {
      for await (const _ of given.client.watch(widgets));
    };
    await assert.rejects(watch, isNotFound);
    await watch();
  });

  test('is not looked for again when a path that is no kind’s has nothing', async () => {
    await using given = await setup((request, response) => {
      if (request.path === '/nothing') fail(response, 404, { reason: 'NotFound' });
      else script(1)(request, response);
    });
    await given.client.get(widgets, 'x/a');
    await assert.rejects(given.client.getRaw('/nothing'), isNotFound);
    await given.client.get(widgets, 'x/a');
    assert.equal(given.server.requests.filter(({ path }) => path === '/apis').length, 1);
  });

  test('is not waited for longer than the call may take', async () => {
    await using given = await setup(() => {});
    const controller = new AbortController();
    const aborted = given.client.get(widgets, 'x/a', { signal: controller.signal });
    const late = given.client.get(widgets, 'x/a', { timeoutMs: 1000 }).catch((error: unknown) => error);
    await until(() => given.server.requests.length === 2);
    controller.abort(new Error('enough'));
    await assert.rejects(aborted, /enough/);
    await given.clock.advance(1000);
    assert.equal(String(await late), 'TransportError: find the kind Widget of example.com/v1: no answer within 1 s');
  });
});

test('definitions are no longer waited for once one of them fails, and nothing goes on', async () => {
  const definition = (name: string) => ({
    metadata: { name: `${name}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: name, kind: name }, versions: [] },
  });
  await using given = await setup(({ path, body }, response) => {
    if (path.includes('/bad.')) fail(response, 403, { reason: 'Forbidden' });
    else if (!path.includes('/silent.')) sendJson(response, JSON.parse(body)); // accepted, and never served
  });
  const definitions = ['silent', 'slow', 'bad'].map(definition);
  await assert.rejects(installDefinitions(given.client, definitions, { clock: given.clock }), isForbidden);
  assert.equal(given.clock.timers, 0);

  using limit = deadline(given.clock, 1000, 'the whole task');
  const { signal } = limit;
  const late = installDefinitions(given.client, [definition('silent')], { clock: given.clock, signal });
  const rejected = assert.rejects(late, (error) => error === signal.reason);
  await given.clock.advance(1000);
  await rejected;
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
      // Had the first try succeeded, the second would conflict with it.
      [() => given.client.apply(ConfigMap, { metadata: { name: 'a', namespace: 'x', resourceVersion: '5' } }), 1],
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

  test('that somebody else has set ends a call with that reason, not as if it were its own', async () => {
    await using given = await setup(() => {});
    using limit = deadline(given.clock, 1000, 'the whole task');
    const call = given.client.get(ConfigMap, 'x/a', { signal: limit.signal }).catch((error: unknown) => error);
    await until(() => given.server.requests.length === 1);
    await given.clock.advance(1000);
    assert.equal(await call, limit.signal.reason);
  });

  test('ends with the very reason of the signal, whatever it is and whenever it comes', async () => {
    const reasons = [
      new TransportError('mine', 'stop'),
      new DeadlineExceededError('get configmaps x/a', 5), // as ours would read
      'a text',
    ];
    for (const reason of reasons) {
      await using given = await setup(({ path }, response) => {
        if (path.includes('watch')) response.writeHead(200).flushHeaders();
      });
      const controller = new AbortController();
      const { signal } = controller;
      let isOpen = false;
      const onOpen = () => {
        isOpen = true;
      };
      const calls = [
        given.client.get(ConfigMap, 'x/a', { signal }),
        given.client.list(ConfigMap, { signal }),
        given.client.get({ group: 'e.com', version: 'v1', kind: 'Widget' }, 'x/a', { signal }),
        given.client.watch(ConfigMap, { signal, onOpen })[Symbol.asyncIterator]().next(),
      ].map((call) => call.catch((error: unknown) => error));
      await until(() => isOpen && given.server.requests.length === 5);
      controller.abort(reason);
      for (const error of await Promise.all(calls)) assert.equal(error, reason);
      const late = await given.client.get(ConfigMap, 'x/a', { signal }).catch((error: unknown) => error);
      assert.equal(late, reason);
    }
  });

  test('defaults can be bound', async () => {
    await using given = await setup((_request, response) => sendJson(response, configMap));
    const client = given.client.with({ fieldManager: 'bound' }).with({ timeoutMs: 5 });
    await client.apply(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
    assert.match(given.server.requests[0]?.path ?? '', /fieldManager=bound/);
  });
});

test('a rate limit holds requests back on this side', async () => {
  const throttled: unknown[] = [];
  await using given = await setup((_request, response) => sendJson(response, configMap), {
    rateLimit: { qps: 10, burst: 2 },
    metrics: { throttled: (each) => throttled.push(each) },
  });
  const calls = Promise.all([1, 2, 3].map(() => given.client.get(ConfigMap, 'x/a')));
  await until(() => given.server.requests.length === 2);
  assert.equal(given.clock.nextInMs, 100);
  await given.clock.advance(100);
  await calls;
  assert.deepEqual(throttled, [{ method: 'GET', waitedMs: 100 }]);
});

test('a rate limit that leaves no time says so at once', async () => {
  await using given = await setup((_request, response) => sendJson(response, configMap), {
    rateLimit: { qps: 0.01, burst: 1 },
  });
  await given.client.get(ConfigMap, 'x/a');
  await assert.rejects(given.client.get(ConfigMap, 'x/a'), {
    name: 'TransportError',
    message: 'get configmaps x/a: the rate limit of this client leaves no time for it',
  });
  assert.equal(given.clock.timers, 0);
});

test('a rate limit lets nobody wait for those who did not', async () => {
  await using given = await setup((_request, response) => sendJson(response, configMap), {
    rateLimit: { qps: 10, burst: 1 },
  });
  const { client, clock, server } = given;
  await client.get(ConfigMap, 'x/a');
  const controller = new AbortController();
  const { signal } = controller;
  const many = (options: object) =>
    Promise.allSettled(Array.from({ length: 100 }, () => client.get(ConfigMap, 'x/a', options)));
  const isRefused = ({ status }: { readonly status: string }) => status === 'rejected';
  assert.ok((await many({ timeoutMs: 50 })).every(isRefused), 'those who cannot wait');
  const left = many({ signal });
  assert.equal(clock.nextInMs, 100);
  controller.abort(new Error('enough'));
  assert.ok((await left).every(isRefused), 'those who leave');
  assert.ok((await many({ signal })).every(isRefused), 'those who never came');
  const patient = client.get(ConfigMap, 'x/a');
  assert.equal(clock.nextInMs, 100);
  await clock.advance(100);
  await patient;
  assert.equal(server.requests.length, 2);
  await clock.advance(100);
  assert.ok((await many({ signal })).every(isRefused));
  await client.get(ConfigMap, 'x/a'); // the token that is there was left there
});

describe('traces go on in the server', () => {
  test('by the headers of the call that is being traced, also when it is repeated', async () => {
    const active = new AsyncLocalStorage<string>();
    let failures = 2;
    await using given = await setup(
      (_request, response) => (failures-- > 0 ? fail(response, 500) : sendJson(response, configMap)),
      { headers: () => ({ traceparent: active.getStore() ?? 'none' }) },
    );
    const traced = active.run('00-a-b-01', () => given.client.get(ConfigMap, 'x/a'));
    await untilSettled(given, traced);
    await Promise.all(
      ['00-c-d-01', '00-e-f-01'].map((trace) => active.run(trace, () => given.client.get(ConfigMap, 'x/a'))),
    );
    const sent = given.server.requests.map(({ headers }) => String(headers.traceparent));
    assert.deepEqual(sent.slice(0, 3), Array(3).fill('00-a-b-01'));
    assert.deepEqual(sent.slice(3).sort(), ['00-c-d-01', '00-e-f-01']);
  });
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
      else response.writeHead(200).end('{"metadata":{}}');
    },
    { metrics, headers: () => ({ traceparent: '00-1-2-01' }) },
  );
  const call = given.client.apply(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
  await untilSettled(given, call);
  const requestBytes = given.server.requests[0]?.body.length;
  assert.deepEqual(finished, [
    { method: 'PATCH', code: '<error>', requestBytes, responseBytes: 0 },
    { method: 'PATCH', code: '503', requestBytes, responseBytes: 80 },
    { method: 'PATCH', code: '200', requestBytes, responseBytes: 15 },
  ]);
  assert.deepEqual(retried, ['PATCH 503', 'PATCH 200'], 'how the second and the third try ended');
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
