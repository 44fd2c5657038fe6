import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { operator } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { temporaryWebhooks } from './temporary-webhooks.ts';

const web = operator({
  name: 'web',
  webhooks: [{ for: ConfigMap, defaults: true, validates: true, failurePolicy: 'Fail' }],
});

test('configurations on a cluster of others are their owner’s, by URL, and let everything through when nobody answers', () => {
  const { port, identity, configurations } = temporaryWebhooks(web, 'https://dev.example.com:9443', 'me-laptop');
  assert.equal(port, 9443);
  assert.match(identity.certificate, /BEGIN CERTIFICATE/);
  for (const [part, name] of [
    ['mutating', 'mutate'],
    ['validating', 'validate'],
  ] as const) {
    const { metadata, webhooks } = configurations[part] ?? {};
    assert.equal(metadata?.name, `web-run-me-laptop-${part}`);
    assert.equal(webhooks?.[0]?.failurePolicy, 'Ignore');
    const { url, caBundle = '', service } = webhooks?.[0]?.clientConfig ?? {};
    assert.deepEqual([url, service], [`https://dev.example.com:9443/${name}/configmap`, undefined]);
    assert.match(Buffer.from(caBundle, 'base64').toString(), /BEGIN CERTIFICATE/);
  }
});

test('who has no entry among the users is known by number', (t) => {
  t.mock.method(os, 'userInfo', () => assert.fail('no such user'));
  t.mock.method(os, 'hostname', () => 'Laptop');
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const { mutating } = temporaryWebhooks(web, 'https://a:1').configurations;
  assert.equal(mutating?.metadata?.name, `web-run-${process.getuid?.()}-laptop-mutating`);
});

test('a port is that of HTTPS unless it is said', () => {
  assert.equal(temporaryWebhooks(web, 'https://[::1]').port, 443);
});

test('a URL that the API server cannot use is refused, and so is an operator without webhooks', () => {
  for (const url of ['http://a:1', 'a:1', 'https://a:1/path', 'https://a:1?x=y', 'https://me@a:1', '']) {
    assert.throws(() => temporaryWebhooks(web, url), /--webhook-url: ".*" is no https:\/\/HOST:PORT/);
  }
  const quiet = operator({ name: 'quiet', controllers: [{ for: ConfigMap }] });
  assert.throws(() => temporaryWebhooks(quiet, 'https://a:1'), /quiet has no webhooks/);
});
