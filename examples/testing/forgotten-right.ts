/** A right that the declarations do not ask for is found by the first test, not in production. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@keelson/core';
import { Secret } from '@keelson/core/v1';
import { controller, done } from '@keelson/runtime';
import { startCluster } from '@keelson/testing';
import { Website } from '../operator/website.ts';

const forgetful = operator({
  name: 'forgetful-operator',
  controllers: [
    controller({
      for: Website, // needs: [allow(Secret, 'get')] is missing
      async reconcile(_, { client }) {
        await client.find(Secret, 'default/password');
        return done;
      },
    }),
  ],
});

test('the test fails with the declaration to add', async () => {
  const run = async () => {
    await using cluster = await startCluster({ operators: [forgetful] });
    await cluster.client.create(Website, {
      metadata: { namespace: 'default', name: 'site' },
      spec: { image: 'nginx' },
    });
    await cluster.clock.advance(1000);
  };
  await assert.rejects(run, /Add to its controller: needs: \[allow\(Secret, 'get'\)\]/);
});
