/** JSON patch and merge patch: ours make of a document what the server makes of it, and fail where it refuses. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { applyJsonPatch, applyMergePatch, isTransportError, JsonPatchError } from '@keelson/core';
import fc from 'fast-check';
import { define } from './definitions.ts';
import { ask, type Given, must, unlessRefused } from './given.ts';

/**
 * No `<`, `>` or `&` in strings: a test compares JSON texts on the real server, and there these are escaped in its own
 * but not in what we send. Names of members are compared as they should be.
 */
const name = fc.constantFrom('a', 'b', 'c', '', 'a/b', '~', '~1', '0', '-', '__proto__', 'constructor', 'ü<🚢');
const scalar = fc.oneof(
  fc.constantFrom(null, true, false, '', 'a', '~1', 'ü🚢'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0), // JSON text has no -0
);
const plain = { noNullPrototype: true } as const;
const { value, document } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('document')),
  // No null in lists: where a test compares two, the real server crashes on it and hangs up.
  list: fc.array(
    tie('value').filter((item) => item !== null),
    { maxLength: 4 },
  ),
  document: fc.dictionary(name, tie('value'), { ...plain, maxKeys: 5 }),
}));

const documents = fc.sample(document, { seed: 6, numRuns: 25 });

/** All places of a document, as steps. */
function placesIn(at: unknown, steps: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof at !== 'object' || at === null) return [steps];
  return [steps, ...Object.entries(at).flatMap(([step, below]) => placesIn(below, [...steps, step]))];
}

const pointer = (steps: readonly string[]) =>
  ['', 'doc', ...steps].map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');

/** Mostly places that are there, or could be. */
function paths(of: unknown): fc.Arbitrary<string> {
  const place = fc.constantFrom(...placesIn(of));
  const step = fc.oneof(name, fc.constantFrom('-1', '1', '2', '01', '+1', '-9', '1x'));
  return fc.oneof(
    { weight: 3, arbitrary: place.map(pointer) },
    { weight: 2, arbitrary: fc.tuple(place, step).map(([steps, last]) => pointer([...steps, last])) },
    { weight: 1, arbitrary: fc.tuple(place, step).map(([steps, last]) => pointer([...steps.slice(0, -1), last])) },
    { weight: 1, arbitrary: fc.constantFrom('/doc/~', '/doc/~2', 'doc/a', '/doc/a/', '/doc//', 'x/doc/a') },
  );
}

function operations(of: unknown): fc.Arbitrary<{ readonly op: string }> {
  const path = paths(of);
  const known = fc
    .constantFrom(...placesIn(of))
    .map((steps) => ({ op: 'test', path: pointer(steps), value: valueAt(of, steps) }));
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ op: fc.constantFrom('add', 'replace'), path, value }, plain) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('remove'), path }, plain) },
    { weight: 4, arbitrary: fc.record({ op: fc.constantFrom('move', 'copy'), from: path, path }, plain) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('test'), path, value }, plain) },
    { weight: 3, arbitrary: known },
  );
}

const valueAt = (of: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], of);

export function patchProperties(given: () => Given): void {
  const path = () => `/apis/properties.example.com/v1/namespaces/${given().namespace}/documents`;
  const live: object[] = [];

  before(async () => {
    const { transport } = given();
    await define(transport, 'Document', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
    for (const [index, doc] of documents.entries()) {
      const body = { apiVersion: 'properties.example.com/v1', kind: 'Document', metadata: { name: `d${index}` }, doc };
      live.push(await must(ask(transport, 'POST', path(), { body })));
    }
  });

  const index = fc.nat(documents.length - 1);
  const content = ({ metadata: _, ...rest }: Record<string, unknown>) => rest;

  test('a JSON patch does to a document what it does on the server, or fails as it does there', async () => {
    const cases = index.chain((at) =>
      fc.tuple(fc.constant(at), fc.array(operations(documents[at]), { minLength: 1, maxLength: 4 })),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([at, patch]) => {
        const question = { query: { dryRun: 'All' }, type: 'patch', body: patch } as const;
        const answer = await ask(given().transport, 'PATCH', `${path()}/d${at}`, question).catch((error: unknown) => {
          // A copy of what is missing puts null into a list, on which a test crashes the real server.
          if (isTransportError(error) && patch.some(({ op }) => op === 'test')) return undefined;
          throw error;
        });
        if (answer === undefined) return;
        const { code, body } = answer;
        const ours = unlessRefused(
          () => applyJsonPatch(live[at], patch) as Record<string, unknown>,
          (error) => error instanceof JsonPatchError,
        );
        assert.equal(ours === undefined ? 422 : 200, code, JSON.stringify(body));
        if (ours !== undefined) assert.deepEqual(content(ours), content(body));
      }),
      { numRuns: 700 },
    );
  });

  test('a merge patch does to a document what it does on the server', async () => {
    await fc.assert(
      fc.asyncProperty(index, document, async (at, doc) => {
        const patch = { doc };
        const question = { query: { dryRun: 'All' }, type: 'merge', body: patch } as const;
        const theirs = await must(ask(given().transport, 'PATCH', `${path()}/d${at}`, question));
        const ours = applyMergePatch(live[at], patch) as Record<string, unknown>;
        assert.deepEqual(content(ours), content(theirs));
      }),
      { numRuns: 500 },
    );
  });
}
