/** The kind of the founding documents, as design.md writes it. */
import { conditions, defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

export const Memcached = defineKind({
  group: 'cache.example.com',
  kind: 'Memcached',
  description: 'Memcached runs a number of Memcached servers.',
  hub: 'v1alpha1',
  versions: {
    v1alpha1: {
      storage: true,
      spec: z.object({
        size: z.int32().min(1).max(5).default(1).describe('How many Memcached servers to run.'),
      }),
      status: z.object({
        nodes: z.array(z.string()),
        conditions: conditions('Available', 'Progressing', 'Degraded'),
      }),
      printerColumns: [{ name: 'Size', jsonPath: '.spec.size' }],
    },
  },
  rules: [
    rule('self.metadata.name.size() <= 63', {
      message: 'the name becomes the value of a label and may have 63 characters at most',
    }),
  ],
});
