import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { kubeconfig } from './kubeconfig.ts';

const common = { server: 'https://127.0.0.1:6443', certificateAuthority: 'authority', user: 'alice' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('a kubeconfig points at its cluster and user', () => {
  const config = parse(kubeconfig({ ...common, credentials: { token: 'secret' } }));
  const context = config.contexts.find(({ name }: { name: string }) => name === config['current-context']).context;
  assert.equal(context.user, 'alice');
  assert.deepEqual(config.clusters[0].cluster, {
    server: 'https://127.0.0.1:6443',
    'certificate-authority-data': base64('authority'),
  });
  assert.deepEqual(config.users, [{ name: 'alice', user: { token: 'secret' } }]);
});

test('a certificate and its key are embedded', () => {
  const config = parse(kubeconfig({ ...common, credentials: { certificate: 'certificate', key: 'key' } }));
  assert.deepEqual(config.users[0].user, {
    'client-certificate-data': base64('certificate'),
    'client-key-data': base64('key'),
  });
});
