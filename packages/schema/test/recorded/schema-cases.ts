/** Schemas that the API server refuses, or nearly, and those with expressions to compile. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { expressions } from './expressions.ts';
import { list, map, object, rules } from './object-schema.ts';
import type { SchemaCase } from './recording.ts';

const whole = (spec: JSONSchemaProps, rest: JSONSchemaProps = {}): JSONSchemaProps => object({ spec }, rest);

const schemas: Readonly<Record<string, JSONSchemaProps>> = {
  rule: whole({
    ...object({ a: { type: 'string' } }),
    'x-kubernetes-validations': [
      {
        rule: 'self.b',
        message: '<m>',
        reason: 'FieldValueForbidden',
        fieldPath: '.a',
        optionalOldSelf: true,
        messageExpression: '"a"',
      },
    ],
  }),
  msgexpr: whole({
    ...object({ a: { type: 'string' } }),
    'x-kubernetes-validations': [
      { rule: 'self.a == ""', messageExpression: 'self.b' },
      { rule: 'self.a == ""', messageExpression: 'self.a == ""' },
      { rule: 'self.a == ""', messageExpression: ' ' },
    ],
  }),
  rulemisc: whole({
    ...object({ a: { type: 'string' } }),
    'x-kubernetes-validations': [
      { rule: ' ' },
      { rule: 'self.a == ""', message: ' ' },
      { rule: 'self.a == ""', message: 'a\nb' },
      { rule: 'self.a ==\n ""' },
      { rule: 'true', reason: 'Foo' as 'FieldValueInvalid' },
      { rule: 'true', fieldPath: ' ' },
      { rule: 'true', fieldPath: '.zz' },
      { rule: 'true', fieldPath: '.a\n' },
      { rule: 'true', fieldPath: 'a' },
      { rule: 'true', optionalOldSelf: true },
    ],
  }),
  uncorrelated: whole(
    object({
      l: {
        type: 'array',
        maxItems: 3,
        items: { type: 'string', maxLength: 3, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      },
    }),
  ),
  correlatedmap: whole(
    object({
      l: {
        type: 'array',
        maxItems: 3,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: {
          ...object({ k: { type: 'string' } }, { required: ['k'] }),
          'x-kubernetes-validations': [{ rule: 'self == oldSelf' }],
        },
      },
    }),
  ),
  statusroot: whole({ type: 'object' }, { minProperties: 1 }),
  nullableroot: whole({ type: 'object' }, { nullable: true }),
  roottype: { type: 'string' },
  rootnotype: { properties: { a: { type: 'string' } } },
  rootarray: { type: 'array' },
  rootaddl: { type: 'object', additionalProperties: { type: 'string' } },
  uniqueItems: whole({ type: 'array', uniqueItems: true, items: { type: 'string' } }),
  addprops: whole({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } }),
  addpropsfalse: whole({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }),
  addpropstrue: whole({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }),
  ref: whole({ $ref: '#/x' }),
  pp: whole({ type: 'object', patternProperties: { a: { type: 'string' } } }),
  deps: whole({ type: 'object', dependencies: { a: ['b'] } }),
  defs: whole({ type: 'object', definitions: { a: { type: 'string' } } }),
  addItems: whole({ type: 'array', items: { type: 'string' }, additionalItems: true }),
  id: whole({ type: 'object', id: 'x' }),
  $schema: whole({ type: 'object', $schema: 'x' }),
  itemsArr: whole({ type: 'array', items: [{ type: 'string' }] }),
  typenull: whole({ type: 'null' }),
  typebad: whole({ type: 'foo' }),
  typeempty: whole({}),
  itemsnotype: whole({ type: 'array', items: {} }),
  noitems: whole({ type: 'array' }),
  addlnotype: whole({ type: 'object', additionalProperties: {} }),
  junctype: whole(
    object({
      a: { type: 'string', anyOf: [{ type: 'string', description: 'x', default: 'a', nullable: true, title: 't' }] },
    }),
  ),
  juncext: whole(
    object({
      a: {
        type: 'object',
        oneOf: [
          {
            'x-kubernetes-preserve-unknown-fields': true,
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-int-or-string': true,
            'x-kubernetes-list-type': 'atomic',
            'x-kubernetes-list-map-keys': ['a'],
            'x-kubernetes-map-type': 'atomic',
            'x-kubernetes-validations': [{ rule: 'true' }],
            additionalProperties: { type: 'string' },
          },
        ],
      },
    }),
  ),
  junccomplete: whole({
    ...object({ a: { type: 'string' } }),
    anyOf: [{ properties: { b: { minLength: 1 } } }, { required: ['z'] }],
    not: { properties: { c: { items: { minLength: 1 } } } },
    allOf: [{ properties: { a: { items: { minLength: 1 } } } }],
  }),
  juncmeta: { ...object({ spec: { type: 'object' } }), anyOf: [{ properties: { metadata: { minProperties: 1 } } }] },
  ios1: whole(object({ a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } })),
  ios2: whole(
    object({
      a: {
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { minimum: 1 }],
      },
    }),
  ),
  ios3: whole(object({ a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] } })),
  ios4: whole(object({ a: { type: 'string', 'x-kubernetes-int-or-string': true } })),
  ios5: whole(object({ a: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } })),
  ios6: whole(
    object({ a: { type: 'object', 'x-kubernetes-int-or-string': true, 'x-kubernetes-embedded-resource': true } }),
  ),
  ios7: whole(
    object({
      a: { 'x-kubernetes-int-or-string': true, pattern: '^a$', anyOf: [{ type: 'integer' }, { type: 'string' }] },
    }),
  ),
  emb1: whole(object({ a: { 'x-kubernetes-embedded-resource': true } })),
  emb2: whole(object({ a: { type: 'string', 'x-kubernetes-embedded-resource': true } })),
  emb3: whole(object({ a: { type: 'object', 'x-kubernetes-embedded-resource': true } })),
  emb4: whole(
    object({ a: { type: 'object', 'x-kubernetes-embedded-resource': true, additionalProperties: { type: 'string' } } }),
  ),
  emb5: whole(
    object({
      a: {
        ...object({ kind: { type: 'integer' }, apiVersion: { type: 'object' }, metadata: { type: 'string' } }),
        'x-kubernetes-embedded-resource': true,
      },
    }),
  ),
  emb6: whole(
    object({
      a: {
        ...object({
          metadata: {
            ...object({
              name: { type: 'string' },
              labels: { type: 'object', additionalProperties: { type: 'string', default: 'x' } },
            }),
          },
        }),
        'x-kubernetes-embedded-resource': true,
      },
    }),
  ),
  emb7: whole(
    object({
      a: {
        ...object({
          metadata: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        }),
        'x-kubernetes-embedded-resource': true,
      },
    }),
  ),
  meta1: object({ metadata: object({ labels: { type: 'object' } }), spec: { type: 'object' } }),
  meta2: object({ metadata: object({ name: { type: 'string', maxLength: 3 } }) }),
  meta3: object({ metadata: { type: 'string' } }),
  meta4: object({ metadata: { type: 'object', minProperties: 1 } }),
  meta5: object({ metadata: { type: 'object', default: {} } }),
  meta6: object({ kind: { type: 'integer' }, apiVersion: { type: 'string', default: 'v1' } }),
  meta7: object({ metadata: object({ name: { type: 'string', default: 'x' } }) }),
  meta8: object({
    metadata: object({ name: { type: 'string' }, generateName: { type: 'string' }, uid: { type: 'string' } }),
  }),
  list1: whole({ type: 'object', 'x-kubernetes-list-type': 'map' }),
  list2: whole({ 'x-kubernetes-list-type': 'set' }),
  list3: whole({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'foo' }),
  list4: whole({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-map-keys': ['a'] }),
  list5: whole({
    type: 'array',
    items: { type: 'string' },
    'x-kubernetes-list-type': 'set',
    'x-kubernetes-list-map-keys': ['a'],
  }),
  list6: whole({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map' }),
  list7: whole({
    type: 'array',
    items: object({ a: { type: 'object' }, b: { type: 'string', nullable: true } }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a', 'b', 'c', 'b'],
  }),
  list8: whole({ type: 'array', items: object({ a: { type: 'string' } }), 'x-kubernetes-list-type': 'set' }),
  list9: whole({
    type: 'array',
    items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    'x-kubernetes-list-type': 'set',
  }),
  list10: whole({ type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' }),
  list11: whole({
    type: 'array',
    items: object({ a: { type: 'string', default: 'x' } }, { nullable: true }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  }),
  map1: whole({ type: 'array', items: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' }),
  map2: whole({ 'x-kubernetes-map-type': 'granular' }),
  map3: whole({ type: 'object', 'x-kubernetes-map-type': 'foo' }),
  puf1: whole({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
  puf2: whole({ 'x-kubernetes-preserve-unknown-fields': true }),
  puf3: whole({ type: 'string', 'x-kubernetes-preserve-unknown-fields': true }),
  puf4: whole({ type: 'array', items: { type: 'string' }, 'x-kubernetes-preserve-unknown-fields': true }),
  def1: whole(object({ a: { type: 'string', default: 5 } })),
  def2: whole(object({ a: { ...object({ b: { type: 'string' } }), default: { c: 1 } } })),
  def3: whole(object({ a: { ...object({ b: { type: 'string', minLength: 2 } }), default: { b: 'x' } } })),
  def4: whole(object({ a: { ...object({ b: { type: 'string' } }, { required: ['b'] }), default: {} } })),
  def5: whole(object({ a: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } })),
  def6: whole(object({ a: { type: 'string', default: null } })),
  def7: whole(object({ a: { type: 'string', nullable: true, default: null } })),
  def8: whole(object({ a: { type: 'array', items: { type: 'string', default: 'x' } } })),
  def9: whole(
    object({ a: { type: 'integer', maximum: 3, default: 5, 'x-kubernetes-validations': [{ rule: 'self < 2' }] } }),
  ),
  def10: whole(object({ a: { type: 'integer', default: 5, 'x-kubernetes-validations': [{ rule: 'self < 2' }] } })),
  def11: whole(
    object({
      a: {
        ...object({ b: { type: 'string' } }),
        'x-kubernetes-embedded-resource': true,
        default: { apiVersion: 'v1' },
      },
    }),
  ),
  def12: whole(
    object({
      a: {
        ...object({ b: { type: 'string' } }),
        'x-kubernetes-embedded-resource': true,
        default: { apiVersion: 'v1', kind: 'X', metadata: { name: 5 } },
      },
    }),
  ),
  def13: whole(
    object({
      a: {
        ...object({ b: { type: 'string' } }),
        'x-kubernetes-embedded-resource': true,
        default: { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', foo: 1 } },
      },
    }),
  ),
  def14: { ...object({ spec: { type: 'object' } }), default: {} },
  def15: whole(
    object({
      a: {
        ...object({ metadata: object({ name: { type: 'string', default: 'A/B' } }) }),
        'x-kubernetes-embedded-resource': true,
      },
    }),
  ),
  def16: whole(object({ a: { type: 'array', maxItems: 1, items: { type: 'string' }, default: ['a', 'b'] } })),
  def17: whole(
    object({ a: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', default: ['a', 'a'] } }),
  ),
  pat: whole(object({ a: { type: 'string', pattern: '(?!a)' }, b: { type: 'string', anyOf: [{ pattern: '[' }] } })),
  fmt: whole(object({ a: { type: 'string', format: 'foo' }, b: { type: 'integer', format: 'int8' } })),
  enumnull: whole(object({ a: { type: 'string', enum: [] } })),
  big: whole(
    object({
      a: {
        type: 'array',
        items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() < 3' }] },
        'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x == y))' }],
      },
    }),
  ),
  bigtotal: whole(
    object(
      Object.fromEntries(
        Array.from({ length: 12 }, (_, i) => [
          `f${i}`,
          {
            type: 'string',
            'x-kubernetes-validations': [
              { rule: 'self.contains("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")' },
              { rule: 'self.matches("aaaaaaaaaaaaaaaaaaaaaaaa")' },
            ],
          },
        ]),
      ),
    ),
  ),
  untypedrule: whole(
    object({ a: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'true' }] } }),
  ),
  untypedrule2: whole(
    object({
      a: {
        type: 'array',
        items: { 'x-kubernetes-preserve-unknown-fields': true },
        'x-kubernetes-validations': [{ rule: 'true' }],
      },
    }),
  ),
  emptyprops: whole({ type: 'object', properties: {} }),
  multi: whole(object({ a: {}, b: { type: 'array' } })),
  nestedaddl: whole(object({ a: { type: 'object', anyOf: [{ additionalProperties: true }] } })),
  defaultIntOrString: whole(
    object({
      a: { 'x-kubernetes-int-or-string': true, default: true },
      b: { type: 'string', 'x-kubernetes-int-or-string': true, default: 3 },
    }),
  ),
  defaultOfUnknownFormat: whole(
    object({
      a: { type: 'integer', format: 'int8', default: 'x' },
      b: { type: 'string', format: 'foo', default: 3 },
      c: { type: 'string', format: 'date', default: 'x' },
    }),
  ),
  manyProblems: whole(object({ a: {}, b: { type: 'array' }, c: { type: 'string', default: 1 } })),
  ruleAtRoot: object(
    { spec: { type: 'object' } },
    rules('self.metadata.name.size() <= 63', 'self.metadata.uid == ""', 'self.spec.x == 1'),
  ),
  ruleInMap: whole(object({ m: map({ type: 'string', ...rules('self.size() < 3') }) })),
  ruleInBoundedMap: whole(
    object({ m: map({ type: 'string', maxLength: 10, ...rules('self.matches("^[a-z]+$")') }, { maxProperties: 10 }) }),
  ),
  rulesInNestedLists: whole(object({ l: list(list({ type: 'string', ...rules('self.contains("a")') })) })),
  rulesOfNestedBounds: whole(
    object({
      l: list(list({ type: 'string', maxLength: 100, ...rules('self.contains("a")') }, { maxItems: 100 }), {
        maxItems: 100,
      }),
    }),
  ),
  messageTooExpensive: whole(
    object({
      l: list(
        { type: 'string' },
        { 'x-kubernetes-validations': [{ rule: 'true', messageExpression: 'self.join(",") + self.join(",")' }] },
      ),
    }),
  ),
  ruleInEmbedded: whole(
    object({
      r: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        ...rules('self.metadata.name == "x"', 'self.spec.x == 1'),
      },
    }),
  ),
  statusMayHaveRules: object({ status: { type: 'object' } }, rules('true')),
  statusMayNotBeOpen: object({ status: { type: 'object' } }, { nullable: true, 'x-kubernetes-map-type': 'atomic' }),
};

/** What the expressions below can use. */
const self: JSONSchemaProps = object({
  a: { type: 'string', maxLength: 100 },
  n: { type: 'integer' },
  d: { type: 'number' },
  l: list({ type: 'string', maxLength: 10 }, { maxItems: 10 }),
  li: list({ type: 'integer' }, { maxItems: 10 }),
  m: map({ type: 'integer' }, { maxProperties: 5 }),
  ms: map({ type: 'string', maxLength: 10 }, { maxProperties: 5 }),
  namespace: { type: 'string' },
  'x-y': { type: 'string' },
  ob: object({ q: { type: 'string' } }),
  t: { type: 'string', format: 'date-time' },
  du: { type: 'string', format: 'duration' },
  by: { type: 'string', format: 'byte' },
  ios: { 'x-kubernetes-int-or-string': true },
  lo: list(object({ k: { type: 'string' }, v: { type: 'string' } }), { maxItems: 3 }),
  ul: list({ type: 'string' }),
  us: { type: 'string' },
});

export const schemaCases: readonly SchemaCase[] = [
  ...Object.entries(schemas).map(([name, schema]) => ({ name, schema, hasStatus: name.startsWith('status') })),
  ...expressions.map((expression) => ({ name: expression, schema: whole({ ...self, ...rules(expression) }) })),
];
