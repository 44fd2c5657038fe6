import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, configMaps, type Talk } from './fixtures.ts';
import { type Review, startWith } from './webhook-fixtures.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = (version: string) => `/apis/example.com/${version}/namespaces/default/gadgets`;

const gadgets = {
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })),
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { namespace: 'default', name: 'convert', path: '/convert' } },
      },
    },
  },
};

/** Says in each object which version it was made for. */
const converts = ({ request }: Review) => ({
  kind: 'ConversionReview',
  apiVersion: 'apiextensions.k8s.io/v1',
  response: {
    uid: request.uid,
    result: { status: 'Success' },
    convertedObjects: request.objects.map((object: Review) => ({
      ...object,
      apiVersion: request.desiredAPIVersion,
      made: request.desiredAPIVersion,
    })),
  },
});

async function create(talk: Talk, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await talk.ok('POST', path('v1'), { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name } });
  }
}

test('all objects of a list are converted by one review, and those of the stored version by none', async () => {
  const counts: number[] = [];
  await using started = startWith({
    convert(review) {
      counts.push(review.request.objects.length);
      return converts(review);
    },
  });
  const { talk } = started;
  await talk.ok('POST', definitions, gadgets);
  await create(talk, 'a', 'b', 'c');

  await talk.ok('GET', path('v1'));
  assert.deepEqual(counts, []);
  const { items } = await talk.ok('GET', path('v2'));

  assert.deepEqual(counts, [3]);
  assert.deepEqual(
    items.map(({ made }: Review) => made),
    ['example.com/v2', 'example.com/v2', 'example.com/v2'],
  );
});

test('a conversion that never comes is given up after thirty seconds of the clock', async () => {
  const asked = Promise.withResolvers<string>();
  await using started = startWith({
    convert(_, target) {
      asked.resolve(target);
      return undefined;
    },
  });
  const { talk, clock } = started;
  await talk.ok('POST', definitions, gadgets);
  await create(talk, 'a');

  const reading = talk.send('GET', `${path('v2')}/a`);
  assert.equal(await asked.promise, '/convert?timeout=30s');
  clock.advance(30_000);

  const { status, body } = await reading;
  assert.equal(status, 500);
  assert.equal(
    body.message,
    'conversion webhook for example.com/v1, Kind=Gadget failed: Post "https://convert.default.svc:443/convert?timeout=30s": net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
  );
});

test('an object that changes while it is converted is read again', async () => {
  let isMeddling = false;
  await using started = startWith({
    async convert(review) {
      if (isMeddling) {
        isMeddling = false;
        await talk.mergePatch(`${path('v1')}/a`, { theirs: true });
      }
      return converts(review);
    },
  });
  const { talk } = started;
  await talk.ok('POST', definitions, gadgets);
  await create(talk, 'a');

  isMeddling = true;
  await talk.mergePatch(`${path('v2')}/a`, { mine: true });

  const { mine, theirs } = await talk.ok('GET', `${path('v1')}/a`);
  assert.deepEqual({ mine, theirs }, { mine: true, theirs: true });
});

test('events of a watch wait for their conversion, in their order, and a failure is the last of them', async () => {
  const first = Promise.withResolvers<void>();
  let isBroken = false;
  await using started = startWith({
    async convert(review) {
      await first.promise;
      return isBroken ? { ...converts(review), response: undefined } : converts(review);
    },
  });
  const { talk } = started;
  await talk.ok('POST', definitions, gadgets);
  await create(talk, 'a');
  using watch = await talk.watch(`${path('v2')}?watch=true`);
  await create(talk, 'b');

  first.resolve();
  assert.deepEqual(await watch.names(2), ['ADDED a', 'ADDED b']);
  isBroken = true;
  await create(talk, 'c');
  const last = await watch.next();

  assert.equal(last?.type, 'ERROR');
  assert.equal(last?.object.message, 'conversion webhook for example.com/v1, Kind=Gadget failed: no response provided');
  assert.equal(await watch.next(), undefined);
});

const admission = '/apis/admissionregistration.k8s.io/v1';

/** Policies whose parameters are the gadgets of version v2, which is not the stored one. */
const policy = (more: object) => ({
  metadata: { name: 'gadgets' },
  spec: {
    failurePolicy: 'Ignore',
    paramKind: { apiVersion: 'example.com/v2', kind: 'Gadget' },
    matchConstraints: {
      resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    },
    ...more,
  },
});
const binding = (more: object) => ({
  metadata: { name: 'gadgets' },
  spec: { policyName: 'gadgets', paramRef: { selector: {}, parameterNotFoundAction: 'Deny' }, ...more },
});

test('parameters of policies are converted by one review, and a failure of it is up to the policy', async () => {
  const counts: number[] = [];
  let isBroken = false;
  await using started = startWith({
    convert(review) {
      counts.push(review.request.objects.length);
      return isBroken ? { ...converts(review), response: undefined } : converts(review);
    },
  });
  const { talk } = started;
  await talk.ok('POST', definitions, gadgets);
  await create(talk, 'a', 'b');
  const validations = [{ expression: 'false', messageExpression: "'made for ' + params.made" }];
  await talk.ok('POST', `${admission}/validatingadmissionpolicies`, policy({ validations }));
  await talk.ok('POST', `${admission}/validatingadmissionpolicybindings`, binding({ validationActions: ['Deny'] }));

  const { status, body } = await talk.send('POST', configMaps, configMap('a'));
  assert.deepEqual([status, counts], [422, [2]]);
  assert.match(body.message, /denied request: made for example.com\/v2$/);
  isBroken = true;
  await talk.ok('POST', configMaps, configMap('a'));

  isBroken = false;
  await talk.ok('DELETE', `${admission}/validatingadmissionpolicies/gadgets`);
  const expression = 'Object{metadata: Object.metadata{labels: {params.metadata.name: params.made.replace("/", ".")}}}';
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  await talk.ok('POST', `${admission}/mutatingadmissionpolicies`, policy({ reinvocationPolicy: 'Never', mutations }));
  await talk.ok('POST', `${admission}/mutatingadmissionpolicybindings`, binding({}));
  const { metadata } = await talk.ok('POST', configMaps, configMap('b'));
  assert.deepEqual(metadata.labels, { a: 'example.com.v2', b: 'example.com.v2' });
});
