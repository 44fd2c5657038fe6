import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInvalid, isTransportError } from '@keelson/core';
import { connect, createClient, installDefinitions } from '../src/index.ts';
import { ManualClock } from './manual-clock.ts';
import { configFor, type Script, sendJson, startServer } from './scripted-server.ts';
import { until } from './until.ts';

const definition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
} as const;

const withConditions = (...conditions: readonly { type: string; status: string; message?: string }[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  ...definition,
  metadata: { ...definition.metadata, uid: 'u', resourceVersion: '1' },
  status: { conditions },
});

async function setup(script: Script) {
  const server = await startServer(script);
  const transport = connect(configFor(server.url));
  const clock = new ManualClock();
  const client = createClient({ transport, fieldManager: 'test' });
  return {
    server,
    clock,
    install: (options: { signal?: AbortSignal } = {}) =>
      installDefinitions(client, [definition], { clock, ...options }),
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('definitions are applied, and looked at until they are served', async () => {
  await using given = await setup(({ method }, response) =>
    sendJson(response, withConditions({ type: 'Established', status: method === 'PATCH' ? 'False' : 'True' })),
  );
  const installed = given.install();
  await until(() => given.clock.nextInMs === 100);
  await given.clock.advance(100);
  assert.deepEqual(
    (await installed).map(({ metadata }) => metadata.name),
    ['widgets.example.com'],
  );
  assert.deepEqual(
    given.server.requests.map(({ method, path }) => `${method} ${path}`),
    [
      'PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com?fieldManager=test&fieldValidation=Ignore&force=true',
      'GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com',
    ],
  );
  assert.equal(given.clock.timers, 0);
});

test('one that the server refuses later is an error that says why', async () => {
  await using given = await setup((_request, response) =>
    sendJson(
      response,
      withConditions({ type: 'NamesAccepted', status: 'False', message: '"Widget" is already in use' }),
    ),
  );
  await assert.rejects(given.install(), (error: Error) => {
    assert.ok(isInvalid(error));
    assert.equal(error.message, 'install widgets.example.com: NamesAccepted is False: "Widget" is already in use');
    return true;
  });
});

test('one that is never served is an error after 30 s, or as soon as the caller has enough', async () => {
  await using given = await setup((_request, response) => sendJson(response, withConditions()));
  const wait = async (ended: Promise<unknown>) => {
    let isOver = false;
    void ended
      .finally(() => {
        isOver = true;
      })
      .catch(() => {});
    await until(async () => {
      if (given.clock.nextInMs === 100) await given.clock.advance(30_000);
      return isOver;
    });
  };
  const late = given.install().catch((error: unknown) => error);
  await wait(late);
  assert.ok(isTransportError(await late));
  assert.equal(String(await late), 'TransportError: install widgets.example.com: it is not served after 30 s');
  const controller = new AbortController();
  const ended = assert.rejects(given.install({ signal: controller.signal }), /enough/);
  controller.abort(new Error('enough'));
  await ended;
  assert.equal(given.clock.timers, 0);
});
