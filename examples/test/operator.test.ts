/** The operator of README.md is a program of this folder, and works: here in virtual time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { rulesOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { startCluster } from '@keelson/testing';
import { Website, websiteOperator } from '../operator/website.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('README.md shows the operator as it is', () => {
  assert.ok(read('../../README.md').includes(`\`\`\`ts\n${read('../operator/website.ts')}\`\`\`\n`));
});

test('a Website becomes a Deployment, follows its edits, repairs it, and takes it along', async () => {
  await using cluster = await startCluster({ operators: [websiteOperator] });
  const { client } = cluster;
  const metadata = { name: 'shop', namespace: 'default' };
  await client.create(Website, { metadata, spec: { image: 'nginx:1' } });
  await cluster.eventually(Website, 'default/shop', ({ status }) => status?.readyReplicas === 2);

  await client.patch(Website, 'default/shop', { spec: { replicas: 3 } });
  await cluster.eventually(Website, 'default/shop', ({ status }) => status?.readyReplicas === 3);

  await client.patch(Deployment, 'default/shop', { spec: { replicas: 1 } });
  await cluster.eventually(Deployment, 'default/shop', ({ spec }) => spec.replicas === 3);

  await client.delete(Website, 'default/shop');
  await cluster.eventuallyGone(Deployment, 'default/shop');
});

test('the server refuses what the kind does not allow', async () => {
  await using cluster = await startCluster({ operators: [websiteOperator] });
  const metadata = { name: 'shop', namespace: 'default' };
  await assert.rejects(
    cluster.client.create(Website, { metadata, spec: { image: 'nginx:1', replicas: 10 } }),
    /spec\.replicas: Invalid value: 10: spec\.replicas in body should be less than or equal to 9/,
  );
});

test('its rules follow from what it declares', () => {
  const [websites, deployments] = ['websites', 'deployments'].map((resource) =>
    rulesOf(websiteOperator).filter(({ resources }) => resources?.includes(resource)),
  );
  assert.deepEqual(
    websites?.flatMap(({ verbs }) => verbs),
    ['get', 'list', 'watch'],
  );
  assert.deepEqual(
    deployments?.flatMap(({ verbs }) => verbs),
    ['get', 'list', 'watch', 'create', 'patch'],
  );
});
