/** Work that belongs to no single object: a task that removes, once a minute, what is ten minutes old. */
import { allow, keyOf, operator, sleep } from '@keelson/core';
import { controller, done, run, task } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Draft = defineKind({
  group: 'swept.example.com',
  kind: 'Draft',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ text: z.string() }), status: z.object({ words: z.int32() }) } },
});

const drafts = controller({
  for: Draft,
  async reconcile({ spec: { text } }, { status }) {
    status.report({ words: text.split(/\s+/).length });
    return done;
  },
});

const sweep = task({
  name: 'sweep',
  needs: [allow(Draft, 'list', 'delete')], // its rights follow from this
  async run({ client, clock, signal, logger }) {
    for (;;) {
      const { items } = await client.list(Draft);
      const old = items.filter(({ metadata }) => clock.now() - Date.parse(metadata.creationTimestamp) >= 600_000);
      for (const draft of old) await client.delete(Draft, keyOf(draft), { preconditions: { uid: draft.metadata.uid } });
      if (old.length > 0) logger.info('Swept', { drafts: old.length });
      await sleep(clock, 60_000, signal); // ends with the operator, and when another replica leads
    }
  },
});

export const draftOperator = operator({ name: 'draft-operator', controllers: [drafts], tasks: [sweep] });
if (import.meta.main) await run(draftOperator);
