/** A kind of two versions that differ in all ways in which versions can, and a third one between them. */
import { conditions, defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

/** The hub v1 has more than v1alpha1, says memory and nodes in another way, and lacks `legacy`. */
export function cacheStoredIn(stored: string) {
  return defineKind({
    group: 'cache.example.com',
    kind: 'Cache',
    hub: 'v1',
    versions: {
      v1alpha1: {
        storage: stored === 'v1alpha1',
        spec: z.object({
          size: z.int32().min(1).max(5).default(1),
          megabytes: z.int32().optional(),
          legacy: z.string().optional(),
          ports: z.array(z.object({ port: z.int32() })).optional(),
          volumes: byName.optional(),
          pod: z.object({ labels: z.record(z.string(), z.string()).optional() }).optional(),
          extra: z.looseObject({}).optional(),
        }),
        status: z.object({ nodes: z.array(z.string()), conditions: conditions('Available') }),
      },
      v1beta1: { spec: z.object({ size: z.int32().default(2), beta: z.boolean().optional() }) },
      v1: {
        storage: stored === 'v1',
        spec: z.object({
          size: z.int32().min(1).max(100).default(3),
          memory: z
            .string()
            .regex(/^\d+(Mi|Ki)$/)
            .optional(),
          workload: z.enum(['Deployment', 'StatefulSet']).default('Deployment'),
          rollout: z.object({ step: z.int32().default(1), pause: z.boolean().optional() }).optional(),
          ports: z.array(z.object({ port: z.int32(), protocol: z.string().default('TCP') })).optional(),
          volumes: z
            .array(z.object({ name: z.string(), path: z.string().optional(), mode: z.int32().optional() }))
            .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
            .optional(),
          pod: z
            .object({ labels: z.record(z.string(), z.string()).optional(), host: z.string().optional() })
            .optional(),
          extra: z.looseObject({}).optional(),
          notes: z.string().optional(),
        }),
        status: z.object({ pods: z.array(z.string()), conditions: conditions('Available'), phase: z.string() }),
        rules: [rule("self.spec.workload != 'StatefulSet' || self.spec.size > 1", { message: 'one is not a set' })],
      },
    },
    conversions: {
      v1alpha1: {
        toHub: ({ spec, status }) => ({
          spec: { memory: spec.megabytes === undefined ? undefined : `${spec.megabytes}Mi` },
          status: { pods: status?.nodes },
        }),
        fromHub: ({ spec, status }) => ({
          spec: { megabytes: spec.memory === undefined ? undefined : mebibytes(spec.memory) },
          status: { nodes: status?.pods },
        }),
      },
      v1beta1: {},
    },
  });
}

const byName = z
  .array(z.object({ name: z.string(), path: z.string().optional() }))
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] });

function mebibytes(memory: string): number {
  const number = Number.parseInt(memory, 10);
  return memory.endsWith('Ki') ? Math.floor(number / 1024) : number;
}
