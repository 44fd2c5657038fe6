/** Random writes to gadgets, from few names and values, so that managers meet in the same fields. */
import * as fc from 'fast-check';
import type { Case, Step } from './recording.ts';

const text = fc.constantFrom('1', '2', '3');
const name = fc.constantFrom('a', 'b', 'c');
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

function struct<T extends object>(fields: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  const optional = Object.fromEntries(
    Object.entries<fc.Arbitrary<unknown>>(fields).map(([key, value]) => [key, some(value)]),
  );
  return fc.record(optional).map(withoutUndefined) as fc.Arbitrary<Partial<T>>;
}

function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

const unique = (items: fc.Arbitrary<string>) => fc.uniqueArray(items, { maxLength: 3 });
const textMap = fc.dictionary(name, text, { maxKeys: 3, noNullPrototype: true });
const free = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, text, fc.boolean(), fc.array(text, { maxLength: 2 }), tie('map')),
  map: fc.dictionary(name, tie('value'), { maxKeys: 2, noNullPrototype: true }),
})).map;

const gadgetSpec: fc.Arbitrary<object> = struct({
  replicas: fc.integer({ min: 0, max: 2 }),
  text,
  flag: fc.boolean(),
  port: fc.oneof(fc.constantFrom(80, 81), fc.constantFrom('80', 'http')),
  struct: struct({ a: text, b: text, deep: struct({ x: fc.integer({ min: 0, max: 1 }) }) }),
  atomicStruct: struct({ a: text, b: text }),
  map: textMap,
  structMap: fc.dictionary(name, struct({ a: text, b: text }), { maxKeys: 2, noNullPrototype: true }),
  atomicMap: textMap,
  list: fc.array(text, { maxLength: 3 }),
  set: unique(fc.constantFrom('u', 'v', 'w', 'x', 'y')),
  numberSet: fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }),
  mapList: fc
    .uniqueArray(fc.tuple(name, struct({ a: text, b: text, sub: unique(text) })), {
      selector: ([key]) => key,
      maxLength: 3,
    })
    .map((items) => items.map(([key, fields]) => ({ name: key, ...fields }))),
  ports: fc
    .uniqueArray(
      fc.record({ port: fc.constantFrom(1, 2), protocol: some(fc.constantFrom('TCP', 'UDP')), name: some(text) }),
      {
        selector: ({ port, protocol = 'TCP' }) => `${port}/${protocol}`,
        maxLength: 3,
      },
    )
    .map((items) => items.map(withoutUndefined)),
  free,
  half: struct({ known: text, items: unique(text), other: free }),
});

const manager = fc.constantFrom('one', 'two', 'three');

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant('apply' as const),
      manager,
      force: fc.boolean(),
      body: bodyOf(gadgetSpec),
    }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('put' as const), manager, body: bodyOf(gadgetSpec) }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('patch' as const), manager, body: bodyOf(gadgetSpec) }) },
);

function bodyOf(spec: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return spec.map((value) => ({ spec: value }));
}

/** Begins with an apply or a create, so that there is something to write to. */
export const gadgetSteps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.record({ verb: fc.constantFrom('apply' as const, 'create' as const), manager, body: bodyOf(gadgetSpec) }),
    fc.array(step, { minLength: 2, maxLength: 7 }),
  )
  .map(([first, rest]) => [first, ...rest]);

export function randomCase(name: string, steps: readonly Step[]): Case {
  return { name, resource: 'gadgets', steps };
}
