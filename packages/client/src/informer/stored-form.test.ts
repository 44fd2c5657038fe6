import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject, ObjectMeta } from '@keelson/core';
import { storedForm } from './stored-form.ts';

const entry = (manager: string, operation: string, subresource?: string) => ({
  manager,
  operation,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  ...(subresource === undefined ? {} : { subresource }),
});

const object = (): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'x',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [
      entry('us', 'Apply'),
      entry('us', 'Apply', 'status'),
      entry('us', 'Update'),
      entry('them', 'Apply'),
    ],
  },
});

const plain = { transform: undefined, freeze: false };

test('managedFields are dropped without a trace', () => {
  const stored = storedForm({ ...plain, managedFields: 'drop' })(object());
  assert.deepEqual(Object.keys(stored.metadata), ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp']);
});

test('managedFields are kept when asked for', () => {
  assert.deepEqual(storedForm({ ...plain, managedFields: 'keep' })(object()), object());
});

test("only one manager's applied entries are kept, of the object and its subresources, and equal sets once", () => {
  const form = storedForm({ ...plain, managedFields: { manager: 'us' } });
  const [first, second] = [form(object()), form(object())];
  assert.deepEqual(first.metadata.managedFields, [entry('us', 'Apply'), entry('us', 'Apply', 'status')]);
  assert.equal(first.metadata.managedFields?.[0]?.fieldsV1, second.metadata.managedFields?.[1]?.fieldsV1);
  const others = storedForm({ ...plain, managedFields: { manager: 'nobody' } })(object());
  assert.equal('managedFields' in others.metadata, false);
});

test('an entry whose set is null is kept as it is', () => {
  const came = object();
  const managedFields = [{ ...entry('us', 'Apply'), fieldsV1: null }] as never;
  const form = storedForm({ ...plain, managedFields: { manager: 'us' } });
  assert.deepEqual(
    form({ ...came, metadata: { ...came.metadata, managedFields } }).metadata.managedFields,
    managedFields,
  );
});

test('the transform sees the object without managedFields, and its result is stored', () => {
  const transform = (given: KubernetesObject) => {
    assert.equal(given.metadata.managedFields, undefined);
    return { ...given, kind: 'Changed' };
  };
  assert.equal(storedForm({ managedFields: 'drop', transform, freeze: false })(object()).kind, 'Changed');
});

test('an object that cannot be told from others has no stored form, before and after its transform', () => {
  const form = storedForm({ ...plain, managedFields: 'drop' });
  for (const metadata of [
    undefined,
    {},
    { name: 'a' },
    { name: '', resourceVersion: '1' },
    { name: 'a', resourceVersion: 1 },
  ]) {
    assert.throws(
      () => form({ ...object(), metadata } as unknown as KubernetesObject),
      /it has no name or resourceVersion/,
    );
  }
  const changes: ((given: KubernetesObject) => unknown)[] = [
    () => undefined,
    (given) => ({ ...given, metadata: undefined }),
    (given) => Object.assign(given.metadata, { resourceVersion: '2' }) && given,
    (given) => ({ ...given, metadata: { ...given.metadata, namespace: 'y' } }),
  ];
  for (const transform of changes) {
    const disfigure = storedForm({
      ...plain,
      managedFields: 'drop',
      transform: transform as (given: KubernetesObject) => KubernetesObject,
    });
    assert.throws(() => disfigure(object()), /its transform changed its name, namespace, uid or resourceVersion/);
  }
});

test('a frozen object refuses changes at every depth', () => {
  const stored = storedForm({ managedFields: 'keep', transform: undefined, freeze: true })(object());
  assert.throws(() => {
    (stored.metadata as { name: string }).name = 'b';
  }, TypeError);
  assert.throws(() => {
    (stored.metadata.managedFields as unknown[]).push(1);
  }, TypeError);
});

describe('of an object that changed', () => {
  const before = () => ({
    ...object(),
    spec: { replicas: 1, template: { labels: { a: 'b' } } },
    status: { phase: 'Pending' },
    metadata: { ...object().metadata, labels: { a: 'b' } },
  });
  const form = storedForm<ReturnType<typeof before>>({ ...plain, managedFields: 'drop' });

  test('the parts that are as they were are those that were stored before', () => {
    const previous = form(before());
    const now = form({ ...before(), status: { phase: 'Running' } }, { previous });
    assert.equal(now.spec, previous.spec);
    assert.equal(now.metadata.labels, previous.metadata.labels);
    assert.deepEqual(now.status, { phase: 'Running' });
    assert.notEqual(now.metadata, previous.metadata);
  });

  test('the state before counts only with the same uid', () => {
    const fresh = () => storedForm<ReturnType<typeof before>>({ ...plain, managedFields: 'drop' });
    const previous = fresh()(before());
    const successor = { ...before(), metadata: { ...before().metadata, uid: 'v' } };
    assert.notEqual(fresh()(successor, { previous }).spec, previous.spec);
  });

  test('a transform may change all that it gets, and the state before stays as it was', () => {
    const transform = (each: ReturnType<typeof before>) => {
      each.spec.replicas = each.status.phase === 'Running' ? 2 : 1;
      return each;
    };
    const changing = storedForm<ReturnType<typeof before>>({ ...plain, managedFields: 'drop', transform });
    const previous = changing(before());
    const now = changing({ ...before(), status: { phase: 'Running' } }, { previous });
    assert.deepEqual([previous.spec.replicas, now.spec.replicas], [1, 2]);
  });

  test('a set of fields is the one before if it is equal, though another entry changed', () => {
    const applied = (time: string) => ({
      ...before(),
      metadata: {
        ...before().metadata,
        managedFields: [
          {
            ...entry('us', 'Apply'),
            fieldsV1: { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"v"}': {} } }, 'f:spec': {} },
          },
          { ...entry('us', 'Apply', 'status'), time },
        ] as never,
      },
    });
    const own = storedForm<ReturnType<typeof before>>({ ...plain, managedFields: { manager: 'us' } });
    const previous = own(applied('2026-01-01T00:00:00Z'));
    const now = own(applied('2026-01-01T00:00:01Z'), { previous });
    const [first, status] = now.metadata.managedFields ?? [];
    assert.equal(first?.fieldsV1, previous.metadata.managedFields?.[0]?.fieldsV1);
    assert.equal(status?.fieldsV1, previous.metadata.managedFields?.[1]?.fieldsV1);
    assert.deepEqual(now.metadata.managedFields, applied('2026-01-01T00:00:01Z').metadata.managedFields);
  });

  test('a part that is gone stays away', () => {
    const { status: _, ...rest } = before();
    assert.ok(!('status' in form(rest as never, { previous: form(before()) })));
  });

  test('a part with an inherited name is taken for none', () => {
    const named = JSON.parse(JSON.stringify(before()).replace('{', '{"__proto__":{},'));
    const now = form(named, { previous: form(before()) });
    const { value } = Object.getOwnPropertyDescriptor(now, '__proto__') ?? {};
    assert.ok(value !== undefined && value !== Object.prototype);
  });
});

describe('of a new object', () => {
  const named = (name: string) => ({
    ...object(),
    spec: { replicas: 1, template: { labels: { name }, containers: [{ image: 'x:1' }] } },
    metadata: { ...object().metadata, name, uid: name },
  });
  type Named = ReturnType<typeof named>;

  test('what it has in common with the one before is held once, and the rest is its own', () => {
    const form = storedForm<Named>({ ...plain, managedFields: { manager: 'us' } });
    const [first, second] = [form(named('a')), form(named('b'))];
    assert.equal(second.spec.template.containers, first.spec.template.containers);
    assert.deepEqual([first.spec, second.spec], [named('a').spec, named('b').spec]);
    assert.deepEqual([first.metadata.name, second.metadata.name], ['a', 'b']);
  });

  test('it is compared with the newest: those that are alike come one after the other', () => {
    const form = storedForm<Named>({ ...plain, managedFields: 'drop' });
    const alike = (name: string) => {
      const { spec } = named(name);
      return { ...named(name), spec: { ...spec, template: { ...spec.template, containers: [{ image: 'y:1' }] } } };
    };
    const [, second, third] = [form(named('a')), form(alike('b')), form(alike('c'))];
    assert.equal(third.spec.template.containers, second.spec.template.containers);
  });

  test('that holds for the answer to a write, too, which is left as it was', () => {
    const form = storedForm<Named>({ ...plain, managedFields: 'drop' });
    const first = form(named('a'));
    const answer = named('b');
    const { containers } = answer.spec.template;
    const stored = form(answer, { isShared: true });
    assert.equal(stored.spec.template.containers, first.spec.template.containers);
    assert.equal(answer.spec.template.containers, containers);
    assert.deepEqual(answer, named('b'));
    assert.notEqual(stored.spec.template.labels, answer.spec.template.labels);
  });

  test('a change is compared with the state before alone', () => {
    const form = storedForm<Named>({ ...plain, managedFields: 'drop' });
    const previous = form(named('a'));
    const other = form({ ...named('b'), spec: { ...named('b').spec, replicas: 2 } });
    const spec = { replicas: 3, template: { labels: { name: 'b' }, containers: [{ image: 'x:1' }] } };
    const changed = form({ ...named('a'), spec }, { previous });
    assert.deepEqual(changed.spec, spec);
    assert.notEqual(changed.spec.template, other.spec.template);
  });

  test('a transform gets parts that no other object has', () => {
    const transform = (each: Named) => {
      if (each.metadata.name === 'b') each.spec.template.containers.pop();
      return each;
    };
    const form = storedForm<Named>({ ...plain, managedFields: 'drop', transform });
    const [first, second] = [form(named('a')), form(named('b'))];
    const counts = [first, second].map(({ spec }) => spec.template.containers.length);
    assert.deepEqual(counts, [1, 0]);
  });

  test('a transform gets sets of fields that no other object has', () => {
    const transform = (each: Named) => {
      const [applied] = (each.metadata as ObjectMeta).managedFields ?? [];
      if (each.metadata.name === 'b') Object.assign(applied?.fieldsV1 ?? {}, { 'f:data': {} });
      return each;
    };
    const form = storedForm<Named>({ ...plain, managedFields: { manager: 'us' }, transform });
    const stored = [form(named('a')), form(named('b')), form(named('c'))];
    const isChanged = stored.map(
      ({ metadata }) => 'f:data' in ((metadata as ObjectMeta).managedFields?.[0]?.fieldsV1 ?? {}),
    );
    assert.deepEqual(isChanged, [false, true, false]);
  });

  test('sets of fields, which many objects have, are left as they are', () => {
    const form = storedForm<Named>({ transform: undefined, freeze: true, managedFields: { manager: 'us' } });
    const fields = (name: string) => ({ 'f:metadata': { 'f:labels': {} }, 'f:spec': { [name]: {} } });
    const applied = (name: string, field: string) => {
      const managedFields = [{ ...entry('us', 'Apply'), fieldsV1: fields(field) }] as never;
      return { ...named(name), metadata: { ...named(name).metadata, managedFields } };
    };
    const stored = [applied('a', 'f:x'), applied('b', 'f:y'), applied('c', 'f:x')].map((each) => form(each));
    const kept = stored.map(({ metadata }) => (metadata as ObjectMeta).managedFields?.[0]?.fieldsV1);
    assert.deepEqual(kept, [fields('f:x'), fields('f:y'), fields('f:x')]);
  });
});

describe('of an object that others have, too', () => {
  const answer = () => ({
    ...object(),
    spec: { replicas: 1, template: { labels: { a: 'b' } } },
    status: { phase: 'Pending' },
    metadata: {
      ...object().metadata,
      labels: { a: 'b' },
      managedFields: [...(object().metadata.managedFields ?? []), { manager: 'us', operation: 'Apply' }],
    },
  });
  type Answer = ReturnType<typeof answer>;

  test('nothing is shared with it, nothing is frozen in it, and it is left as it was', () => {
    for (const managedFields of ['drop', 'keep', { manager: 'us' }] as const) {
      const options = { transform: undefined, freeze: true, managedFields };
      const before = storedForm<Answer>(options)({ ...answer(), status: { phase: 'Unknown' } });
      for (const previous of [undefined, before]) {
        const came = answer();
        const parts = partsOf(came);
        assert.ok(parts.size > 10);
        const stored = storedForm<Answer>(options)(came, { previous, isShared: true });
        assert.deepEqual(came, answer());
        for (const part of partsOf(came)) assert.ok(parts.has(part) && !Object.isFrozen(part), JSON.stringify(part));
        for (const part of partsOf(stored)) assert.ok(!parts.has(part), JSON.stringify(part));
        assert.deepEqual([stored.spec, stored.status], [came.spec, came.status]);
      }
    }
  });

  test('what did not change comes from the state before, and only what did is copied', () => {
    const form = storedForm<Answer>({ ...plain, managedFields: { manager: 'us' } });
    const previous = form(answer(), { isShared: true });
    const came = { ...answer(), status: { phase: 'Running' } };
    const stored = form(came, { previous, isShared: true });
    assert.equal(stored.spec, previous.spec);
    assert.ok(stored.metadata.managedFields[0]);
    assert.equal(stored.metadata.managedFields, previous.metadata.managedFields);
    assert.deepEqual(stored.status, came.status);
    assert.notEqual(stored.status, came.status);
  });

  test('a transform may change all that it gets', () => {
    const transform = (each: Answer) => {
      each.spec.template.labels.a = 'changed';
      return each;
    };
    const came = answer();
    const stored = storedForm<Answer>({ ...plain, managedFields: 'drop', transform })(came, { isShared: true });
    assert.deepEqual([came.spec.template.labels.a, stored.spec.template.labels.a], ['b', 'changed']);
  });
});

/** All objects and lists in a value. */
function partsOf(value: unknown, found = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof value !== 'object' || value === null) return found;
  found.add(value);
  for (const part of Object.values(value)) partsOf(part, found);
  return found;
}
