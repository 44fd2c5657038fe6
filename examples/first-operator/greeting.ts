/** The operator of docs/first-operator.md: a Greeting becomes a ConfigMap with a line for each name. */
import { operator } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { controller, done, run } from '@keelson/runtime';
import { defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

const neverChanges = rule('self == oldSelf', { message: 'the word never changes' });

export const Greeting = defineKind({
  group: 'example.com',
  kind: 'Greeting',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({
        word: z
          .string()
          .default('Hello')
          .meta({ 'x-kubernetes-validations': [neverChanges] }),
        names: z.array(z.string()).min(1).describe('Who is greeted.'),
      }),
      status: z.object({ lines: z.int32() }),
      printerColumns: [
        { name: 'Word', jsonPath: '.spec.word' },
        { name: 'Lines', jsonPath: '.status.lines' },
      ],
    },
  },
});

const greetings = controller({
  for: Greeting,
  owns: [ConfigMap],
  async reconcile({ metadata: { name }, spec: { word, names } }, { owned, status }) {
    const lines = names.map((each) => `${word}, ${each}!`);
    await owned.apply(ConfigMap, { metadata: { name }, data: { text: lines.join('\n') } });
    status.report({ lines: lines.length });
    return done; // the ConfigMap is owned: whoever changes it wakes us
  },
});

export const greetingOperator = operator({ name: 'greeting-operator', controllers: [greetings] });
if (import.meta.main) await run(greetingOperator);
