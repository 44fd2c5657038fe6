/** The kinds of v1/kinds.go and v1alpha1/versioned.go, defined here. */
import { conditions, crdOf, type DefinedKind, defineKind } from '@keelson/schema';
import { IntOrString, LabelSelector, Quantity } from '@keelson/schema/meta/v1';
import { atLeastOneOf, atMostOneOf, exactlyOneOf, immutable, rule, withRules } from '@keelson/schema/rules';
import { PodTemplateSpec, ResourceRequirements, SecretKeySelector, Toleration } from '@keelson/schema/v1';
import { z } from 'zod';

const group = 'compared.example.com';

function kind(name: string, spec: z.ZodObject): DefinedKind {
  const versions = { v1: { storage: true, spec } };
  return defineKind({ group, kind: name, plural: plurals[name] ?? `${name.toLowerCase()}s`, hub: 'v1', versions });
}
const plurals: Readonly<Record<string, string>> = { Limits: 'limits' };

const Cache = defineKind({
  group,
  kind: 'Cache',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ size: z.int32().min(1).max(5).default(1) }),
      status: z.object({ nodes: z.array(z.string()), conditions: conditions('Available') }),
      printerColumns: [{ name: 'Size', jsonPath: '.spec.size' }],
    },
  },
});

const Limits = kind(
  'Limits',
  z.object({
    step: z.int().gt(0).lt(100).multipleOf(5),
    name: z
      .string()
      .min(2)
      .max(9)
      .regex(/^[a-z]+$/),
    address: z.ipv4(),
    policy: z.enum(['Allow', 'Deny']),
    enabled: z.boolean(),
    labels: z.record(z.string(), z.string()).meta({ minProperties: 1, maxProperties: 4 }),
    ports: z.array(z.int32().max(65535)).min(1).max(3),
  }),
);

const Merged = kind(
  'Merged',
  z.object({
    tags: z.array(z.string()).meta({ 'x-kubernetes-list-type': 'set' }).optional(),
    args: z.array(z.string()).meta({ 'x-kubernetes-list-type': 'atomic' }).optional(),
    ports: z
      .array(z.object({ port: z.int32(), protocol: z.string().default('TCP') }))
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'] })
      .optional(),
    selector: z.record(z.string(), z.string()).meta({ 'x-kubernetes-map-type': 'atomic' }).optional(),
    owner: z.object({ name: z.string() }).meta({ 'x-kubernetes-map-type': 'atomic' }).optional(),
  }),
);

const docs = { url: 'https://example.com/docs', description: 'More.' };
const Present = kind(
  'Present',
  z.object({
    always: z.string(),
    sometimes: z.string().optional(),
    null: z.string().nullable().optional(),
    on: z.boolean().default(true),
    label: z.string().meta({ example: 'web', title: 'Label', externalDocs: docs }).optional(),
    storage: z.object({ megabytes: z.int32().default(64) }).prefault({}),
  }),
);

const Open = kind(
  'Open',
  z.object({
    port: IntOrString.optional(),
    values: z.looseObject({}).optional(),
    object: z.looseObject({}).meta({ 'x-kubernetes-embedded-resource': true }).optional(),
    any: z.unknown().meta({ 'x-kubernetes-preserve-unknown-fields': true }).optional(),
  }),
);

const Ruled = kind(
  'Ruled',
  withRules(
    z.object({
      min: z.int32(),
      max: withRules(z.int32(), (self, old) => [
        rule(`!${old}.hasValue() || ${self} >= ${old}.value()`, {
          messageExpression: "'it may ' + 'only grow'",
          optionalOldSelf: true,
        }),
      ]),
      class: immutable(z.string().max(63)),
    }),
    (self) => [
      rule(`${self.min} <= ${self.max}`, {
        message: 'min is above max',
        reason: 'FieldValueForbidden',
        fieldPath: self.min,
      }),
    ],
  ),
);

const text = z.string().optional();
const Choice = kind(
  'Choice',
  z.object({
    source: withRules(z.object({ file: text, secret: text }), (self) => [
      exactlyOneOf(self.file, self.secret),
    ]).optional(),
    target: withRules(z.object({ host: text, address: text }), (self) => [
      atMostOneOf(self.host, self.address),
    ]).optional(),
    contact: withRules(z.object({ email: text, phone: text }), (self) => [
      atLeastOneOf(self.email, self.phone),
    ]).optional(),
  }),
);

const Mouse = defineKind({
  group,
  kind: 'Mouse',
  plural: 'mice',
  shortNames: ['mc'],
  categories: ['animals'],
  scope: 'Cluster',
  metadata: { labels: { team: 'a' }, annotations: { 'example.com/owner': 'b' } },
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ size: z.int32(), colour: z.string() }),
      status: z.object({ size: z.int32(), selector: z.string() }),
      subresources: {
        scale: {
          specReplicasPath: '.spec.size',
          statusReplicasPath: '.status.size',
          labelSelectorPath: '.status.selector',
        },
      },
      selectableFields: ['.spec.colour'],
      printerColumns: [{ name: 'Colour', jsonPath: '.spec.colour', description: 'Of the fur.', priority: 1 }],
    },
  },
});

const Versioned = defineKind({
  group,
  kind: 'Versioned',
  hub: 'v1',
  versions: {
    v1: { storage: true, spec: z.object({ size: z.int32() }) },
    v1alpha1: { deprecated: 'use v1', spec: z.object({ size: z.int32().max(5) }) },
  },
});

const Workload = kind(
  'Workload',
  z.object({
    resources: ResourceRequirements.optional(),
    tolerations: z.array(Toleration).optional(),
    selector: LabelSelector.optional(),
    password: SecretKeySelector.optional(),
    memory: Quantity.optional(),
    since: z.iso.datetime().optional(),
    template: PodTemplateSpec.optional(),
  }),
);

export const ours = [Cache, Limits, Merged, Present, Open, Ruled, Choice, Mouse, Versioned, Workload].map((kind) =>
  crdOf(kind),
);
