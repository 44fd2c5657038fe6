/** A declared policy on a real API server: it is taken as it is, and refuses what it should. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admissionPoliciesOf } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { admissionPolicy } from '@keelson/schema/rules';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';

const available = await availability();

const protectedMaps = admissionPolicy(ConfigMap, {
  name: 'protected',
  operations: ['UPDATE', 'DELETE'],
  params: { kind: ConfigMap, name: 'protection', namespace: 'kube-system' },
  variables: { labels: 'oldObject.metadata.?labels.orValue({})' },
  validations: ({ oldObject, params }) => [
    {
      expression: `!(${params.data}.label in variables.labels) || authorizer.requestResource.check('unprotect').allowed()`,
      messageExpression: `${oldObject.metadata.name} + ' has the label ' + string(${params.data}.label)`,
      reason: 'Forbidden',
    },
  ],
});

test('a policy refuses by its parameter, its user and the operation', {
  skip: available.available ? false : available.reason,
}, async () => {
  await using kube = await startKubernetes({ controllers: false });
  const map = (namespace: string, name: string, data: object, labels = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, labels },
    data,
  });
  await kube.apply(JSON.stringify(map('kube-system', 'protection', { label: 'keep' })));
  await kube.apply(JSON.stringify(map('default', 'kept', {}, { keep: 'yes' })));
  await kube.apply(JSON.stringify(map('default', 'other', {})));
  for (const { policy, binding } of admissionPoliciesOf({ name: 'maps', policies: [protectedMaps] })) {
    await kube.apply(JSON.stringify(policy));
    await kube.apply(JSON.stringify(binding));
  }
  // The administrator may do everything; somebody who may edit may not do this.
  await kube.kubectl('create', 'clusterrole', 'maps', '--verb=get,delete', '--resource=configmaps');
  await kube.kubectl('create', 'clusterrolebinding', 'editor', '--clusterrole=maps', '--user=editor');
  const asEditor = (...rest: readonly string[]) => kube.kubectl('--as=editor', ...rest);
  const refusal =
    /ValidatingAdmissionPolicy 'maps-protected' with binding 'maps-protected' denied request: kept has the label keep/;
  const deadline = systemClock.monotonic() + 300_000;
  for (;;) {
    const { code, stderr } = await asEditor('delete', 'configmap', 'kept', '--dry-run=server');
    if (code !== 0 && refusal.test(stderr)) break;
    assert.ok(systemClock.monotonic() < deadline, `the policy is not in force: ${stderr}`);
  }
  assert.equal((await asEditor('delete', 'configmap', 'other')).code, 0);
  assert.equal((await kube.kubectl('delete', 'configmap', 'kept')).code, 0);
});
