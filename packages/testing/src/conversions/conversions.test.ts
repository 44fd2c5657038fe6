import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@keelson/core';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';
import { Cache } from '../../test/cache.ts';
import { conversions } from './conversions.ts';

test('random objects go through two versions, with edits in between: nothing is lost, nothing resurrected', async () => {
  const { objects, edits, unseen } = await conversions.of(Cache, { objects: 500 });
  assert.equal(objects, 500);
  assert.ok(edits > 300, `${edits} edits`);
  assert.deepEqual(unseen.v1alpha1, ['spec.legacy']);
  assert.ok(unseen.v1?.includes('spec.rollout'), `${unseen.v1}`);
});

/** The kind with a conversion that does something else to objects on their way. */
function spoilt(spoil: (object: JsonObject, apiVersion: string, given: JsonObject) => JsonObject): typeof Cache {
  const { conversion } = Cache;
  assert.ok(conversion);
  const convert: typeof conversion.convert = (object, apiVersion, warn) =>
    spoil(conversion.convert(object, apiVersion, warn), apiVersion, object);
  return { ...Cache, conversion: { ...conversion, convert } };
}

const withoutAnnotations = (object: JsonObject) => ({ ...object, metadata: { name: 'object', namespace: 'default' } });

test('what is lost is told by the smallest object that loses it', async () => {
  await assert.rejects(
    conversions.of(spoilt(withoutAnnotations)),
    /^Error: Cache in v1: back from v1alpha1, spec\.extra is gone, which was \{\}\.\nThe object \(seed 1\): \{"spec":\{"size":3,"workload":"Deployment","extra":\{\}\}\}$/,
  );
});

test('the same seed tries the same objects', async () => {
  const message = (seed: number) =>
    conversions.of(spoilt(withoutAnnotations), { seed }).then(
      () => '',
      (error) => String(error),
    );
  assert.equal(await message(2), await message(2));
});

test('an edit that a kept value overwrites is told', async () => {
  const stubborn = spoilt((object, apiVersion) => {
    if (apiVersion.endsWith('/v1')) return object;
    const { spec, ...rest } = object as { readonly spec: JsonObject };
    return { ...rest, spec: { ...spec, size: 1 } };
  });
  await assert.rejects(conversions.of(stubborn), /spec\.size/);
});

test('what comes back by metadata that was copied is told', async () => {
  const annotationsOf = ({ metadata }: JsonObject) => (metadata as { readonly annotations?: JsonObject }).annotations;
  const faithful = spoilt((object, apiVersion, given) => {
    const [annotations, before] = [annotationsOf(object), annotationsOf(given)];
    if (apiVersion.endsWith('/v1') || annotations !== undefined || before === undefined) return object;
    return { ...object, metadata: given.metadata };
  });
  await assert.rejects(
    conversions.of(faithful),
    /^Error: Cache in v1: with metadata copied from v1alpha1, spec\.extra has appeared, as \{\}\.\n/,
  );
});

const v1 = { storage: true, spec: z.object({ size: z.int32() }) };
const v0 = { spec: z.object({ count: z.int32().min(1).optional() }) };
const names = { group: 'a.example.com', kind: 'A', hub: 'v1', versions: { v0, v1 } } as const;

const mistakes: readonly (readonly [what: string, kind: Parameters<typeof conversions.of>[0], message: RegExp])[] = [
  [
    'that leaves a required field out',
    defineKind({ ...names, conversions: { v0: {} } }),
    /A in v0: in v1 it is wrong: spec\.size: Required value\.\nThe object \(seed 1\): \{"spec":\{\}\}$/,
  ],
  [
    'that throws',
    defineKind({
      ...names,
      conversions: {
        v0: {
          toHub: ({ spec: { count = 1 } }) => {
            if (count > 500) throw new RangeError('too many');
            return { spec: { size: count } };
          },
          fromHub: ({ spec }) => ({ spec: { count: Math.min(spec.size, 400) } }),
        },
      },
    }),
    /^Error: A in v0: toHub of v0: too many\.\nThe object \(seed 1\): \{"spec":\{"count":\d+\}\}$/,
  ],
  [
    'that changes what it is given',
    defineKind({
      ...names,
      conversions: {
        v0: {
          toHub: ({ spec }) => {
            (spec as { count?: number }).count = 1;
            return { spec: { size: 1 } };
          },
        },
      },
    }),
    /toHub of v0: Cannot assign to read only property 'count'/,
  ],
];

for (const [what, kind, message] of mistakes) {
  test(`a function ${what} is found`, async () => {
    await assert.rejects(conversions.of(kind, { objects: 100 }), message);
  });
}

test('a kind without conversions is refused', async () => {
  const kind = defineKind({ ...names, versions: { v1 } });
  await assert.rejects(conversions.of(kind), {
    name: 'TypeError',
    message: 'A has no versions that are converted: there is nothing to test',
  });
});
