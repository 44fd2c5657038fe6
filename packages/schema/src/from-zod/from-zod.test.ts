import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';
import { expressed } from '../../test/expressed.ts';
import { DefinitionField, type DefinitionProblem } from './definition-field.ts';
import { structuralSchema } from './from-zod.ts';
import { rawSchema } from './raw-schema.ts';

function converted(schema: z.core.$ZodType): { schema: JSONSchemaProps; problems: readonly DefinitionProblem[] } {
  const problems: DefinitionProblem[] = [];
  return { schema: structuralSchema(schema, new DefinitionField('spec', problems)), problems };
}

for (const { what, schema, expected, accepts = [], refuses = [] } of expressed) {
  test(`a structural schema expresses ${what}`, () => {
    assert.deepEqual(converted(schema), { schema: expected, problems: [] });
    for (const value of accepts) assert.equal(schema.safeParse(value).success, true, JSON.stringify(value));
    for (const value of refuses) assert.equal(schema.safeParse(value).success, false, JSON.stringify(value));
  });
}

const tree: z.ZodType = z.object({
  get children() {
    return z.array(tree);
  },
});
let counter = 0;

const refused: readonly (readonly [what: string, schema: z.core.$ZodType, path: string, reason: RegExp])[] = [
  ['a refinement', z.object({ a: z.string().refine((s) => s !== 'x') }), 'spec.a', /CEL beside it/],
  ['a refinement of an object', z.object({ a: z.string() }).refine(() => true), 'spec', /refinement/],
  ['a check by a function', z.string().check(() => {}), 'spec', /refinement/],
  [
    'a refinement behind .optional()',
    z.object({
      a: z
        .string()
        .superRefine(() => {})
        .optional(),
    }),
    'spec.a',
    /refinement/,
  ],
  ['a refinement of a raw schema', rawSchema({ type: 'string' }).refine(() => true), 'spec', /refinement/],
  ['a transform', z.object({ a: z.string().transform(Number) }), 'spec.a', /converts none/],
  ['a pipe', z.string().pipe(z.email()), 'spec', /converts none/],
  ['a transform alone', z.transform(String), 'spec', /converts none/],
  ['a preprocessor', z.preprocess(String, z.string()), 'spec', /converts none/],
  ['a codec', z.stringbool(), 'spec', /converts none/],
  ['a coercion', z.coerce.number(), 'spec', /without z\.coerce/],
  ['an overwrite', z.string().trim(), 'spec', /stores values as they are sent/],
  ['a catch', z.string().catch('a'), 'spec', /\.default\(\)/],
  ['a date', z.array(z.date()), 'spec[]', /z\.iso\.datetime/],
  ['a bigint', z.bigint(), 'spec', /z\.int\(\)/],
  ['an int64 of zod', z.int64(), 'spec', /z\.int\(\)/],
  ['a tuple', z.tuple([z.string()]), 'spec', /z\.array/],
  ['a lazy schema', z.lazy(() => z.string()), 'spec', /no references/],
  ['a schema that contains itself', tree, 'spec.children[]', /contains itself/],
  ['a map', z.map(z.string(), z.string()), 'spec', /z\.record/],
  ['a set', z.set(z.string()), 'spec', /list-type': 'set'/],
  ['an intersection', z.intersection(z.object({}), z.object({})), 'spec', /a\.extend/],
  ['any', z.object({ a: z.any() }), 'spec.a', /preserve-unknown-fields/],
  ['unknown', z.record(z.string(), z.unknown()), 'spec.*', /preserve-unknown-fields/],
  ['a custom type', z.custom<string>(), 'spec', /predicate/],
  ['an instance', z.instanceof(URL), 'spec', /predicate/],
  ['null', z.null(), 'spec', /nullable/],
  ['undefined', z.undefined(), 'spec', /"undefined"/],
  ['void', z.void(), 'spec', /"void"/],
  ['never', z.never(), 'spec', /"never"/],
  ['a symbol', z.symbol(), 'spec', /"symbol"/],
  ['a promise', z.promise(z.string()), 'spec', /"promise"/],
  ['NaN', z.nan(), 'spec', /"nan"/],
  ['a file', z.file(), 'spec', /"file"/],
  ['a function', z.function() as unknown as z.core.$ZodType, 'spec', /"function"/],
  ['success', z.success(z.string()), 'spec', /"success"/],
  ['null in an enum', z.literal(['a', null]), 'spec', /all of one type/],
  ['an enum of two types', z.literal(['a', 1]), 'spec', /all of one type/],
  ['an enum of nothing', z.enum([]), 'spec', /all of one type/],
  ['null beside an enum', z.enum(['a']).nullable(), 'spec', /refuses null/],
  ['look-ahead', z.string().regex(/^(?!x)/), 'spec', /look-around/],
  ['a format whose pattern has look-ahead', z.stringFormat('f', /(?=a)/), 'spec', /look-around/],
  ['a duration of ISO 8601', z.iso.duration(), 'spec', /those of Go/],
  ['a URL with options', z.httpUrl(), 'spec', /options of a URL/],
  ['a format by a function', z.stringFormat('even', () => true), 'spec', /no format "even"/],
  ['a JWT', z.jwt(), 'spec', /no format "jwt"/],
  ['an IBAN', z.iban(), 'spec', /"iban"/],
  [
    'a format that the API server ignores',
    z.string().meta({ format: 'semver' }),
    'spec',
    /ignores the format "semver"/,
  ],
  [
    'an extension that does not exist',
    z.string().meta({ 'x-kubernetes-lst-type': 'set' }),
    'spec',
    /no extension x-kubernetes-lst-type/,
  ],
  ['a union of types', z.union([z.string(), z.boolean()]), 'spec', /one type for each field/],
  ['a union of objects', z.union([z.object({}), z.object({ a: z.string() })]), 'spec', /discriminatedUnion/],
  ['a union with null', z.union([z.string(), z.null()]), 'spec', /nullable/],
  ['exactly one of several', z.xor([z.ipv4(), z.ipv6()]), 'spec', /exactly one/],
  ['an enum beside int or string', z.union([z.int(), z.literal('auto')]), 'spec', /ranges and patterns/],
  [
    'a field with two meanings in a union',
    z.discriminatedUnion('t', [
      z.object({ t: z.literal('a'), v: z.string() }),
      z.object({ t: z.literal('b'), v: z.int() }),
    ]),
    'spec.v',
    /two meanings/,
  ],
  [
    'a default in one option',
    z.discriminatedUnion('t', [
      z.object({ t: z.literal('a'), v: z.string().default('x') }),
      z.object({ t: z.literal('b') }),
    ]),
    'spec.v',
    /other options/,
  ],
  [
    'a rule on one half of int or string',
    z.union([z.int(), z.string().meta({ 'x-kubernetes-validations': [rule('self.size() > 1')] })]),
    'spec',
    /x-kubernetes-validations would have to hold/,
  ],
  [
    'a discriminator that may be absent',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a').default('a') }), z.object({ t: z.literal('b') })]),
    'spec.t',
    /tells the options apart/,
  ],
  [
    'a loose option',
    z.discriminatedUnion('t', [z.looseObject({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
    'spec',
    /plain object/,
  ],
  ['named fields beside any fields', z.object({}).catchall(z.string()), 'spec', /not both/],
  ['restricted keys', z.record(z.string().regex(/^a/), z.string()), 'spec', /self\.all/],
  ['keys of an enum', z.record(z.enum(['a']), z.string()), 'spec', /named fields/],
  ['an absent item', z.array(z.string().optional()), 'spec[]', /only a field/],
  ['a defaulted value of a map', z.record(z.string(), z.string().default('a')), 'spec.*', /only a field/],
  ['multiples of nothing', z.number().multipleOf(0), 'spec', /above 0/],
  ['a default of null', z.string().nullable().default(null), 'spec', /default of null/],
  [
    'a default that does not fit',
    z.object({ size: z.int32().max(5).default(6) }),
    'spec.size',
    /default 6 does not fit: .*<=5/,
  ],
  ['a default that does not fit inside', z.object({ size: z.int32() }).prefault({ size: 1.5 }), 'spec', /\(size\)/],
  [
    'a default with an unknown field',
    z.array(z.object({ b: z.string().optional() })).default([{ a: 1 } as object]),
    'spec',
    /a field "a"/,
  ],
  ['an example that does not fit', z.string().max(2).meta({ example: 'long' }), 'spec', /example "long" does not fit/],
  ['a default that changes', z.int32().default(() => counter++), 'spec', /new value each time/],
];

for (const [what, schema, path, reason] of refused) {
  test(`a structural schema cannot express ${what}`, () => {
    const { problems } = converted(schema);
    assert.deepEqual(
      problems.map((problem) => problem.field),
      [path],
      JSON.stringify(problems),
    );
    assert.match(problems[0]?.message ?? '', reason);
  });
}
