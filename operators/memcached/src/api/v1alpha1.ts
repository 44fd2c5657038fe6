/** `cache.example.com/v1alpha1`, as it was before there was a v1: served, and converted to it without loss. */
import { conditions } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { Affinity, ResourceRequirements, Toleration, TopologySpreadConstraint } from '@keelson/schema/v1';
import { z } from 'zod';
import { args } from './server-args.ts';

const labelValue = z
  .string()
  .max(63)
  .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/);

const own = ['name', 'instance', 'managed-by'].map((each) => `app.kubernetes.io/${each}`);

const spec = z.object({
  size: z.int32().min(1).max(5).default(1).describe('How many Memcached servers to run.'),
  paused: z
    .boolean()
    .optional()
    .describe('While true, the operator reports what it sees and changes nothing, so that a person can.'),
  image: z
    .string()
    .max(512)
    .regex(/^[^\s]+$/)
    .optional()
    .describe('The image of the servers; it has memcached on its path and runs as any user.'),
  memoryLimit: z
    .string()
    .max(8)
    .regex(/^([2-9]Mi|[1-9][0-9]{1,5}Mi|[1-9][0-9]{0,5}Gi)$/)
    .optional()
    .describe('How much memory a server uses for items, 64Mi if left out. Its pod asks for more, since it needs more.'),
  resources: ResourceRequirements.optional().describe(
    'What a pod asks for and may use. What is left out is 100m of CPU, and memory as memoryLimit needs it.',
  ),
  args: args.optional().describe('Further arguments of memcached, such as --max-item-size=2m.'),
  nodeSelector: z
    .record(z.string(), z.string())
    .meta({ maxProperties: 64 })
    .optional()
    .describe('Labels of the nodes on which servers may run.'),
  tolerations: z.array(Toleration).max(64).optional().describe('Taints of nodes that the servers put up with.'),
  affinity: Affinity.optional().describe('Where servers run, by nodes and by other pods.'),
  topologySpreadConstraints: z
    .array(TopologySpreadConstraint)
    .max(16)
    .optional()
    .describe('How the servers are spread; a constraint without a labelSelector counts the servers of this Memcached.'),
  priorityClassName: z.string().max(253).optional().describe('The PriorityClass of the pods.'),
  podLabels: z
    .record(z.string(), labelValue)
    .meta({
      maxProperties: 64,
      'x-kubernetes-validations': [
        rule(`!self.exists(key, key in ['${own.join("', '")}'])`, {
          message: `may not have ${own.join(', ')}: by these the operator finds its pods`,
        }),
      ],
    })
    .optional()
    .describe('Further labels of the pods.'),
  podAnnotations: z
    .record(z.string(), z.string().max(65536))
    .meta({ maxProperties: 64 })
    .optional()
    .describe('Annotations of the pods.'),
});

const status = z.object({
  nodes: z.array(z.string()).describe('Names of the pods in which a server runs, sorted.'),
  replicas: z.int32().describe('How many pods there are.'),
  readyReplicas: z.int32().describe('How many of them are ready.'),
  selector: z.string().describe('Which pods they are, as a label selector; for autoscalers.'),
  conditions: conditions('Available', 'Progressing', 'Degraded'),
});

const condition = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;

export const v1alpha1 = {
  spec,
  status,
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
    { name: 'Available', type: 'string', jsonPath: condition('Available', 'status') },
    { name: 'Degraded', type: 'string', jsonPath: condition('Degraded', 'status') },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: condition('Degraded', 'reason'),
      description: 'Why it is degraded, or AsExpected.',
      priority: 1,
    },
  ],
} as const;
