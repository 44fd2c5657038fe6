/** Limits, formats, enums and shapes of values. */
import { rawSchema } from '@keelson/schema';
import { z } from 'zod';
import { field, type MarkedKind } from './marked-kind.ts';

const v = 'kubebuilder:validation';

const numbers: readonly MarkedKind[] = [
  field('an upper limit', [`${v}:Maximum`], z.int32().max(5), { type: 'integer', format: 'int32', maximum: 5 }),
  field('a lower limit', [`${v}:Minimum`], z.number().min(0.5), { type: 'number', minimum: 0.5 }),
  field('an upper limit that is not reached', [`${v}:ExclusiveMaximum`], z.int().lt(10), {
    type: 'integer',
    format: 'int64',
    maximum: 10,
    exclusiveMaximum: true,
  }),
  field('a lower limit that is not reached', [`${v}:ExclusiveMinimum`], z.number().gt(0), {
    minimum: 0,
    exclusiveMinimum: true,
  }),
  field('multiples', [`${v}:MultipleOf`], z.int32().multipleOf(5), { multipleOf: 5 }),
];

const texts: readonly MarkedKind[] = [
  field('a longest text', [`${v}:MaxLength`], z.string().max(3), { type: 'string', maxLength: 3 }),
  field('a shortest text', [`${v}:MinLength`], z.string().min(2), { minLength: 2 }),
  field('a pattern', [`${v}:Pattern`], z.string().regex(/^[a-z]+(-[a-z]+)*$/), { pattern: '^[a-z]+(-[a-z]+)*$' }),
  field('an enum of texts', [`${v}:Enum`, 'k8s:enum'], z.enum(['Allow', 'Deny']), {
    type: 'string',
    enum: ['Allow', 'Deny'],
  }),
  field('an enum of numbers', [`${v}:Enum`], z.literal([1, 2, 3]), { type: 'integer', enum: [1, 2, 3] }),
];

const formats: readonly MarkedKind[] = [
  field('a date-time', [`${v}:Format`], z.iso.datetime(), { type: 'string', format: 'date-time' }),
  field('a date', [`${v}:Format`], z.iso.date(), { format: 'date' }),
  field('a duration as Go writes it', [`${v}:Format`], z.string().meta({ format: 'duration' }), { format: 'duration' }),
  field('an IPv4 address', [`${v}:Format`], z.ipv4(), { format: 'ipv4' }),
  field('an IPv6 range', [`${v}:Format`], z.cidrv6(), { format: 'cidr' }),
  field('an e-mail address', [`${v}:Format`], z.email(), { format: 'email' }),
  field('a UUID', [`${v}:Format`], z.uuid(), { format: 'uuid' }),
  field('a URL', [`${v}:Format`], z.url(), { format: 'uri' }),
  field('a host name', [`${v}:Format`], z.hostname(), { format: 'hostname' }),
  field('bytes in base64', [`${v}:Format`], z.base64(), { format: 'byte' }),
];

const lists: readonly MarkedKind[] = [
  field('a longest list', [`${v}:MaxItems`], z.array(z.string()).max(2), { type: 'array', maxItems: 2 }),
  field('a shortest list', [`${v}:MinItems`], z.array(z.int32()).min(1), { minItems: 1 }),
  field(
    'a list without duplicates',
    [`${v}:UniqueItems`],
    z.array(z.string()).max(9).meta({ 'x-kubernetes-list-type': 'set' }),
    { 'x-kubernetes-list-type': 'set' },
  ),
  field('limits of items', [`${v}:items:Maximum`, `${v}:items:Minimum`], z.array(z.int32().min(1).max(5)), {
    items: { minimum: 1, maximum: 5 },
  }),
  field('a pattern of items', [`${v}:items:Pattern`], z.array(z.string().regex(/^a/).max(4)), {
    items: { pattern: '^a', maxLength: 4 },
  }),
  field('an enum of items', [`${v}:items:Enum`], z.array(z.enum(['Read', 'Write'])), {
    items: { enum: ['Read', 'Write'] },
  }),
  field(
    'a map with enough entries',
    [`${v}:MinProperties`],
    z.record(z.string(), z.string()).meta({ minProperties: 1 }),
    {
      minProperties: 1,
      additionalProperties: { type: 'string' },
    },
  ),
  field('a map with few entries', [`${v}:MaxProperties`], z.record(z.string(), z.int32()).meta({ maxProperties: 2 }), {
    maxProperties: 2,
  }),
];

const shapes: readonly MarkedKind[] = [
  field('a type that is stated by hand', [`${v}:Type`], rawSchema<string>({ type: 'string', maxLength: 4 }), {
    type: 'string',
    maxLength: 4,
  }),
  field('a raw schema', [`${v}:Type`], rawSchema<number>({ type: 'number', not: { enum: [0] } }), {
    not: { enum: [0] },
  }),
  field('an integer or a text', [`${v}:XIntOrString`], z.union([z.int32(), z.string()]), {
    'x-kubernetes-int-or-string': true,
  }),
  field(
    'an integer or a text within limits',
    [`${v}:XIntOrString`],
    z.union([z.int32().min(0), z.string().regex(/^\d+%$/)]),
    {
      'x-kubernetes-int-or-string': true,
      minimum: 0,
      pattern: '^\\d+%$',
    },
  ),
  field(
    'an object that keeps unknown fields',
    [`${v}:XPreserveUnknownFields`, 'kubebuilder:pruning:PreserveUnknownFields'],
    z.looseObject({ known: z.int32().optional() }),
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  ),
  field(
    'a field of any type',
    [`${v}:Schemaless`],
    z.unknown().meta({ 'x-kubernetes-preserve-unknown-fields': true }),
    { 'x-kubernetes-preserve-unknown-fields': true },
  ),
  field(
    'an embedded object of any kind',
    [`${v}:XEmbeddedResource`, `${v}:EmbeddedResource`],
    z.looseObject({}).meta({ 'x-kubernetes-embedded-resource': true }),
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  ),
  field(
    'an embedded object of known fields',
    [`${v}:XEmbeddedResource`],
    z
      .object({ spec: z.object({ size: z.int32().default(2) }).optional() })
      .meta({ 'x-kubernetes-embedded-resource': true }),
    { 'x-kubernetes-embedded-resource': true },
  ),
  field(
    'a union told apart by a field',
    [],
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('File'), path: z.string() }),
      z.object({ type: z.literal('Secret'), name: z.string(), key: z.string().optional() }),
    ]),
    { required: ['type'] },
  ),
  field(
    'a list of unions',
    [],
    z.array(
      z.discriminatedUnion('on', [
        z.object({ on: z.literal(true), at: z.int32() }),
        z.object({ on: z.literal(false) }),
      ]),
    ),
    { items: { required: ['on'] } },
  ),
];

export const validationKinds = [...numbers, ...texts, ...formats, ...lists, ...shapes];
