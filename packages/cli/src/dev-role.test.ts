import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorKubeconfig } from './dev-role.ts';

test("the operator's kubeconfig is the administrator's, acting as its own account in its own namespace", () => {
  const administrator = `
clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: admin, user: { token: secret } }]
contexts: [{ name: x, context: { cluster: c, user: admin } }]
current-context: x
`;
  assert.equal(
    operatorKubeconfig(administrator, { name: 'website' }),
    `clusters:
  - name: c
    cluster:
      server: https://127.0.0.1:1
users:
  - name: admin
    user:
      token: secret
      as: system:serviceaccount:website-system:website
contexts:
  - name: x
    context:
      cluster: c
      user: admin
      namespace: website-system
current-context: x
`,
  );
});
