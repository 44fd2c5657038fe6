/**
 * `cache.example.com/v1`: what a user asks for, and what the operator reports.
 *
 * Every field may be left out, and leaving one out is what v1alpha1 has without it: no pod is replaced by its being there.
 */
import { atLeastOneOf, immutable, rule, withRules } from '@keelson/schema/rules';
import { z } from 'zod';
import { pod } from './pod.ts';
import { extraArgs, flagPattern } from './server-args.ts';
import { v1alpha1 } from './v1alpha1.ts';

const { paused, image, memoryLimit } = v1alpha1.spec.shape;

const config = withRules(
  z.object({
    maxConnections: z
      .int32()
      .min(1)
      .max(65536)
      .optional()
      .describe('How many clients may be connected to a server at a time, 1024 if left out.'),
    threads: z.int32().min(1).max(64).optional().describe('Threads of a server, 4 if left out.'),
    maxItemSize: z
      .string()
      .max(6)
      .regex(/^([1-9][0-9]{0,2}|10[01][0-9]|102[0-4])Mi$/)
      .optional()
      .describe('How large an item may be, 1Mi if left out, and half of memory at most.'),
    extraArgs: extraArgs.optional().describe('Further arguments of memcached, such as --disable-cas.'),
  }),
  (self) =>
    (
      [
        [self.maxConnections, 'maxConnections', { letters: 'c', names: ['conn-limit'] }],
        [self.threads, 'threads', { letters: 't', names: ['threads'] }],
        [self.maxItemSize, 'maxItemSize', { letters: 'I', names: ['max-item-size'] }],
      ] as const
    ).map(([field, name, flag]) =>
      rule(
        `!has(${field}) || !has(${self.extraArgs}) || ${self.extraArgs}.all(arg, !arg.matches('${flagPattern(flag)}'))`,
        {
          message: `may not have -${flag.letters} or --${flag.names}: spec.config.${name} says it`,
          fieldPath: self.extraArgs,
        },
      ),
    ),
);

const warmup = withRules(
  z.object({
    hitRatio: z
      .int32()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'A server is warm once so many percent of its reads since its start are hits, of a hundred reads at least.',
      ),
    items: z
      .int32()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'A server is warm once it has so many percent of the items that those have which are still to be replaced.',
      ),
    timeoutSeconds: z
      .int32()
      .min(1)
      .max(86_400)
      .default(600)
      .describe('After so long the rollout goes on all the same, and the status says so.'),
  }),
  (self) => [atLeastOneOf(self.hitRatio, self.items)],
);

const rollout = z.object({
  minReadySeconds: z
    .int32()
    .min(0)
    .max(3600)
    .default(60)
    .describe('How long a new server must have been ready before the next one is replaced.'),
  warmup: warmup.optional().describe('What else a new server must be before the next one is replaced: warm.'),
});

const availability = z.object({
  maxUnavailable: z
    .union([z.int32().min(0), z.string().regex(/^(100|[1-9]?[0-9])%$/)])
    .optional()
    .describe(
      'How many servers may be taken away by drained nodes at a time, as a number or a percentage; 1 if left out, and 100% is no limit.',
    ),
  antiAffinity: z
    .enum(['None', 'Preferred', 'Required'])
    .optional()
    .describe(
      'Whether servers keep off nodes that have one already: not, if they can, or in any case. None if left out.',
    ),
  zoneSpread: z.boolean().optional().describe('Whether servers are spread over the zones as evenly as can be.'),
});

const fields = z.object({
  size: z.int32().min(1).max(1000).default(1).describe('How many Memcached servers to run.'),
  paused,
  image,
  workload: immutable(z.enum(['Deployment', 'StatefulSet']))
    .default('Deployment')
    .describe('What runs the servers. Those of a StatefulSet have names that stay. It cannot be changed.'),
  memory: memoryLimit.describe(
    'How much memory a server uses for items. Request and limit of its pod follow from it. Left out, it is 64Mi without a limit.',
  ),
  config: config.optional().describe('How the servers are set up.'),
  rollout: rollout
    .optional()
    .describe(
      'How servers are replaced, always one after the other. Left out, as soon as they are ready, those of a StatefulSet for 7 s.',
    ),
  availability: availability.optional().describe('What keeps servers from going away together.'),
  pod: pod.optional().describe('What else the pods are to have.'),
  updatePolicy: z
    .enum(['Auto', 'Manual'])
    .default('Auto')
    .describe('Whether a change that replaces servers is made at once, or waits until a person lets it go.'),
});

const spec = withRules(fields, (self) => {
  const itemMemory = `quantity(has(${self.memory}) ? ${self.memory} : '64Mi')`;
  const { resources } = self.pod;
  const named = (list: 'limits' | 'requests') => `has(${self.pod}) && has(${resources}) && has(${resources}.${list})`;
  const amount = (list: 'limits' | 'requests', name: string) => `quantity(string(${resources}.${list}[${name}]))`;
  return [
    rule(
      `!(${named('limits')} && 'memory' in ${resources}.limits) || !${amount('limits', "'memory'")}.isLessThan(${itemMemory})`,
      {
        message: 'is less than spec.memory, which the server will use for items: it would be killed',
        fieldPath: '.pod.resources.limits',
      },
    ),
    rule(
      `!(${named('limits')} && ${named('requests')}) || ['cpu', 'memory'].all(each, !(each in ${resources}.limits && each in ${resources}.requests) || !${amount('requests', 'each')}.isGreaterThan(${amount('limits', 'each')}))`,
      { message: 'may not be more than its limit', fieldPath: '.pod.resources.requests' },
    ),
    rule(
      `!has(${self.config}) || !has(${self.config.maxItemSize}) || !quantity(${self.config.maxItemSize}).add(quantity(${self.config.maxItemSize})).isGreaterThan(${itemMemory})`,
      { message: 'may be half of spec.memory at most', fieldPath: self.config.maxItemSize },
    ),
    rule(`${self.workload} == 'StatefulSet' || !has(${self.rollout}) || !has(${self.rollout.warmup})`, {
      message: 'needs workload: StatefulSet, whose servers are replaced one by one in an order',
      fieldPath: self.rollout.warmup,
    }),
    rule(
      `!has(${self.availability}) || !has(${self.availability.antiAffinity}) || ${self.availability.antiAffinity} == 'None' || !has(${self.pod}) || !has(${self.pod.affinity}) || !has(${self.pod.affinity.podAntiAffinity})`,
      {
        message: 'may not be given beside pod.affinity.podAntiAffinity, which says the same',
        fieldPath: self.availability.antiAffinity,
      },
    ),
  ];
});

const change = z.object({
  class: z.enum(['Live', 'Roll']).describe('Roll: servers are replaced, and each loses its items. Live: none is.'),
  fields: z.array(z.string()).describe('The fields of spec that changed.'),
  reason: z.string().describe('Why it is of this class, for people.'),
  revision: z.string().describe('Which change it is, by a hash.'),
  held: z.boolean().optional().describe('Whether it waits for a person, by spec.updatePolicy.'),
});

const status = v1alpha1.status.extend({
  updatedReplicas: z.int32().optional().describe('How many pods are of the newest template.'),
  endpoints: z.array(z.string()).optional().describe('Where clients find the servers, as host:port.'),
  version: z.string().optional().describe('The version of memcached, if the tag of the image says one.'),
  change: change.optional().describe('What a change of spec does to the servers, said before it is done.'),
});

export const v1 = {
  ...v1alpha1,
  spec,
  status,
  storage: true,
  rules: [
    rule("self.spec.workload != 'StatefulSet' || self.metadata.name.size() <= 52", {
      message:
        'metadata.name may have at most 52 characters with a StatefulSet, which puts it into a label with a hash',
    }),
  ],
} as const;
