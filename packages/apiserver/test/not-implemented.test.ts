import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './fixtures.ts';

const pod = '/api/v1/namespaces/default/pods/p';
const missing: readonly (readonly ['GET' | 'POST' | 'PUT', string])[] = [
  ['GET', '/api/v1/componentstatuses'],
  ['GET', `${pod}/proxy`],
  ['GET', `${pod}/ephemeralcontainers`],
  ['GET', `${pod}/resize`],
  ['GET', '/api/v1/nodes/n/proxy'],
  ['GET', '/api/v1/namespaces/default/services/s/proxy'],
  ['PUT', '/apis/certificates.k8s.io/v1/certificatesigningrequests/a/approval'],
  ['GET', '/metrics'],
];

for (const [method, path] of missing) {
  test(`${method} ${path} says that it is not implemented`, async () => {
    await using started = startServer();
    const { status, body } = await started.talk.send(method, path, method === 'GET' ? undefined : {});
    assert.equal(status, 501);
    assert.equal(body.reason, 'NotImplemented');
    assert.match(body.message, /not implemented by this server$/);
  });
}
