import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import { configMap, configMaps } from './fixtures.ts';
import { type Answering, type Review, startWith } from './webhook-fixtures.ts';

const answer = ({ request: { uid }, apiVersion }: Review, response: object) => ({
  apiVersion,
  kind: 'AdmissionReview',
  response: { uid, allowed: true, ...response },
});

const patch = (operations: object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

const label = (name: string) => patch([{ op: 'add', path: '/metadata/labels', value: { [name]: 'true' } }]);

interface Entry {
  readonly name: string;
  readonly [field: string]: unknown;
}

const webhook = ({ name, ...more }: Entry) => ({
  name: `${name}.example.com`,
  clientConfig: { service: { namespace: 'default', name } },
  rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

const configuration = (name: string, ...entries: Entry[]) => ({ metadata: { name }, webhooks: entries.map(webhook) });
const path = (type: 'mutating' | 'validating') => `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`;

test('a webhook that never answers is given up when its time is over, by the clock', async () => {
  const asked = Promise.withResolvers<string>();
  await using started = startWith({
    slow(_, target) {
      asked.resolve(target);
      return undefined;
    },
  });
  const { talk, clock } = started;
  await talk.ok('POST', path('validating'), configuration('a', { name: 'slow', timeoutSeconds: 7 }));

  const written = talk.send('POST', configMaps, configMap('a'));
  assert.equal(await asked.promise, '/?timeout=7s');
  clock.advance(6999);
  const waiting = clock.waiting;
  clock.advance(1);

  const { status, body } = await written;
  assert.equal(status, 500);
  assert.equal(
    body.message,
    'Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: Post "https://slow.default.svc:443/?timeout=7s": context deadline exceeded',
  );
  assert.equal(waiting - clock.waiting, 1, 'its timer is gone');
  assert.equal((await talk.send('GET', `${configMaps}/a`)).status, 404);
});

test('a webhook that is asked again sees what came after it, and is asked twice at most', async () => {
  const seen: string[] = [];
  const recording =
    (name: string): Answering =>
    (review) => {
      const { labels = {} } = review.request.object.metadata;
      seen.push(`${name} ${Object.keys(labels).join(' ')}`.trim());
      if (labels[name] !== undefined) return answer(review, {});
      const add = { op: 'add', path: '/metadata/labels', value: { ...labels, [name]: 'true' } };
      return answer(review, patch([add]));
    };
  await using started = startWith({
    first: recording('first'),
    second: recording('second'),
    never: recording('never'),
  });
  const { talk } = started;
  const reinvocationPolicy = 'IfNeeded';
  await talk.ok('POST', path('mutating'), configuration('b', { name: 'second', reinvocationPolicy }));
  await talk.ok('POST', path('mutating'), configuration('a', { name: 'never' }, { name: 'first', reinvocationPolicy }));

  const { metadata } = await talk.ok('POST', configMaps, configMap('a'));

  assert.deepEqual(seen, ['never', 'first never', 'second never first', 'first never first second']);
  assert.deepEqual(Object.keys(metadata.labels), ['never', 'first', 'second']);
});

test('an older version of reviews is spoken with a webhook that knows no other', async () => {
  const versions: string[] = [];
  await using started = startWith({
    old(review) {
      versions.push(review.apiVersion);
      return answer(review, { uid: 'not looked at', ...label('old'), patchType: undefined });
    },
  });
  const { talk } = started;
  const entry = { name: 'old', admissionReviewVersions: ['v9', 'v1beta1', 'v1'] };
  await talk.ok('POST', path('mutating'), configuration('a', entry));

  const { metadata } = await talk.ok('POST', configMaps, configMap('a'));

  assert.deepEqual(versions, ['admission.k8s.io/v1beta1']);
  assert.deepEqual(metadata.labels, { old: 'true' });
});

test('nobody behind a Service is nobody, with or without the Service', async () => {
  await using started = startWith({});
  const { talk } = started;
  await talk.ok('POST', path('validating'), configuration('a', { name: 'gone' }));
  const refusal = async () => (await talk.send('POST', configMaps, configMap('a'))).body.message as string;

  assert.match(await refusal(), /Post "https:\/\/gone\.default\.svc:443\/\?timeout=10s": service "gone" not found$/);

  const service = { metadata: { name: 'gone' }, spec: { ports: [{ port: 443 }] } };
  const { spec } = await talk.ok('POST', '/api/v1/namespaces/default/services', service);
  assert.ok((await refusal()).endsWith(`: dial tcp ${spec.clusterIP}:443: connect: connection refused`));
});

test('a stranger at the address of a webhook is passed over where it may be, whatever the bundle holds', async () => {
  const { certificate: cert, key } = createAuthority(systemRandom).issueServer('web', ['127.0.0.1']);
  const stranger = createServer({ cert, key }).listen(0, '127.0.0.1');
  await using _ = { [Symbol.asyncDispose]: async () => void (await once(stranger.close(), 'close')) };
  await once(stranger, 'listening');
  const noCertificate = '-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n';
  const caBundle = Buffer.from(`${noCertificate}${createAuthority(systemRandom).certificate}`).toString('base64');
  const clientConfig = { url: `https://127.0.0.1:${(stranger.address() as AddressInfo).port}`, caBundle };
  await using started = startWith({});
  const { talk } = started;
  const entry = { name: 'strange', clientConfig, failurePolicy: 'Ignore' };
  await talk.ok('POST', path('validating'), configuration('a', entry));
  await talk.ok('POST', configMaps, configMap('a'));
});
