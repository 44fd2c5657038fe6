import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { temporaryConfigurations } from './temporary-configurations.ts';

test('configurations on a cluster of others are their owner’s, by URL, and let everything through when nobody answers', () => {
  const web = operator({
    name: 'web',
    webhooks: [{ for: ConfigMap, defaults: true, validates: true, failurePolicy: 'Fail' }],
  });
  const place = { owner: 'me-laptop', url: 'https://dev.example.com:9443', caBundle: 'trust' };
  const configurations = temporaryConfigurations(web, place);
  for (const [part, name] of [
    ['mutating', 'mutate'],
    ['validating', 'validate'],
  ] as const) {
    const { metadata, webhooks } = configurations[part] ?? {};
    assert.equal(metadata?.name, `web-run-me-laptop-${part}`);
    assert.equal(webhooks?.[0]?.failurePolicy, 'Ignore');
    assert.deepEqual(webhooks?.[0]?.clientConfig, {
      url: `https://dev.example.com:9443/${name}/configmap`,
      caBundle: 'trust',
    });
  }
});
