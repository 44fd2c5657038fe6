import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeFields,
  difference,
  emptySet,
  intersection,
  leavesOf,
  type PathSet,
  printPaths,
  union,
} from '@keelson/core/fields';
import * as fc from 'fast-check';
import type { JsonObject } from '../object.ts';
import { applyObject } from './apply-object.ts';
import { updateManagedFields } from './ownership/update-managed-fields.ts';
import type { ObjectType } from './schemas/object-type.ts';
import { typeSchemaFromStructural } from './schemas/structural-schema.ts';
import { compare } from './typed/compare.ts';
import { fieldsOf } from './typed/fields-of.ts';
import { withNamedFields } from './typed/named-fields.ts';

const apiVersion = 'example.com/v1';
const kind = 'Widget';
const items = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } as const;
const type: ObjectType = {
  apiVersion,
  kind,
  empty: { apiVersion, kind },
  schema: typeSchemaFromStructural({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          map: { type: 'object', additionalProperties: { type: 'string' } },
          list: { type: 'array', items: { type: 'string' } },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          items: {
            ...items,
            items: { type: 'object', properties: { name: { type: 'string' }, a: { type: 'string' } } },
          },
        },
      },
    },
  }),
};

const text = fc.constantFrom('1', '2');
const name = fc.constantFrom('x', 'y', 'z');
const spec = fc.record(
  {
    text,
    map: fc.dictionary(name, text, { minKeys: 1, noNullPrototype: true }),
    list: fc.array(text, { maxLength: 2 }),
    set: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    items: fc.uniqueArray(fc.record({ name, a: text }, { requiredKeys: ['name'], noNullPrototype: true }), {
      selector: (item) => item.name,
      minLength: 1,
    }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const manager = fc.constantFrom('one', 'two', 'three');
const applies = fc.array(fc.record({ manager, spec }), { minLength: 1, maxLength: 5 });

function widget(wanted: object): JsonObject {
  return { apiVersion, kind, metadata: { name: 'w', uid: 'u' }, spec: wanted };
}

function apply(
  live: JsonObject | undefined,
  manager: string,
  wanted: object,
  force = false,
  now = '2026-01-02T03:04:05Z',
) {
  return applyObject({ type, live, applied: widget(wanted), manager, force, now });
}

function applied(live: JsonObject | undefined, manager: string, wanted: object, now?: string): JsonObject {
  const result = apply(live, manager, wanted, true, now);
  assert.equal(result.type, 'applied');
  return result.object;
}

function entriesOf(object: JsonObject): readonly { manager: string; time?: string; fieldsV1: object }[] {
  return ((object.metadata as JsonObject).managedFields ?? []) as never;
}

function fieldsOfManager(object: JsonObject, manager: string): PathSet {
  const entry = entriesOf(object).find((one) => one.manager === manager);
  return entry === undefined ? emptySet : decodeFields(entry.fieldsV1);
}

test('applying again changes nothing, not even the time', () => {
  fc.assert(
    fc.property(applies, (list) => {
      let live: JsonObject | undefined;
      for (const { manager, spec } of list) {
        live = applied(live, manager, spec);
        assert.deepEqual(apply(live, manager, spec, false, '2030-01-01T00:00:00Z'), {
          type: 'applied',
          object: live,
          changed: false,
        });
      }
    }),
  );
});

test('every leaf that was applied has an owner, and nobody owns what is not there', () => {
  fc.assert(
    fc.property(applies, (list) => {
      let live: JsonObject | undefined;
      for (const { manager, spec } of list) live = applied(live, manager, spec);
      if (live === undefined) return;
      const present = difference(fieldsOf(live, type.schema), systemFields);
      const owned = entriesOf(live).reduce((all, { fieldsV1 }) => union(all, decodeFields(fieldsV1)), emptySet);
      assert.deepEqual(printPaths(difference(leavesOf(present), owned)), []);
      assert.deepEqual(printPaths(difference(owned, presentIn(live))), []);
    }),
  );
});

const systemFields = fieldsOf({ apiVersion, kind, metadata: { name: 'w', uid: 'u', managedFields: [] } }, type.schema);

/** All fields that the object has: also structs as such, which whoever applies them empty owns. */
function presentIn(object: JsonObject): PathSet {
  return withNamedFields(fieldsOf(object, type.schema), type.schema);
}

test('a manager that applies nothing any more leaves the fields of the others', () => {
  fc.assert(
    fc.property(applies, manager, (list, leaver) => {
      let live: JsonObject | undefined;
      for (const { manager, spec } of list) live = applied(live, manager, spec);
      if (live === undefined) return;
      const after = applied(live, leaver, {});
      for (const other of ['one', 'two', 'three'].filter((one) => one !== leaver)) {
        const owned = fieldsOfManager(live, other);
        assert.deepEqual(printPaths(difference(owned, fieldsOfManager(after, other))), []);
        assert.deepEqual(printPaths(difference(owned, presentIn(after))), []);
      }
    }),
  );
});

test('there is a conflict exactly where force would take something from others', () => {
  fc.assert(
    fc.property(applies, manager, spec, (list, last, wanted) => {
      let live: JsonObject | undefined;
      for (const { manager, spec } of list) live = applied(live, manager, spec);
      if (live === undefined) return;
      const forced = applied(live, last, wanted);
      const others = ['one', 'two', 'three'].filter((one) => one !== last);
      const present = presentIn(forced);
      const taken = others.flatMap((other) => {
        const lost = difference(fieldsOfManager(live, other), fieldsOfManager(forced, other));
        return printPaths(intersection(lost, present)).map((field) => `${other} ${field}`);
      });
      const result = apply(live, last, wanted);
      const conflicts = result.type === 'conflict' ? result.conflicts : [];
      assert.deepEqual(
        conflicts.map(({ manager, field }) => `${JSON.parse(manager)} ${field}`).toSorted(),
        taken.toSorted(),
      );
    }),
  );
});

test('an update takes the fields that it changed, from whoever had them', () => {
  fc.assert(
    fc.property(applies, spec, (list, wanted) => {
      let live: JsonObject | undefined;
      for (const { manager, spec } of list) live = applied(live, manager, spec);
      if (live === undefined) return;
      const now = '2026-05-05T05:05:05Z';
      const after = updateManagedFields({ type, before: live, after: widget(wanted), manager: 'up', now });
      for (const { fieldsV1 } of entriesOf(after)) {
        assert.deepEqual(printPaths(difference(decodeFields(fieldsV1), presentIn(after))), []);
      }
      const { added, modified } = compare(live, after, type.schema);
      const changed = difference(union(added, modified), systemFields);
      assert.deepEqual(printPaths(difference(changed, fieldsOfManager(after, 'up'))), []);
      const again = updateManagedFields({
        type,
        before: after,
        after: widget(wanted),
        manager: 'up',
        now: '2030-01-01T00:00:00Z',
      });
      assert.deepEqual(entriesOf(again), entriesOf(after));
    }),
  );
});

test('nothing that was passed in is changed', () => {
  fc.assert(
    fc.property(applies, spec, (list, wanted) => {
      let live: JsonObject | undefined;
      for (const { manager, spec } of list) live = deepFreeze(applied(live, manager, spec));
      applyObject({ type, live, applied: deepFreeze(widget(wanted)), manager: 'one', force: true, now: '' });
    }),
  );
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
