/** A kind, and operators of it that are made of one function. */
import { operator, removable } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { controller } from '@keelson/runtime';
import { conditions, defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Note = defineKind({
  group: 'testing.example.com',
  kind: 'Note',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ text: z.string().default('hello') }),
      status: z.object({ seen: z.string(), conditions: conditions('Ready') }),
    },
  },
});

export const declaration = { for: Note, owns: [removable(ConfigMap)] } as const;

export type Definition = Omit<
  Parameters<typeof controller<typeof Note, (typeof declaration)['owns']>>[0],
  'for' | 'owns'
>;

export const noteOperator = (definition: Definition | Definition['reconcile']) =>
  operator({
    name: 'note-operator',
    controllers: [
      controller({ ...declaration, ...(typeof definition === 'function' ? { reconcile: definition } : definition) }),
    ],
  });

export const key = 'default/a';
export const note = (name = 'a', text = 'hello') => ({ metadata: { namespace: 'default', name }, spec: { text } });
