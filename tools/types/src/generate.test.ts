import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel } from './build.ts';
import type { Facts } from './facts.ts';
import type { Documents, GroupVersionKind, PathItem, Schema } from './openapi.ts';
import { printModel } from './print.ts';

const noFacts: Facts = { aliases: {}, inlined: {}, answers: {}, writeOnly: {}, nullable: {} };
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const widget: GroupVersionKind = { group: 'shop.example.com', version: 'v1', kind: 'Widget' };
const base = '/apis/shop.example.com/v1';

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const wrapped = (name: string, rest: Schema = {}): Schema => ({ ...rest, allOf: [ref(name)] });

function path(kind: GroupVersionKind, ...actions: readonly string[]): PathItem {
  const operation = (action: string) => ({ 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': kind });
  return { ...Object.fromEntries(actions.map((action) => [action, operation(action)])), parameters: [] };
}

function documents(
  schemas: Readonly<Record<string, Schema>>,
  paths: Readonly<Record<string, PathItem>> = {},
): Documents {
  return new Map([['apis/shop.example.com/v1', { paths, components: { schemas } }]]);
}

/** What is printed after the header and the imports. */
function printed(file: string, from: Documents, facts: Partial<Facts> = {}): string {
  const text = printModel(buildModel(from, { ...noFacts, ...facts }), 'v1.2.3').get(file) ?? 'no such file';
  return text.replace(/^\/\*\*[\s\S]*?\*\/\n(\nimport [\s\S]*?;\n(?=\n))?\n/, '');
}

/** The printed line of a property `p` of a plain object. */
function property(schema: Schema, required: readonly string[] = []): string {
  const schemas = {
    [`${meta}.Holder`]: { type: 'object', properties: { p: schema }, required },
    [`${meta}.Other`]: { type: 'object', properties: {} },
  };
  return printed('meta/v1.ts', documents(schemas)).split('\n')[1]?.trim() ?? '';
}

const text: Schema = { type: 'string' };
const properties: readonly { readonly name: string; readonly schema: Schema; readonly line: string }[] = [
  { name: 'a string', schema: text, line: 'readonly p?: string | undefined;' },
  { name: 'bytes are base64', schema: { type: 'string', format: 'byte' }, line: 'readonly p?: string | undefined;' },
  { name: 'an integer', schema: { type: 'integer', format: 'int64' }, line: 'readonly p?: number | undefined;' },
  { name: 'a number', schema: { type: 'number', format: 'double' }, line: 'readonly p?: number | undefined;' },
  { name: 'a boolean', schema: { type: 'boolean', default: false }, line: 'readonly p?: boolean | undefined;' },
  { name: 'an enum', schema: { ...text, enum: ['A', ''] }, line: "readonly p?: 'A' | '' | undefined;" },
  {
    name: 'an integer or a string',
    schema: { format: 'int-or-string', oneOf: [{ type: 'integer' }, text] },
    line: 'readonly p?: number | string | undefined;',
  },
  { name: 'an array', schema: { type: 'array', items: text }, line: 'readonly p?: readonly string[] | undefined;' },
  {
    name: 'an array of arrays',
    schema: { type: 'array', items: { type: 'array', items: text } },
    line: 'readonly p?: readonly (readonly string[])[] | undefined;',
  },
  {
    name: 'an array of an enum',
    schema: { type: 'array', items: { ...text, enum: ['A', 'B'] } },
    line: "readonly p?: readonly ('A' | 'B')[] | undefined;",
  },
  {
    name: 'a map',
    schema: { type: 'object', additionalProperties: { type: 'array', items: text } },
    line: 'readonly p?: { readonly [key: string]: readonly string[] } | undefined;',
  },
  {
    name: 'an open object',
    schema: { type: 'object' },
    line: 'readonly p?: { readonly [key: string]: unknown } | undefined;',
  },
  { name: 'a reference', schema: ref(`${meta}.Other`), line: 'readonly p?: Other | undefined;' },
  {
    name: 'a reference with a default, which is wrapped',
    schema: wrapped(`${meta}.Other`, { default: {} }),
    line: 'readonly p?: Other | undefined;',
  },
];
for (const { name, schema, line } of properties) test(`property: ${name}`, () => assert.equal(property(schema), line));

test('a required property is not optional', () => {
  assert.equal(property(text, ['p']), 'readonly p: string;');
});

test('property names that are no identifiers are quoted', () => {
  const holder = { type: 'object', properties: { $ref: text, 'x-kubernetes-y': text } };
  assert.equal(
    printed('meta/v1.ts', documents({ [`${meta}.Holder`]: holder })),
    "export interface Holder {\n  readonly $ref?: string | undefined;\n  readonly 'x-kubernetes-y'?: string | undefined;\n}\n",
  );
});

test('long unions get a line for each member, in arrays and maps too', () => {
  const values = Array.from({ length: 12 }, (_, i) => `LongValue${i}`);
  const lines = (indent: string) => values.map((value) => `${indent}| '${value}'\n`).join('');
  const long: Schema = { type: 'string', enum: values };
  const holder = {
    type: 'object',
    properties: { a: long, b: { type: 'array', items: long }, c: { type: 'object', additionalProperties: long } },
  };
  assert.equal(
    printed('meta/v1.ts', documents({ [`${meta}.Holder`]: holder })),
    `export interface Holder {
  readonly a?:
${lines('    ')}    | undefined;
  readonly b?:
    | readonly (
${lines('        ')}      )[]
    | undefined;
  readonly c?:
    | {
        readonly [key: string]:
${lines('          ').trimEnd()};
      }
    | undefined;
}
`,
  );
});

const stored = {
  [`${base}/widgets`]: path(widget, 'list'),
  [`${base}/namespaces/{namespace}/widgets`]: path(widget, 'list', 'post'),
  [`${base}/namespaces/{namespace}/widgets/{name}`]: path(widget, 'get', 'put', 'delete'),
  [`${base}/namespaces/{namespace}/widgets/{name}/status`]: path(widget, 'get', 'put'),
  [`${base}/namespaces/{namespace}/widgets/{name}/open`]: path({ ...widget, kind: 'WidgetOptions' }, 'connect'),
  [`${base}/watch/widgets`]: path(widget, 'watchlist'),
};
const schemas: Readonly<Record<string, Schema>> = {
  [`${meta}.ObjectMeta`]: { type: 'object', properties: {} },
  [`${meta}.ListMeta`]: { type: 'object', properties: {} },
  [`${meta}.Time`]: { type: 'string', format: 'date-time' },
  'com.example.shop.v1.WidgetSpec': { type: 'object', properties: { size: text }, required: ['size'] },
  'com.example.shop.v1.WidgetStatus': { type: 'object', properties: { since: wrapped(`${meta}.Time`) } },
  'com.example.shop.v1.Widget': {
    description: 'A thing for sale.',
    type: 'object',
    required: ['owner'],
    properties: {
      apiVersion: text,
      kind: text,
      metadata: wrapped(`${meta}.ObjectMeta`, { default: {} }),
      spec: wrapped('com.example.shop.v1.WidgetSpec', { default: {} }),
      status: wrapped('com.example.shop.v1.WidgetStatus', { default: {} }),
      owner: text,
      note: text,
    },
    'x-kubernetes-group-version-kind': [widget],
  },
  'com.example.shop.v1.WidgetList': {
    type: 'object',
    properties: {
      items: { type: 'array', items: ref('com.example.shop.v1.Widget') },
      metadata: wrapped(`${meta}.ListMeta`, { default: {} }),
    },
    'x-kubernetes-group-version-kind': [{ ...widget, kind: 'WidgetList' }],
  },
};

test('a stored kind is a type as read, a type as written, and a descriptor; its list is left out', () => {
  const files = printModel(buildModel(documents(schemas, stored), noFacts), 'v1.2.3');
  assert.equal(
    files.get('shop/v1.ts'),
    `/**
 * Types of shop/v1.
 *
 * Generated by tools/types from the OpenAPI documents of Kubernetes v1.2.3 (Apache-2.0, The Kubernetes Authors). Do not
 * edit; \`npm run generate:types\` writes it again.
 */

import type { Kind } from '../../kind.ts';
import type { NamespacedObjectMeta, NewObjectMeta } from '../../meta.ts';
import type { Time } from '../meta/v1.ts';

/** A thing for sale. */
export interface Widget {
  readonly apiVersion: 'shop.example.com/v1';
  readonly kind: 'Widget';
  readonly metadata: NamespacedObjectMeta;
  readonly spec: WidgetSpec;
  readonly status: WidgetStatus;
  readonly owner: string;
  readonly note?: string | undefined;
}

/** Widget as it is written. */
export interface NewWidget {
  readonly apiVersion?: 'shop.example.com/v1' | undefined;
  readonly kind?: 'Widget' | undefined;
  readonly metadata: NewObjectMeta;
  readonly spec?: WidgetSpec | undefined;
  readonly owner: string;
  readonly note?: string | undefined;
}

/** What \`Widget\` is as a value: the kind that clients and controllers are given. */
export interface WidgetKind extends Kind<Widget, NewWidget, WidgetStatus> {
  readonly group: 'shop.example.com';
  readonly version: 'v1';
  readonly kind: 'Widget';
  readonly resource: 'widgets';
  readonly scope: 'Namespaced';
  readonly subresources: readonly ['open', 'status'];
}

export const Widget: WidgetKind = {
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
  scope: 'Namespaced',
  subresources: ['open', 'status'],
};

export interface WidgetSpec {
  readonly size: string;
}

export interface WidgetStatus {
  readonly since?: Time | undefined;
}
`,
  );
  assert.match(
    files.get('kind-map.ts') ?? '',
    /import type \* as shopV1 from '.\/shop\/v1.ts';\n\n\/\*\* Object types .* \*\/\nexport interface KindMap \{\n {2}readonly 'shop\/v1\/Widget': shopV1.Widget;\n\}/,
  );
});

test('a cluster-scoped kind has no namespace', () => {
  const paths = { [`${base}/widgets`]: path(widget, 'list', 'post'), [`${base}/widgets/{name}`]: path(widget, 'get') };
  const module = printed('shop/v1.ts', documents(schemas, paths));
  assert.match(module, /scope: 'Cluster',\n {2}subresources: \[\],/);
  assert.match(module, /readonly metadata: StoredObjectMeta;/);
});

test('a kind that can only be created is not stored', () => {
  const module = printed('shop/v1.ts', documents(schemas, { [`${base}/widgets`]: path(widget, 'post') }));
  assert.match(module, /readonly metadata: ObjectMeta;/);
  assert.match(module, /readonly metadata\?: ObjectMeta \| undefined;/);
  assert.match(module, /extends VirtualKind<Widget, NewWidget> \{[^}]*resource: 'widgets';/);
});

test('a kind that can only be read is never written', () => {
  const module = printed('shop/v1.ts', documents(schemas, { [`${base}/widgets`]: path(widget, 'list') }));
  assert.match(module, /extends VirtualKind<Widget, never> \{/);
  assert.doesNotMatch(module, /NewWidget/);
});

test('a kind that only a subresource of another group uses has no resource', () => {
  const pod = { group: '', version: 'v1', kind: 'Pod' };
  const paths = {
    '/api/v1/namespaces/{namespace}/pods': path(pod, 'post', 'list'),
    '/api/v1/namespaces/{namespace}/pods/{name}': path(pod, 'get'),
    '/api/v1/namespaces/{namespace}/pods/{name}/widget': path(widget, 'post'),
  };
  const withPod = {
    ...schemas,
    'io.k8s.api.core.v1.Pod': { type: 'object', properties: {}, 'x-kubernetes-group-version-kind': [pod] },
  };
  assert.match(
    printed('shop/v1.ts', documents(withPod, paths)),
    /\nexport const Widget: WidgetKind = \{[^}]*kind: 'Widget',\n\};/,
  );
  assert.match(printed('v1.ts', documents(withPod, paths)), /subresources: \['widget'\],/);
});

test('an object inside another is one that is written', () => {
  const shop: Schema = { type: 'object', properties: { first: ref('com.example.shop.v1.Widget') } };
  const module = printed('shop/v1.ts', documents({ ...schemas, 'com.example.shop.v1.Shop': shop }, stored));
  assert.match(module, /readonly first\?: NewWidget \| undefined;/);
});

test('facts change what OpenAPI says', () => {
  const module = printed('shop/v1.ts', documents(schemas, stored), {
    aliases: { 'shop/v1/WidgetSpec': { type: 'primitive', name: 'string' } },
    answers: {},
    inlined: { 'meta/v1/Time': { type: 'primitive', name: 'unknown' } },
    nullable: { 'shop/v1/WidgetStatus': ['since'], 'shop/v1/Widget': ['owner'] },
    writeOnly: { 'shop/v1/Widget': ['note'] },
  });
  const [read = '', written = ''] = module.split('export interface NewWidget');
  assert.match(module, /export type WidgetSpec = string;/);
  assert.match(module, /readonly since\?: unknown/);
  assert.match(read, /readonly owner: string \| null;/);
  assert.match(written, /readonly owner: string;/);
  assert.doesNotMatch(read, /note/);
  assert.match(written, /note/);
});

test('the answer to a create may be of another type', () => {
  const answers = { 'shop/v1/Widget': { type: 'reference', module: 'meta/v1', name: 'Time' } as const };
  const module = printed('shop/v1.ts', documents(schemas, { [`${base}/widgets`]: path(widget, 'post') }), { answers });
  assert.match(module, /extends VirtualKind<Time, NewWidget> \{/);
});

const kindSchema = (kind: GroupVersionKind): Schema => ({
  type: 'object',
  properties: {},
  'x-kubernetes-group-version-kind': [kind],
});
const refused: readonly {
  readonly name: string;
  readonly from: Documents;
  readonly facts?: Partial<Facts>;
  readonly message: RegExp;
}[] = [
  {
    name: 'two groups with the same first label',
    from: documents({
      'com.example.shop.v1.A': kindSchema({ ...widget, kind: 'A' }),
      'org.example.shop.v2.B': kindSchema({ group: 'shop.example.org', version: 'v2', kind: 'B' }),
    }),
    message: /two groups have the first label shop: shop.example.com and shop.example.org/,
  },
  {
    name: 'a group that would take the place of meta',
    from: documents({ 'x.meta.v1.A': kindSchema({ group: 'meta.example.com', version: 'v1', kind: 'A' }) }),
    message: /two groups have the first label meta/,
  },
  {
    name: 'a package of which no kind tells the group',
    from: documents({ 'io.k8s.api.lost.v1.A': { type: 'object', properties: {} } }),
    message: /io.k8s.api.lost.v1.A: no kind tells which group/,
  },
  {
    name: 'a schema without a rule',
    from: documents({ [`${meta}.A`]: { type: 'object', properties: { p: { oneOf: [text] } } } }),
    message: /meta\/v1\/A.p: no rule for the schema \{"oneOf"/,
  },
  {
    name: 'a schema that differs between documents',
    from: new Map([
      ...documents({ [`${meta}.A`]: { type: 'string' } }),
      ['other', { components: { schemas: { [`${meta}.A`]: { type: 'integer' } } } }],
    ]),
    message: /other: .*\.A is not the same as in another document/,
  },
  {
    name: 'two schemas with one name',
    from: documents({ 'io.k8s.apimachinery.a.A': text, 'io.k8s.apimachinery.b.A': text }),
    message: /two schemas would become meta\/v1\/A/,
  },
  {
    name: 'a reference to nothing',
    from: documents({ [`${meta}.A`]: { type: 'object', properties: { p: ref('gone') } } }),
    message: /gone is referred to/,
  },
  {
    name: 'a fact about a property that is gone',
    from: documents({ [`${meta}.A`]: { type: 'object', properties: {} } }),
    facts: { nullable: { 'meta/v1/A': ['p'] } },
    message: /meta\/v1\/A\.p has an endpoint or an entry in facts\.ts, but no schema/,
  },
  {
    name: 'a name that is declared here and imported from elsewhere',
    from: documents({
      [`${meta}.Spec`]: { type: 'object', properties: {} },
      'com.example.shop.v1.Spec': { type: 'object', properties: { p: ref(`${meta}.Spec`) } },
      'com.example.shop.v1.Widget': kindSchema(widget),
    }),
    message: /shop\/v1: Spec would mean two things/,
  },
  {
    name: 'a schema with the name of what a kind brings',
    from: documents({ ...schemas, 'com.example.shop.v1.NewWidget': { type: 'object', properties: {} } }, stored),
    message: /shop\/v1: NewWidget would be declared twice/,
  },
  {
    name: 'a kind with two plurals',
    from: documents(schemas, { ...stored, [`${base}/gadgets`]: path(widget, 'list') }),
    message: /Widget has two resources/,
  },
];
for (const { name, from, facts, message } of refused) {
  test(`refuses ${name}`, () => assert.throws(() => printed('', from, facts), message));
}
