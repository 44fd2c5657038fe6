/** Random specs of what a CRD can express, each with an input that fits: for properties here and on a real API server. */
import * as fc from 'fast-check';
import { z } from 'zod';

interface Sample {
  readonly schema: z.ZodType;
  /** An input that the schema accepts; undefined where it may be absent, and is. */
  readonly values: fc.Arbitrary<unknown>;
  /** Null cannot be allowed beside an enum. */
  readonly isEnum?: boolean;
}

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const range = fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat({ max: 1000 }));

const scalars: fc.Arbitrary<Sample> = fc.oneof(
  fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 3, max: 9 })).map(([min, max]) => ({
    schema: z.string().min(min).max(max),
    values: fc.string({ unit: 'grapheme-ascii', minLength: min, maxLength: max }),
  })),
  fc.constant({ schema: z.string().regex(/^[a-z]+$/), values: word }),
  range.map(([min, size]) => ({
    schema: z
      .int32()
      .min(min)
      .max(min + size),
    values: fc.integer({ min, max: min + size }),
  })),
  fc.constant({ schema: z.int(), values: fc.maxSafeInteger() }),
  fc.constant({
    schema: z.number(),
    // Through JSON, which has no negative zero.
    values: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.parse(JSON.stringify(value))),
  }),
  fc.constant({ schema: z.boolean(), values: fc.boolean() }),
  fc.constant({ schema: z.union([z.int32(), z.string()]), values: fc.oneof(fc.integer(), word) }),
  fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((words) => ({
    schema: z.enum(words as [string, ...string[]]),
    values: fc.constantFrom(...words),
    isEnum: true,
  })),
);

const { sample } = fc.letrec<{ sample: Sample; field: Sample; object: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    lists(tie('sample')),
    maps(tie('sample')),
    tie('object'),
  ),
  field: fc.oneof(tie('sample'), optional(tie('sample')), nullable(tie('sample')), defaulted(tie('sample'))),
  object: fc.dictionary(word, tie('field'), { maxKeys: 4, noNullPrototype: true }).map(objectOf),
}));

function lists(items: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return items.map(({ schema, values }) => ({
    schema: z.array(schema).max(3),
    values: fc.array(values, { maxLength: 3 }),
  }));
}

function maps(items: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return items.map(({ schema, values }) => ({
    schema: z.record(z.string(), schema),
    values: fc.dictionary(word, values, { maxKeys: 3, noNullPrototype: true }),
  }));
}

function optional(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return samples.map(({ schema, values }) => ({
    schema: schema.optional(),
    values: fc.option(values, { nil: undefined }),
  }));
}

function nullable(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return samples.map((each) =>
    each.isEnum ? each : { schema: each.schema.nullable(), values: fc.option(each.values, { nil: null }) },
  );
}

function defaulted(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return samples.chain(({ schema, values }) =>
    fc.tuple(values, fc.boolean()).map(([value, isWhole]) => ({
      schema: isWhole ? schema.default(schema.parse(value)) : schema.prefault(value),
      values: fc.option(values, { nil: undefined }),
    })),
  );
}

function objectOf(fields: Readonly<Record<string, Sample>>): Sample {
  const entries = Object.entries(fields);
  return {
    schema: z.object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))),
    values: fc.record(Object.fromEntries(entries.map(([name, { values }]) => [name, values]))).map(withoutAbsent),
  };
}

function withoutAbsent(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}

/** A schema, and an input that it accepts. */
export const randomField: fc.Arbitrary<{ readonly schema: z.ZodType; readonly value: unknown }> = sample.chain(
  ({ schema, values }) => values.map((value) => ({ schema, value })),
);
