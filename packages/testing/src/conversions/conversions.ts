/**
 * `conversions.of`: whether the versions of a kind convert to each other without loss, tried on random objects.
 *
 * The same seed tries the same objects. What fails is made as small as it can be, and told in words.
 */
import { apiVersionOf, isObject, type JsonObject } from '@keelson/core';
import type { DefinedKind } from '@keelson/schema';
import { seededRandom } from '../seeded-random.ts';
import { edited, randomEdit } from './edit.ts';
import { type Case, findingOf, isSeen, type Versions } from './laws.ts';
import { type Fields, pick, type RandomVersion, randomFields } from './random-object.ts';

/** How much is tried. */
export interface ConversionOptions {
  /** Random objects, each of which goes through another version and is edited there. @default 1000 */
  readonly objects?: number;
  /** The same seed tries the same objects. @default 1 */
  readonly seed?: number;
}

/** What was tried, and what it showed. */
export interface ConversionReport {
  /** How many objects went there and back. */
  readonly objects: number;
  /** How many of them were edited in between. */
  readonly edits: number;
  /**
   * For each version, the fields of spec and status that were edited and of which no other version shows anything: they go
   * along in an annotation. A field that ought to be converted and stands here is one that was forgotten.
   */
  readonly unseen: Readonly<Record<string, readonly string[]>>;
}

/** Tests of the conversions between the versions of a kind. */
export const conversions = {
  /**
   * Takes random objects of every version, with defaults, through every other version and back, with edits in between:
   * nothing may be lost, nothing may come back that was taken away, and what a version shows must be of its form. Throws
   * an error with the smallest object that it found to fail.
   *
   * @example
   * test('no version of Memcached loses anything', async () => {
   *   const { unseen } = await conversions.of(Memcached);
   *   assert.deepEqual(unseen.v1alpha1, []); // v1 has a place for all of it
   * });
   */
  async of(kind: DefinedKind, { objects = 1000, seed = 1 }: ConversionOptions = {}): Promise<ConversionReport> {
    const { conversion, group, kind: name } = kind;
    if (conversion === undefined || conversion.versions.length < 2) {
      throw new TypeError(`${name} has no versions that are converted: there is nothing to test`);
    }
    const schemas = await versionsOf(kind);
    const names = [...schemas.keys()];
    const of = (version: string) => schemas.get(version) as RandomVersion;
    const versions: Versions = {
      conversion,
      kind: name,
      apiVersionOf: (version) => apiVersionOf({ group, version }),
      structural: (version) => of(version).structural,
    };
    const fieldsOf = (version: string, at: number): Fields => {
      const fields = randomFields(of(version), seededRandom(seed * 1_000_003 + at));
      if (fields !== undefined) return fields;
      throw new TypeError(
        `${name}: no valid object of ${version} was found at random; a required field may be too rare`,
      );
    };
    const edits = new Map<string, boolean>();
    let editCount = 0;
    for (let i = 0; i < objects; i++) {
      const random = seededRandom(seed * 7919 + i);
      const from = pick(names, random);
      const to = pick(
        names.filter((each) => each !== from),
        random,
      );
      const fields = fieldsOf(from, i);
      const start: Case = { from, to, fields };
      holds(versions, start, seed);
      const there = versions.conversion.convert(
        { apiVersion: versions.apiVersionOf(from), kind: name, metadata: { name: 'object' }, ...fields },
        versions.apiVersionOf(to),
      );
      const edit = randomEdit(withoutEnvelope(there), fieldsOf(to, objects + i), random);
      const tried = { ...start, edit };
      if (edit === undefined || !holds(versions, tried, seed)) continue;
      editCount += 1;
      const field = `${to} ${edit.path.slice(0, 2).join('.')}`;
      if (edit.path.length > 1) edits.set(field, edits.get(field) || isSeen(versions, { ...tried, edit }));
    }
    const unseen = (version: string) =>
      [...edits]
        .filter(([field, seen]) => !seen && field.startsWith(`${version} `))
        .map(([field]) => field.slice(version.length + 1));
    return {
      objects,
      edits: editCount,
      unseen: Object.fromEntries(names.map((each) => [each, unseen(each).sort()])),
    };
  },
};

function withoutEnvelope({ apiVersion: _, kind: __, metadata: ___, ...fields }: JsonObject): Fields {
  return fields;
}

async function versionsOf(kind: DefinedKind): Promise<ReadonlyMap<string, RandomVersion>> {
  const [{ crdOf }, { compileStructural }] = await Promise.all([
    import('@keelson/schema'),
    import('@keelson/schema/validation'),
  ]);
  const { versions } = crdOf(kind, { conversion: { url: 'https://localhost/convert' } }).spec;
  return new Map(
    versions.map((version) => {
      const schema = version.schema?.openAPIV3Schema ?? {};
      return [version.name, { schema, structural: compileStructural(schema) }];
    }),
  );
}

/** Whether it is a case in which all laws hold; throws for one in which they do not, after it was made small. */
function holds(versions: Versions, given: Case, seed: number): boolean {
  const first = findingOf(versions, given);
  if (typeof first === 'string') return first === 'fine';
  let [smallest, { problem }] = [given, first];
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const path of pathsIn(smallest.fields)) {
      const structural = versions.structural(smallest.from);
      const fields = edited(smallest.fields, { path, value: undefined });
      if (!isObject(fields) || structural.default(fields) !== fields) continue;
      if (structural.validate({ metadata: { name: 'object' }, ...fields }).length > 0) continue;
      const finding = findingOf(versions, { ...smallest, fields });
      if (typeof finding === 'string') continue;
      [smallest, { problem }, isSmaller] = [{ ...smallest, fields }, finding, true];
      break;
    }
  }
  const { from, fields } = smallest;
  throw new Error(`${versions.kind} in ${from}: ${problem}.\nThe object (seed ${seed}): ${JSON.stringify(fields)}`);
}

/** All fields of objects, those of items too, the outer ones first. */
function* pathsIn(value: unknown, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  const entries = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  const all = [...entries] as readonly (readonly [string | number, unknown])[];
  for (const [step] of all) if (typeof step === 'string') yield [...path, step];
  for (const [step, each] of all) yield* pathsIn(each, [...path, step]);
}
