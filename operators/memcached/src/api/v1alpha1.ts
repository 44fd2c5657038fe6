/** Memcached `cache.example.com/v1alpha1`: what a user writes and what the operator reports. */
import type { InputOf, ObjectOf, StatusInputOf } from '@keelson/core';
import { conditions, defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';
import { spec } from './spec.ts';

export const Memcached = defineKind({
  group: 'cache.example.com',
  kind: 'Memcached',
  description: 'Memcached runs a number of Memcached servers and tells where and how they are.',
  hub: 'v1alpha1',
  versions: {
    v1alpha1: {
      storage: true,
      spec,
      status: z.object({
        nodes: z.array(z.string()).describe('Names of the pods in which a server runs, sorted.'),
        replicas: z.int32().describe('How many pods there are.'),
        readyReplicas: z.int32().describe('How many of them are ready.'),
        selector: z.string().describe('Which pods they are, as a label selector; for autoscalers.'),
        conditions: conditions('Available', 'Progressing', 'Degraded'),
      }),
      subresources: {
        scale: {
          specReplicasPath: '.spec.size',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
      printerColumns: [
        { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
        { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
        { name: 'Available', type: 'string', jsonPath: '.status.conditions[?(@.type=="Available")].status' },
        { name: 'Degraded', type: 'string', jsonPath: '.status.conditions[?(@.type=="Degraded")].status' },
        {
          name: 'Reason',
          type: 'string',
          jsonPath: '.status.conditions[?(@.type=="Degraded")].reason',
          description: 'Why it is degraded, or AsExpected.',
          priority: 1,
        },
      ],
    },
  },
  rules: [
    rule('self.metadata.name.size() <= 63', {
      message: 'metadata.name may have at most 63 characters, because it becomes the value of a label',
    }),
    rule("self.metadata.name.matches('^[a-z][-a-z0-9]*$')", {
      message: 'metadata.name must begin with a letter and have no dot, because it becomes the name of a Service',
    }),
  ],
});

/** As read: stored and defaulted. */
export type Memcached = ObjectOf<typeof Memcached>;

/** As written: `spec.size` may be absent. */
export type NewMemcached = InputOf<typeof Memcached>;

/** The status as the operator states it. */
export type MemcachedStatus = StatusInputOf<typeof Memcached>;
