/** The operator on a cluster in the process, with just the rights that follow from its declaration. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { Greeting, greetingOperator } from './greeting.ts';

test('each name is greeted, and an edit of the ConfigMap is repaired', async () => {
  await using cluster = await startCluster({ operators: [greetingOperator] });
  const metadata = { namespace: 'default', name: 'crew' };
  await cluster.client.create(Greeting, { metadata, spec: { names: ['Ada', 'Grace'] } });
  await cluster.eventually(ConfigMap, 'default/crew', ({ data }) => data?.text === 'Hello, Ada!\nHello, Grace!');
  await cluster.eventually(Greeting, 'default/crew', ({ status }) => status?.lines === 2);

  await cluster.client.patch(ConfigMap, 'default/crew', { data: { text: 'Go away!' } });
  await cluster.eventually(ConfigMap, 'default/crew', ({ data }) => data?.text?.startsWith('Hello') === true);

  const change = cluster.client.patch(Greeting, 'default/crew', { spec: { word: 'Bye' } });
  await assert.rejects(change, /the word never changes/);
});
