import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import type { ReadCaches } from '../cache/caches.ts';
import { promClient } from '../late-modules.ts';
import { webhookMetrics } from '../metrics/webhook-metrics.ts';
import { type Webhook, webhook } from './webhook.ts';
import { maxBodyBytes, type WebhookCall, webhookHandler } from './webhook-handler.ts';
import { webhookTransport } from './webhook-transport.ts';

interface World {
  readonly webhooks?: readonly Webhook[];
  readonly kinds?: readonly Kind[];
  readonly cache?: Partial<ReadCaches>;
}

function given({ webhooks = [], kinds = [], cache = {} }: World) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const registry = new (promClient().Registry)();
  const caches = { informers: [], ...cache } as unknown as ReadCaches;
  const handler = webhookHandler({
    webhooks: webhooks.map((each) => ({ webhook: each, cache: caches })),
    kinds,
    settings: { limit: 3 },
    metrics: webhookMetrics(registry, clock),
    logger,
    clock,
  });
  const post = (path: string, body: unknown, rest: Partial<WebhookCall> = {}) =>
    handler({
      method: 'POST',
      path,
      contentType: 'application/json',
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      ...rest,
    });
  const ask = async (part: 'mutate' | 'validate', request: object) => {
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    const { status, body } = await post(`/${part}/configmap`, { ...review, request: { ...asked, ...request } });
    assert.equal(status, 200, body);
    const { response, ...type } = JSON.parse(body);
    assert.deepEqual(type, review);
    const { patch } = response;
    return patch === undefined ? response : { ...response, patch: JSON.parse(Buffer.from(patch, 'base64').toString()) };
  };
  const metric = async (name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values.map(({ labels, value }) => ({ ...labels, value }));
  return { clock, logger, handler, post, ask, metric };
}

const asked = {
  uid: 'u',
  operation: 'CREATE',
  name: 'a',
  namespace: 'ns',
  userInfo: { username: 'me', groups: ['us'] },
};
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' }, unknown: [1] };

test('what default returns becomes a patch of what it changed, and nothing is said where it changes nothing', async () => {
  const { ask } = given({
    webhooks: [
      webhook(ConfigMap, {
        default: ({ object: map }) => (map.data?.b ? undefined : { ...map, data: { ...map.data, b: '2' } }),
      }),
    ],
  });
  assert.deepEqual(await ask('mutate', { object }), {
    uid: 'u',
    allowed: true,
    patchType: 'JSONPatch',
    patch: [{ op: 'add', path: '/data/b', value: '2' }],
  });
  const whole = { ...object, data: { b: '2' } };
  assert.deepEqual(await ask('mutate', { object: whole }), { uid: 'u', allowed: true });
});

test('default may warn, with an object and without', async () => {
  const { ask } = given({
    webhooks: [
      webhook(ConfigMap, {
        default: ({ object: map }) =>
          map.data?.b
            ? { warnings: ['b is old'] }
            : { object: { ...map, data: { ...map.data, b: '2' } }, warnings: ['b was missing', 'a is next'] },
      }),
    ],
  });
  const { patch, ...rest } = await ask('mutate', { object });
  assert.deepEqual(patch, [{ op: 'add', path: '/data/b', value: '2' }]);
  const warnings = ['b was missing', 'a is next'];
  assert.deepEqual(rest, { uid: 'u', allowed: true, patchType: 'JSONPatch', warnings });
  const whole = { ...object, data: { b: '2' } };
  assert.deepEqual(await ask('mutate', { object: whole }), { uid: 'u', allowed: true, warnings: ['b is old'] });
});

test('who is asked about a subresource sees what it takes, and refuses in its words', async () => {
  const { post } = given({
    webhooks: [
      webhook(ConfigMap, {
        subresource: 'scale',
        validate: ({ object: scale, oldObject }) =>
          scale.spec?.replicas === oldObject.spec?.replicas
            ? []
            : [{ field: ({ spec }) => spec?.replicas, message: 'stays' }],
      }),
    ],
  });
  const scale = (replicas: number) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas } });
  const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  const request = { ...asked, operation: 'UPDATE', kind, object: scale(3), oldObject: scale(2) };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const { response } = JSON.parse((await post('/validate/configmap-scale', review)).body);
  assert.equal(response.status.message, 'Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: 3: stays');
});

test('the request has what the server sent, and cannot be changed', async () => {
  const seen: unknown[] = [];
  const { ask } = given({
    webhooks: [
      webhook(ConfigMap, {
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        validate(request) {
          const { operation, name, namespace, user, dryRun, options, settings, oldObject } = request;
          seen.push([operation, name, namespace, user, dryRun, options, settings, oldObject, request.object]);
          assert.throws(() => Object.assign((request.object ?? request.oldObject).data ?? {}, { x: 'y' }), TypeError);
          return [];
        },
      }),
    ],
  });
  await ask('validate', { object, name: '', options: { fieldManager: 'kubectl' } });
  await ask('validate', { operation: 'DELETE', object: null, oldObject: object, dryRun: true, options: null });
  const user = asked.userInfo;
  assert.deepEqual(seen, [
    ['CREATE', undefined, 'ns', user, false, { fieldManager: 'kubectl' }, undefined, undefined, object],
    ['DELETE', 'a', 'ns', user, true, {}, undefined, object, undefined],
  ]);
});

test('causes refuse, warnings are shown with either answer, and nothing at all lets it through', async () => {
  const { ask } = given({
    webhooks: [
      webhook(ConfigMap, {
        validate: ({ object: { data = {} } }) =>
          data.a === '1'
            ? [{ field: ({ data: all }) => all?.a, message: 'must be 2' }, { warning: 'think again' }]
            : data.a === '2'
              ? [{ warning: 'fine, but' }]
              : undefined,
      }),
    ],
  });
  const { status, ...refused } = await ask('validate', { object });
  assert.deepEqual(refused, { uid: 'u', allowed: false, warnings: ['think again'] });
  assert.equal(status.message, 'ConfigMap "a" is invalid: data.a: Invalid value: "1": must be 2');
  const two = await ask('validate', { object: { ...object, data: { a: '2' } } });
  assert.deepEqual(two, { uid: 'u', allowed: true, warnings: ['fine, but'] });
  const none = await ask('validate', { object: { ...object, data: {} } });
  assert.deepEqual(none, { uid: 'u', allowed: true });
});

test('a finding with a message refuses, whatever it warns of', async () => {
  for (const [warning, warnings] of [
    ['and more', { warnings: ['and more'] }],
    [undefined, {}],
  ] as const) {
    const both = webhook(ConfigMap, { validate: () => [{ message: 'no', warning }] as never });
    const { status, ...refused } = await given({ webhooks: [both] }).ask('validate', { object });
    assert.deepEqual(refused, { uid: 'u', allowed: false, ...warnings });
    assert.equal(status.message, 'no');
  }
});

test('an object with a very long list is judged like any other', async () => {
  const { ask } = given({ webhooks: [webhook(ConfigMap, { validate: () => [{ message: 'no' }] })] });
  const long = Array.from({ length: 200_000 }, () => 1);
  assert.equal((await ask('validate', { object: { ...object, unknown: long } })).allowed, false);
});

test('an object that is going loses its finalizers unasked, and is judged when more than metadata changes', async () => {
  const { ask } = given({ webhooks: [webhook(ConfigMap, { validate: () => [{ message: 'never' }] })] });
  const metadata = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' };
  const [oldObject, going] = [
    { ...object, metadata: { ...metadata, finalizers: ['x/y'] } },
    { ...object, metadata },
  ];
  const update = { operation: 'UPDATE', oldObject };
  assert.equal((await ask('validate', { ...update, object: going })).allowed, true);
  assert.equal((await ask('validate', { ...update, object: { ...going, data: {} } })).allowed, false);
  assert.equal((await ask('validate', { ...update, object })).allowed, false);
});

test('a webhook that throws or answers nonsense is a failed call without its words; the log and a counter tell', async () => {
  const nonsense = [
    { default: () => assert.fail('secret') },
    { default: async () => Promise.reject(new Error('secret')) },
    { default: () => 'secret' as never },
    { validate: () => 'secret' as never },
    { validate: () => [{ text: 'secret' }] as never },
    { validate: () => [{ warning: 'secret', message: 5 }] as never },
  ];
  for (const functions of nonsense) {
    const { post, logger, metric } = given({ webhooks: [webhook(ConfigMap, functions)] });
    const path = 'default' in functions ? '/mutate/configmap' : '/validate/configmap';
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { ...asked, object } };
    const { status, body } = await post(path, review);
    assert.deepEqual([status, body], [500, `webhook ${path} failed; its log says why\n`]);
    assert.match(String(logger.lines.at(-1)?.fields.error), /secret/);
    assert.deepEqual(await metric('controller_runtime_webhook_panics_total'), [{ value: 1 }]);
  }
});

test('a call is answered before the server stops to wait, and the signal ends with it', async () => {
  for (const [query, patienceMs] of [
    ['', 9800],
    ['?timeout=30s', 29_800],
    ['?timeout=1s', 800],
  ] as const) {
    let aborted = false;
    const { clock, post, metric } = given({
      webhooks: [
        webhook(ConfigMap, {
          validate: ({ signal }) =>
            new Promise(() => {
              signal.addEventListener('abort', () => {
                aborted = true;
              });
            }),
        }),
      ],
    });
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { ...asked, object } };
    const answering = post(`/validate/configmap${query}`, review);
    await clock.advance(patienceMs - 1);
    assert.equal(aborted, false);
    assert.deepEqual(await metric('controller_runtime_webhook_requests_in_flight'), [
      { webhook: '/validate/configmap', value: 1 },
    ]);
    await clock.advance(1);
    const { status, body } = await answering;
    assert.deepEqual(
      [status, body, aborted],
      [500, 'webhook /validate/configmap took too long; its log says why\n', true],
    );
    assert.deepEqual(await metric('controller_runtime_webhook_panics_total'), [{ value: 0 }]);
  }
});

test('a call waits until what the webhook reads is in the cache', async () => {
  const synced = Promise.withResolvers<void>();
  const { ask, clock } = given({
    webhooks: [
      webhook(ConfigMap, {
        reads: [ConfigMap],
        validate: ({ cache }) => [{ warning: `${cache.get(ConfigMap, 'a/b')}` }],
      }),
    ],
    cache: { informers: [{ kind: ConfigMap, synced: synced.promise }] as never, get: () => 'cached' as never },
  });
  let answer: unknown;
  const answering = ask('validate', { object }).then((response) => {
    answer = response;
  });
  await clock.advance(1000);
  assert.equal(answer, undefined);
  synced.resolve();
  await answering;
  assert.deepEqual(answer, { uid: 'u', allowed: true, warnings: ['cached'] });
});

test('what is no call of a webhook is refused with what is wrong', async () => {
  const { post, metric } = given({ webhooks: [webhook(ConfigMap, { validate: () => [] })] });
  const path = '/validate/configmap';
  const refused = async (...call: Parameters<typeof post>) => {
    const { status, body } = await post(...call);
    return `${status} ${body.trimEnd()}`;
  };
  assert.equal(await refused('/mutate/configmap', {}), '404 there is no webhook at this path');
  assert.equal(await refused('//', {}), '400 this is no path');
  assert.equal(await refused('/convert', {}), '404 there is no webhook at this path');
  assert.equal(await refused(path, {}, { method: 'GET' }), '405 a webhook is called by POST');
  assert.equal(
    await refused(path, {}, { contentType: 'text/plain' }),
    '400 contentType=text/plain, expected application/json',
  );
  assert.equal(await refused(path, '{'), '400 the body is no review that can be read');
  assert.equal(await refused(path, {}), '400 the body is no AdmissionReview of admission.k8s.io/v1');
  const old = { apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', request: asked };
  assert.equal(await refused(path, old), '400 the body is no AdmissionReview of admission.k8s.io/v1');
  const long = { body: Buffer.alloc(maxBodyBytes + 1) };
  assert.equal(await refused(path, {}, long), '413 the limit is 7340032 bytes');
  assert.equal(
    await refused(path, {}, { body: Buffer.alloc(maxBodyBytes) }),
    '400 the body is no review that can be read',
  );
  assert.deepEqual(await metric('controller_runtime_webhook_requests_total'), [
    { webhook: path, code: '200', value: 0 },
    { webhook: path, code: '500', value: 0 },
    { webhook: path, code: '405', value: 1 },
    { webhook: path, code: '400', value: 5 },
    { webhook: path, code: '413', value: 1 },
  ]);
});

const site = (convert: (object: object, apiVersion: string, warn: (text: string) => void) => object): Kind => ({
  group: 'web.example.com',
  version: 'v2',
  kind: 'Site',
  resource: 'sites',
  scope: 'Namespaced',
  conversion: {
    versions: ['v1', 'v2'],
    served: ['v1', 'v2'],
    convert: convert as NonNullable<Kind['conversion']>['convert'],
  },
});
const conversion = (objects: readonly object[], desiredAPIVersion = 'web.example.com/v2') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'u', desiredAPIVersion, objects },
});
const v1 = (name: string) => ({
  apiVersion: 'web.example.com/v1',
  kind: 'Site',
  metadata: { name, namespace: 'ns' },
});

test('objects are converted in their order by the kind that they are of', async () => {
  const { post } = given({ kinds: [site((each, apiVersion) => ({ ...each, apiVersion }))] });
  const { body } = await post('/convert', conversion([v1('a'), v1('b')]));
  assert.deepEqual(JSON.parse(body), {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: {
      uid: 'u',
      result: { metadata: {}, status: 'Success' },
      convertedObjects: ['a', 'b'].map((name) => ({ ...v1(name), apiVersion: 'web.example.com/v2' })),
    },
  });
});

test('what a conversion leaves out is logged, with the object', async () => {
  const kind = site((each, _, warn) => {
    warn('the annotation is left out');
    return each;
  });
  const { post, logger } = given({ kinds: [kind] });
  await post('/convert', conversion([v1('a')]));
  const { message, fields } = logger.lines.at(-1) ?? {};
  assert.equal(message, 'Conversion: the annotation is left out');
  assert.equal(fields?.object, 'web.example.com/v1 Site ns/a');
});

test('one object that cannot be converted fails the review, which says which and why', async () => {
  const failing = (thrown: unknown) => () => {
    throw thrown;
  };
  const cases: readonly (readonly [ReturnType<typeof site>, string, number, string])[] = [
    [site(failing(new Error('no size'))), 'web.example.com/v2', 1, 'no size'],
    [site(failing('text')), 'web.example.com/v2', 1, 'text'],
    [site((each) => each), 'web.example.com/v3', 0, 'nobody here knows how'],
    [site((each) => each), 'other.example.com/v2', 0, 'nobody here knows how'],
    [{ ...site((each) => each), kind: 'Other' }, 'web.example.com/v2', 0, 'nobody here knows how'],
  ];
  for (const [kind, desired, panics, why] of cases) {
    const { post, metric } = given({ kinds: [kind] });
    const { status, body } = await post('/convert', conversion([v1('a')], desired));
    const message = `web.example.com/v1 Site ns/a cannot be converted to ${desired}: ${why}`;
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body).response, { uid: 'u', result: { metadata: {}, status: 'Failure', message } });
    assert.deepEqual(await metric('controller_runtime_conversion_webhook_panics_total'), [{ value: panics }]);
    assert.deepEqual(await metric('controller_runtime_webhook_panics_total'), [{ value: 0 }]);
  }
});

test('within a process a webhook is called through a transport', async () => {
  const { handler } = given({ webhooks: [webhook(ConfigMap, { validate: () => [] })] });
  await using transport = webhookTransport(handler);
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { ...asked, object },
  });
  const headers = { 'content-type': 'application/json' };
  const answer = await transport.request({ method: 'POST', path: '/validate/configmap?timeout=5s', headers, body });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  assert.deepEqual([answer.status, answer.headers], [200, headers]);
  assert.deepEqual(JSON.parse(Buffer.concat(chunks).toString()).response, { uid: 'u', allowed: true });
});
