import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMaps, startServer } from './fixtures.ts';
import { enveloped, message, protobuf } from './protobuf-messages.ts';

test('an object in protobuf is the same as one in JSON', async () => {
  await using started = startServer();
  const { talk } = started;
  // As Go writes it: empty strings and a time that is not set are there.
  const metadata = message(
    [1, 'a'],
    [2, ''],
    [3, ''],
    [7, 0],
    [8, message([1, 0], [2, 0])],
    [11, message([1, 'k'], [2, 'v'])],
  );
  const body = enveloped('v1', 'ConfigMap', message([1, metadata], [2, message([1, 'key'], [2, 'value'])]));
  const answer = await talk.send('POST', configMaps, body, protobuf);
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.body.data, { key: 'value' });
  assert.deepEqual(answer.body.metadata.labels, { k: 'v' });
});

test('structs that Go embeds, quantities and numbers or names come out as JSON has them', async () => {
  await using started = startServer();
  const { talk } = started;
  await talk.ok('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  const probe = message(
    [1, message([2, message([1, '/live'], [2, message([1, 0], [2, 8080], [3, ''])], [3, ''], [4, ''])])],
    [2, 5],
  );
  const resources = message([1, message([1, 'cpu'], [2, message([1, '0.5'])])]);
  const container = message([1, 'c'], [2, 'image'], [8, resources], [10, probe]);
  const volume = message([1, 'v'], [2, message([2, message([1, ''])])]);
  const pod = message([1, message([1, 'p'])], [2, message([1, volume], [2, container], [4, 30])]);
  const { body } = await talk.send('POST', '/api/v1/namespaces/default/pods', enveloped('v1', 'Pod', pod), protobuf);
  const { containers, volumes, terminationGracePeriodSeconds } = body.spec;
  assert.deepEqual(containers[0].livenessProbe, {
    httpGet: { path: '/live', port: 8080, scheme: 'HTTP' },
    initialDelaySeconds: 5,
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  assert.deepEqual(containers[0].resources, { limits: { cpu: '500m' }, requests: { cpu: '500m' } });
  assert.deepEqual(volumes[0], { name: 'v', emptyDir: {} });
  assert.equal(terminationGracePeriodSeconds, 30);
});

test('options of a deletion may come in protobuf too', async () => {
  await using started = startServer();
  const { talk } = started;
  await talk.ok('POST', configMaps, { metadata: { name: 'a' } });
  const body = enveloped('v1', 'DeleteOptions', message([4, 'Foreground']));
  const { body: answer } = await talk.send('DELETE', `${configMaps}/a`, body, protobuf);
  assert.deepEqual(answer.metadata.finalizers, ['foregroundDeletion']);
});

test('what is no protobuf is refused', async () => {
  await using started = startServer();
  const { status, body } = await started.talk.send('POST', configMaps, Buffer.from('nonsense'), protobuf);
  assert.equal(status, 400);
  assert.match(body.message, /does not appear to be a protobuf message/);
});

test('CBOR is refused with what is accepted, so that clients fall back', async () => {
  await using started = startServer();
  const { status, body } = await started.talk.send('POST', configMaps, Buffer.from([0xa0]), {
    'content-type': 'application/cbor',
  });
  assert.equal(status, 415);
  assert.equal(body.reason, 'UnsupportedMediaType');
});

test('managedFields that are no JSON are dropped, and the object is made', async () => {
  await using started = startServer();
  const entry = message([1, 'm'], [2, 'Update'], [3, 'v1'], [6, 'FieldsV1'], [7, message([1, 'gar{bage'])]);
  const body = enveloped('v1', 'ConfigMap', message([1, message([1, 'a'], [17, entry])]));
  const answer = await started.talk.send('POST', configMaps, body, protobuf);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.metadata.managedFields, undefined);
});

test('JSON that is none inside of protobuf is a bad request', async () => {
  await using started = startServer();
  const data = message([2, 'gar{bage']);
  const body = enveloped('apps/v1', 'ControllerRevision', message([1, message([1, 'a'])], [2, data], [3, 1]));
  const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
  const answer = await started.talk.send('POST', path, body, protobuf);
  assert.notEqual(answer.status, 500, answer.text);
});
