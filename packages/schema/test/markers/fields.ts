/** What is said of a field beside its values: presence, defaults, texts, rules, and how apply merges it. */
import {
  atLeastOneOf,
  atMostOneOf,
  exactlyOneOf,
  immutable,
  rule,
  type ValidationRule,
  withRules,
} from '@keelson/schema/rules';
import { z } from 'zod';
import { field, type MarkedKind, spec } from './marked-kind.ts';

const ruled = (...rules: readonly ValidationRule[]) => ({ 'x-kubernetes-validations': rules });
const oneRule = (expected: Partial<ValidationRule>) => ({ 'x-kubernetes-validations': [expected] });

const presence: readonly MarkedKind[] = [
  spec(
    'a required field',
    ['required', 'k8s:required', 'kubebuilder:validation:Required'],
    z.object({ name: z.string(), size: z.int32() }),
    { required: ['name', 'size'] },
  ),
  spec(
    'an optional field',
    ['optional', 'k8s:optional', 'kubebuilder:validation:Optional'],
    z.object({ name: z.string().optional() }).partial(),
    { properties: { name: { type: 'string' } } },
  ),
  field('null', ['nullable'], z.string().nullable(), { type: 'string', nullable: true }),
  field('a default', ['default', 'kubebuilder:default'], z.int32().default(3), { default: 3 }),
  field(
    'a default of a whole object',
    ['kubebuilder:default'],
    z.object({ mb: z.int32().default(64), tags: z.array(z.string()).default([]) }).prefault({}),
    { default: {}, properties: { mb: { default: 64 }, tags: { default: [] } } },
  ),
  field('an example', ['kubebuilder:example'], z.string().max(9).meta({ example: 'web' }), { example: 'web' }),
  field('a title', ['kubebuilder:title'], z.boolean().meta({ title: 'Enabled' }), { title: 'Enabled' }),
  field(
    'external documentation',
    ['kubebuilder:externalDocs'],
    z.string().meta({ externalDocs: { url: 'https://example.com/docs', description: 'All about it.' } }),
    { externalDocs: { url: 'https://example.com/docs' } },
  ),
];

const x = 'kubebuilder:validation:XValidation';
const pair = z.object({ min: z.int32(), max: z.int32() });
const options = z.object({ a: z.string().optional(), b: z.string().optional(), c: z.int32().optional() });

const rules: readonly MarkedKind[] = [
  field('a rule with a message', [x], pair.meta(ruled(rule('self.min <= self.max', { message: 'min is above max' }))), {
    ...oneRule({ rule: 'self.min <= self.max', message: 'min is above max' }),
  }),
  field(
    'a rule with a reason and a field to blame',
    [x],
    pair.meta(ruled(rule('self.min < self.max', { reason: 'FieldValueForbidden', fieldPath: '.min' }))),
    oneRule({ reason: 'FieldValueForbidden', fieldPath: '.min' }),
  ),
  field(
    'a rule with a computed message',
    [x],
    z
      .string()
      .max(9)
      .meta(ruled(rule("self.startsWith('a')", { messageExpression: "self + ' does not begin with a'" }))),
    oneRule({ messageExpression: "self + ' does not begin with a'" }),
  ),
  field(
    'a rule on changes that also sees a create',
    [x],
    z.int32().meta(ruled(rule('!oldSelf.hasValue() || self >= oldSelf.value()', { optionalOldSelf: true }))),
    oneRule({ optionalOldSelf: true }),
  ),
  field(
    'a rule whose fields the compiler checks',
    [x],
    withRules(pair, (self) => [rule(`${self.min} + 1 < ${self.max}`, { fieldPath: self.max })]),
    oneRule({ rule: 'self.min + 1 < self.max', fieldPath: '.max' }),
  ),
  field('an immutable field', ['k8s:immutable'], immutable(z.string().max(9)), oneRule({ rule: 'self == oldSelf' })),
  field(
    'at most one of several fields',
    ['kubebuilder:validation:AtMostOneOf'],
    withRules(options, (self) => [atMostOneOf(self.a, self.b)]),
    oneRule({ message: 'at most one of a, b may be set' }),
  ),
  field(
    'exactly one of several fields',
    ['kubebuilder:validation:ExactlyOneOf'],
    withRules(options, (self) => [exactlyOneOf(self.a, self.b, self.c)]),
    oneRule({ message: 'exactly one of a, b, c must be set' }),
  ),
  field(
    'at least one of several fields',
    ['kubebuilder:validation:AtLeastOneOf'],
    withRules(options, (self) => [atLeastOneOf(self.a, self.b)]),
    oneRule({ message: 'at least one of a, b must be set' }),
  ),
];

const named = z.object({ name: z.string(), port: z.int32().optional() });
const atomic = { 'x-kubernetes-map-type': 'atomic' } as const;

const topology: readonly MarkedKind[] = [
  field(
    'a list that is merged whole',
    ['listType', 'k8s:listType'],
    z.array(named).meta({ 'x-kubernetes-list-type': 'atomic' }),
    {
      'x-kubernetes-list-type': 'atomic',
    },
  ),
  field(
    'a list that is a set',
    ['listType', 'k8s:listType'],
    z.array(z.int32()).meta({ 'x-kubernetes-list-type': 'set' }),
    {
      'x-kubernetes-list-type': 'set',
    },
  ),
  field(
    'a list with a key',
    ['listType', 'listMapKey', 'k8s:listType', 'k8s:listMapKey'],
    z.array(named).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  ),
  field(
    'a list with two keys, one with a default',
    ['listMapKey'],
    z
      .array(z.object({ port: z.int32(), protocol: z.string().default('TCP') }))
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'] }),
    { 'x-kubernetes-list-map-keys': ['port', 'protocol'] },
  ),
  field('a map that is merged whole', ['mapType'], z.record(z.string(), z.string()).meta(atomic), atomic),
  field(
    'a map that is merged by its keys',
    ['mapType'],
    z.record(z.string(), z.int32()).meta({ 'x-kubernetes-map-type': 'granular' }),
    { 'x-kubernetes-map-type': 'granular' },
  ),
  field('an object that is merged whole', ['structType'], named.meta(atomic), atomic),
  field(
    'a set of objects',
    ['listType', 'structType'],
    z.array(named.meta(atomic)).max(9).meta({ 'x-kubernetes-list-type': 'set' }),
    {
      'x-kubernetes-list-type': 'set',
      items: atomic,
    },
  ),
];

export const fieldKinds = [...presence, ...rules, ...topology];
