import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appliedEntryOf, type FieldSet, project } from './field-set.ts';

test('an object is projected onto the fields that a manager owns', () => {
  const object = {
    spec: {
      replicas: 3,
      paused: false,
      containers: [
        { name: 'other', image: 'x' },
        { name: 'memcached', image: 'memcached', command: ['a', 'b'], imagePullPolicy: 'Always' },
      ],
      finalizers: ['one', 'two'],
      indexed: ['zero', 'first'],
    },
  };
  const fields: FieldSet = {
    'f:spec': {
      'f:replicas': {},
      'f:absent': {},
      'f:containers': { 'k:{"name":"memcached"}': { '.': {}, 'f:name': {}, 'f:image': {}, 'f:command': {} } },
      'f:finalizers': { 'v:"two"': {} },
      'f:indexed': { 'i:1': {} },
    },
  };
  assert.deepEqual(project(object, fields), {
    spec: {
      replicas: 3,
      containers: [{ name: 'memcached', image: 'memcached', command: ['a', 'b'] }],
      finalizers: ['two'],
      indexed: ['first'],
    },
  });
});

test('an empty field set owns everything below, and a set with only the item itself too', () => {
  const owner = {
    ownerReferences: [
      { uid: 'u', name: 'a' },
      { uid: 'v', name: 'b' },
    ],
  };
  assert.deepEqual(project(owner, { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } }), {
    ownerReferences: [{ uid: 'u', name: 'a' }],
  });
  assert.deepEqual(project({ a: { b: 1 } }, { 'f:a': { '.': {} } }), { a: { b: 1 } });
});

test('names with escapes are found, and those that every object seems to have are not', () => {
  const object = {
    data: { a: '1' },
    list: [
      { 'a"b\\': 'x', value: 1 },
      { 'a"b\\': 'y', value: 2 },
    ],
  };
  const fields: FieldSet = {
    'f:data': { 'f:a': {}, 'f:constructor': {}, 'f:__proto__': {} },
    'f:list': { 'k:{"a\\"b\\\\":"y"}': { 'f:value': {} } },
  };
  assert.deepEqual(project(object, fields), { data: { a: '1' }, list: [{ value: 2 }] });
});

test('the entry of a manager is found by manager, operation and subresource', () => {
  const entry = (manager: string, operation: string, subresource?: string) => ({
    manager,
    operation,
    ...(subresource && { subresource }),
    fieldsType: 'FieldsV1',
  });
  const managedFields = [
    entry('me', 'Update'),
    entry('you', 'Apply'),
    entry('me', 'Apply', 'status'),
    entry('me', 'Apply'),
  ];
  const object = { metadata: { managedFields } };
  assert.equal(appliedEntryOf(object, 'me'), managedFields[3]);
  assert.equal(appliedEntryOf(object, 'me', 'status'), managedFields[2]);
  assert.equal(appliedEntryOf({ metadata: {} }, 'me'), undefined);
});
