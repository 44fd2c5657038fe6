/** Website: pages that are served under a host name, which a directory outside the cluster points to us. */
import type { ObjectOf } from '@keelson/core';
import { conditions, defineKind } from '@keelson/schema';
import { z } from 'zod';

export const Website = defineKind({
  group: 'web.example.com',
  kind: 'Website',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({
        host: z.string().describe('The name under which it is served.'),
        pages: z.record(z.string(), z.string()).describe('File names, and what they contain.'),
        replicas: z.int32().min(1).max(9).default(2),
        tlsSecret: z.string().optional().describe('A Secret with the certificate, in the same namespace.'),
      }),
      status: z.object({
        url: z.string().describe('Where it is served.'),
        readyReplicas: z.int32(),
        conditions: conditions('Ready', 'Registered'),
      }),
    },
  },
});
export type Website = ObjectOf<typeof Website>;
