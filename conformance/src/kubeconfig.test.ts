import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKubeconfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const noFiles = (path: string) => assert.fail(`read ${path}`);

test('a kubeconfig with inline data is read by its current context', () => {
  const text = `
current-context: second
contexts:
- {name: first, context: {cluster: none, user: none}}
- {name: second, context: {cluster: c, user: u}}
clusters:
- {name: c, cluster: {server: 'https://127.0.0.1:6443/', certificate-authority-data: ${base64('authority')}}}
users:
- {name: u, user: {client-certificate-data: ${base64('certificate')}, client-key-data: ${base64('key')}}}
`;
  assert.deepEqual(parseKubeconfig(text, noFiles), {
    server: 'https://127.0.0.1:6443',
    certificateAuthority: 'authority',
    skipVerification: false,
    clientCertificate: 'certificate',
    clientKey: 'key',
    token: undefined,
  });
});

test('a kubeconfig may name files, a token, and not to verify', () => {
  const text = `
current-context: k
contexts: [{name: k, context: {cluster: k, user: k}}]
clusters: [{name: k, cluster: {server: 'https://h', certificate-authority: ca.pem, insecure-skip-tls-verify: true}}]
users: [{name: k, user: {token: secret}}]
`;
  const connection = parseKubeconfig(text, (path) => `content of ${path}`);
  assert.equal(connection.certificateAuthority, 'content of ca.pem');
  assert.equal(connection.skipVerification, true);
  assert.equal(connection.token, 'secret');
});

test('a kubeconfig without its current context is refused', () => {
  assert.throws(() => parseKubeconfig('current-context: gone\ncontexts: []', noFiles), {
    message: 'kubeconfig: contexts has no entry "gone"',
  });
});
