import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { missingAccess, printMissing } from './access.ts';

/** An API server that grants some verbs on some resources: `"group resource/subresource[name] verb namespace"`. */
const granting = (...granted: readonly string[]) =>
  createClient({
    transport: {
      async request({ path, body }) {
        assert.equal(path, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
        const { spec } = JSON.parse(Buffer.from(body ?? '').toString());
        const { group, resource, subresource, name, verb, namespace = 'everywhere' } = spec.resourceAttributes;
        const what = `${resource}${subresource ? `/${subresource}` : ''}${name ? `[${name}]` : ''}`;
        const asked = [group, what, verb, namespace];
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
  const any = { name: undefined };
  assert.deepEqual(missing, [
    { group: 'a.com', resource: 'widgets', verbs: ['patch'], namespace: 'b', ...any },
    { group: 'a.com', resource: 'widgets/status', verbs: ['get', 'patch'], namespace: 'b', ...any },
    { group: 'a.com', resource: 'widgets', verbs: ['get'], namespace: undefined, ...any },
  ]);
  assert.deepEqual(missing.map(printMissing), [
    'apiGroups: ["a.com"], resources: ["widgets"], verbs: ["patch"] in namespace b',
    'apiGroups: ["a.com"], resources: ["widgets/status"], verbs: ["get","patch"] in namespace b',
    'apiGroups: ["a.com"], resources: ["widgets"], verbs: ["get"]',
  ]);
});

test('a right on objects of a name is asked about by that name', async () => {
  const client = granting(' secrets[mine] get b');
  const rules = [
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine', 'other'], verbs: ['get'] as const },
  ];
  assert.deepEqual((await missingAccess(client, [{ namespace: 'b', rules }])).map(printMissing), [
    'apiGroups: [""], resources: ["secrets"], resourceNames: ["other"], verbs: ["get"] in namespace b',
  ]);
});
