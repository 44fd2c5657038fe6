/** Memcached: what users write and what they are told. Types, CRD, defaults and validation follow from this value. */
import type { ObjectOf, StatusInputOf } from '@keelson/core';
import { conditions, defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

export const Memcached = defineKind({
  group: 'cache.example.com',
  kind: 'Memcached',
  description: 'Pods that run an image.',
  hub: 'v1alpha1',
  versions: {
    v1alpha1: {
      storage: true,
      spec: z.object({
        image: z.string().min(1).describe('The image that the pods run.'),
        replicas: z.int32().min(0).max(10).default(1).describe('How many pods run.'),
      }),
      status: z.object({
        readyReplicas: z.int32().describe('How many pods are ready.'),
        conditions: conditions('Available'),
      }),
      printerColumns: [
        { name: 'Replicas', jsonPath: '.spec.replicas' },
        { name: 'Ready', jsonPath: '.status.readyReplicas' },
      ],
    },
  },
  rules: [rule('self.metadata.name.size() <= 63', { message: 'a name becomes the value of a label: 63 characters' })],
});

/** As it is read: stored, with defaults. */
export type Memcached = ObjectOf<typeof Memcached>;

/** The status as the controller states it. */
export type MemcachedStatus = StatusInputOf<typeof Memcached>;
