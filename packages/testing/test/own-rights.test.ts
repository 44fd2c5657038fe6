/** An operator may do in a test what its declarations ask for, and no more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, operator } from '@keelson/core';
import { ConfigMap, Secret } from '@keelson/core/v1';
import { controller, done, type Owned } from '@keelson/runtime';
import { startCluster } from '../src/index.ts';
import { declaration, key, Note, note, noteOperator } from './fixtures.ts';

const readsSecret = (needs: readonly ReturnType<typeof allow>[]) =>
  operator({
    name: 'note-operator',
    controllers: [
      controller({
        ...declaration,
        needs,
        async reconcile(_, { client, status }) {
          const secret = await client.find(Secret, key);
          await status.apply({ seen: secret === undefined ? 'no secret' : 'secret', conditions: [] });
          return done;
        },
      }),
    ],
  });

test('a right that nobody declared fails the test and is named in the words of the declaration', async () => {
  const run = async () => {
    await using cluster = await startCluster({ operators: [readsSecret([])] });
    await cluster.client.create(Note, note());
    await cluster.eventually(Note, key, ({ status }) => status !== undefined);
  };
  await assert.rejects(run, {
    message: [
      'note-operator may not get secrets: its rules follow from its declarations, and none asks for it.',
      "Add to its controller: needs: [allow(Secret, 'get')]",
      'which is the rule {"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}.',
      'The server said: secrets "a" is forbidden: User "system:serviceaccount:operators:note-operator" cannot get resource "secrets" in API group "" in the namespace "default"',
    ].join('\n'),
  });
});

test('what was declared is enough, also to make owned objects, remove them and write Events', async () => {
  await using cluster = await startCluster({ operators: [readsSecret([allow(Secret, 'get')])] });
  await cluster.client.create(Note, note());
  await cluster.eventually(Note, key, ({ status }) => status?.seen === 'no secret');

  await using owning = await startCluster({
    operators: [
      noteOperator(async ({ spec }, { owned, events }) => {
        if (spec.text === '') await owned.absent(ConfigMap, 'a');
        else await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { text: spec.text } });
        events.normal('Applied', 'it is as it should be');
        return done;
      }),
    ],
  });
  await owning.client.create(Note, note());
  await owning.eventually(ConfigMap, key);
  await owning.client.patch(Note, key, { spec: { text: '' } });
  await owning.eventuallyGone(ConfigMap, key);
});

test('a test may tolerate refusals, and the administrator is refused nothing', async () => {
  await using tolerant = await startCluster({ operators: [readsSecret([])], tolerate: ['refusal'] });
  await tolerant.client.create(Note, note());
  await tolerant.clock.advance(60_000);
  assert.equal((await tolerant.client.get(Note, key)).status, undefined);

  await using almighty = await startCluster({ operators: [readsSecret([])], rights: 'administrator' });
  await almighty.client.create(Note, note());
  await almighty.eventually(Note, key, ({ status }) => status?.seen === 'no secret');
});

test('a kind that is owned, not removable, is to be declared so; one that is not owned at all is to be owned', async () => {
  const calling = (owns: readonly (typeof ConfigMap)[], call: (owned: Owned) => Promise<unknown>) =>
    operator({
      name: 'note-operator',
      controllers: [
        controller({
          for: Note,
          owns,
          async reconcile(_, { owned }) {
            await call(owned as Owned);
            return done;
          },
        }),
      ],
    });
  const run = async (...given: Parameters<typeof calling>) => {
    await using cluster = await startCluster({ operators: [calling(...given)] });
    await cluster.client.create(Note, note());
    await cluster.eventually(Note, key, ({ status }) => status !== undefined, 1000);
  };
  const data = { metadata: { name: 'a' } };
  const applied = (owned: Owned) => owned.apply(ConfigMap, data);
  await assert.rejects(
    run([ConfigMap], async (owned) => {
      await applied(owned);
      await owned.absent(ConfigMap, 'a');
    }),
    { message: /may not delete configmaps.*\nAdd to its controller: owns: \[removable\(ConfigMap\)\]\n/ },
  );
  const undeclared = 'failed (8 times): ConfigMap is not declared by the controller: add';
  for (const [call, remedy] of [
    [applied, 'it to owns'],
    [(owned: Owned) => owned.absent(ConfigMap, 'a'), 'removable(ConfigMap) to owns'],
    [(owned: Owned) => owned.only(ConfigMap, []), 'removable(ConfigMap) to owns'],
  ] as const) {
    await assert.rejects(run([], call), (error: Error) => error.message.endsWith(`${undeclared} ${remedy}`));
  }
});
