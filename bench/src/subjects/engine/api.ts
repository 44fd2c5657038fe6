/** Cache `bench.example.com/v1`: what both operators look after. */
import type { ObjectOf } from '@keelson/core';
import { conditions, defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Cache = defineKind({
  group: 'bench.example.com',
  kind: 'Cache',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ size: z.int32().min(1) }),
      status: z.object({ nodes: z.array(z.string()), conditions: conditions('Available') }),
    },
  },
});
export type Cache = ObjectOf<typeof Cache>;
