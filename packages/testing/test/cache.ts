/** A kind of two versions that differ in most ways in which versions can, and convert without loss. */
import { conditions, defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

const ports = z.array(z.object({ port: z.int32().min(1), name: z.string() }));
const byName = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } as const;

/** The hub has more, says memory in another way, and other limits; v1alpha1 has a field of its own. */
const versions = {
  v1alpha1: {
    spec: z.object({
      size: z.int32().min(1).max(5).default(1),
      megabytes: z.int32().min(1).optional(),
      legacy: z.enum(['on', 'off']).optional(),
      ports: z.array(z.object({ port: z.int32().min(1) })).optional(),
      named: ports.meta(byName).optional(),
      labels: z.record(z.string(), z.string()).optional(),
      pod: z.object({ host: z.string().optional() }).optional(),
    }),
    status: z.object({ nodes: z.array(z.string()), conditions: conditions('Available') }),
  },
  v1: {
    storage: true,
    spec: z.object({
      size: z.int32().min(1).max(100).default(3),
      memory: z
        .string()
        .regex(/^\d+(Mi|Ki|Gi)$/)
        .optional(),
      workload: z.enum(['Deployment', 'StatefulSet']).default('Deployment'),
      rollout: z.object({ step: z.int32().default(1), pause: z.boolean().nullable().optional() }).optional(),
      ports: z.array(z.object({ port: z.int32().min(1), protocol: z.enum(['TCP', 'UDP']).default('TCP') })).optional(),
      named: z
        .array(z.object({ name: z.string(), port: z.int32().min(1), mode: z.int32().optional() }))
        .meta(byName)
        .optional(),
      labels: z.record(z.string(), z.string()).optional(),
      pod: z.object({ host: z.string().optional(), node: z.string().optional() }).optional(),
      extra: z.looseObject({}).optional(),
    }),
    status: z.object({ pods: z.array(z.string()), conditions: conditions('Available'), phase: z.string() }),
    rules: [rule("self.spec.workload != 'StatefulSet' || self.spec.size > 1")],
  },
} as const;

const definition = { group: 'cache.example.com', kind: 'Cache', hub: 'v1', versions } as const;

function megabytes(memory: string): number {
  const number = Number.parseInt(memory, 10);
  return memory.endsWith('Gi') ? number * 1024 : memory.endsWith('Ki') ? Math.ceil(number / 1024) : number;
}

export const Cache = defineKind({
  ...definition,
  conversions: {
    v1alpha1: {
      toHub: ({ spec, status }) => ({
        spec: { memory: spec.megabytes === undefined ? undefined : `${spec.megabytes}Mi` },
        status: { pods: status?.nodes },
      }),
      fromHub: ({ spec, status }) => ({
        spec: { megabytes: spec.memory === undefined ? undefined : megabytes(spec.memory) },
        status: { nodes: status?.pods },
      }),
    },
  },
});
