import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { missingAccess, printMissing } from './access.ts';

/** An API server that grants some verbs on some resources: `"group resource/subresource verb namespace"`. */
const granting = (...granted: readonly string[]) =>
  createClient({
    transport: {
      async request({ path, body }) {
        assert.equal(path, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
        const { spec } = JSON.parse(Buffer.from(body ?? '').toString());
        const { group, resource, subresource, verb, namespace = 'everywhere' } = spec.resourceAttributes;
        const asked = [group, subresource === undefined ? resource : `${resource}/${subresource}`, verb, namespace];
        const answer = { metadata: {}, spec, status: { allowed: granted.includes(asked.join(' ')) } };
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

test('what is not granted is named: the verbs of each resource and where, and none where all are granted', async () => {
  const client = granting(' pods get everywhere', ' pods list everywhere', 'a.com widgets get b');
  const missing = await missingAccess(client, [
    { namespace: undefined, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }] },
    {
      namespace: 'b',
      rules: [{ apiGroups: ['a.com'], resources: ['widgets', 'widgets/status'], verbs: ['get', 'patch'] }],
    },
    { namespace: undefined, rules: [{ apiGroups: ['a.com'], resources: ['widgets'], verbs: ['get'] }] },
  ]);
  assert.deepEqual(missing, [
    { group: 'a.com', resource: 'widgets', verbs: ['patch'], namespace: 'b' },
    { group: 'a.com', resource: 'widgets/status', verbs: ['get', 'patch'], namespace: 'b' },
    { group: 'a.com', resource: 'widgets', verbs: ['get'], namespace: undefined },
  ]);
  assert.deepEqual(missing.map(printMissing), [
    'apiGroups: ["a.com"], resources: ["widgets"], verbs: ["patch"] in namespace b',
    'apiGroups: ["a.com"], resources: ["widgets/status"], verbs: ["get","patch"] in namespace b',
    'apiGroups: ["a.com"], resources: ["widgets"], verbs: ["get"]',
  ]);
});
