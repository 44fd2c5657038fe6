import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { missingAccess, printMissing } from './access.ts';

/** An API server that grants some verbs on some resources: `"group resource/subresource verb"`. */
const granting = (...granted: readonly string[]) =>
  createClient({
    transport: {
      async request({ path, body }) {
        assert.equal(path, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
        const { spec } = JSON.parse(Buffer.from(body ?? '').toString());
        const { group, resource, subresource, verb } = spec.resourceAttributes;
        const asked = [group, subresource === undefined ? resource : `${resource}/${subresource}`, verb].join(' ');
        const answer = { metadata: {}, spec, status: { allowed: granted.includes(asked) } };
        return {
          status: 201,
          headers: { 'content-type': 'application/json' },
          body: (async function* () {
            yield Buffer.from(JSON.stringify(answer));
          })(),
        };
      },
      async [Symbol.asyncDispose]() {},
    },
  });

test('what is not granted is named: the verbs of each resource, and none where all are granted', async () => {
  const client = granting(' pods get', ' pods list', 'a.com widgets get', 'a.com widgets/status patch');
  const missing = await missingAccess(client, [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    { apiGroups: ['a.com'], resources: ['widgets', 'widgets/status'], verbs: ['get', 'patch'] },
  ]);
  assert.deepEqual(missing, [
    { group: 'a.com', resource: 'widgets', verbs: ['patch'] },
    { group: 'a.com', resource: 'widgets/status', verbs: ['get'] },
  ]);
  assert.deepEqual(missing.map(printMissing), [
    'apiGroups: ["a.com"], resources: ["widgets"], verbs: ["patch"]',
    'apiGroups: ["a.com"], resources: ["widgets/status"], verbs: ["get"]',
  ]);
});
