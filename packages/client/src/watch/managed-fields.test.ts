import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textWithoutManagedFields } from './managed-fields.ts';

const withoutManagedFields = (line: string) => textWithoutManagedFields(Buffer.from(line));

const cut = [
  {
    says: 'last in the metadata',
    line: '{"object":{"metadata":{"name":"a","managedFields":[{"f:x":{}}]},"spec":1}}',
    becomes: '{"object":{"metadata":{"name":"a"},"spec":1}}',
  },
  {
    says: 'first in the metadata',
    line: '{"object":{"metadata":{"managedFields":[],"name":"a"},"spec":1}}',
    becomes: '{"object":{"metadata":{"name":"a"},"spec":1}}',
  },
  {
    says: 'in the middle',
    line: '{"object":{"metadata":{"name":"a","managedFields":null,"uid":"u"}}}',
    becomes: '{"object":{"metadata":{"name":"a","uid":"u"}}}',
  },
  {
    says: 'alone, with brackets in a text',
    line: '{"object":{"metadata":{"managedFields":["]}"]}}}',
    becomes: '{"object":{"metadata":{}}}',
  },
  {
    says: 'with brackets in texts, and more behind it',
    line: '{"object":{"metadata":{"managedFields":[{"v:]},":{}},{"[":{}}],"name":"a"},"spec":1}}',
    becomes: '{"object":{"metadata":{"name":"a"},"spec":1}}',
  },
  {
    says: 'with a list in it, which no server sends',
    line: '{"object":{"metadata":{"managedFields":[{"a":[{}],"b":[]}]},"spec":1}}',
    becomes: '{"object":{"metadata":{},"spec":1}}',
  },
  {
    says: 'with names that need escapes',
    line: String.raw`{"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[{"k:{\"name\":\"b\\\"}":[1,true]}]}}}`,
    becomes: '{"type":"ADDED","object":{"metadata":{"name":"a"}}}',
  },
];

for (const { says, line, becomes } of cut) {
  test(`managedFields are cut out: ${says}`, () => {
    assert.equal(withoutManagedFields(line), becomes);
  });
}

test('managedFields stay where they name a manager that is asked for, and go where only a text of the object does', () => {
  const ours = Buffer.from('"manager":"ours"');
  const line = (manager: string) =>
    `{"object":{"metadata":{"name":"a","managedFields":[{"manager":"${manager}"}]},"spec":{"manager":"ours"}}}`;
  assert.equal(textWithoutManagedFields(Buffer.from(line('ours')), ours), line('ours'));
  const withoutOthers = '{"object":{"metadata":{"name":"a"},"spec":{"manager":"ours"}}}';
  assert.equal(textWithoutManagedFields(Buffer.from(line('theirs')), ours), withoutOthers);
  assert.equal(textWithoutManagedFields(Buffer.from(line('ours-too')), ours), withoutOthers);
});

const left = [
  '{"object":{"metadata":{"name":"a"},"spec":{"managedFields":[1]}}}',
  '{"object":{"spec":{"metadata":{"managedFields":[1]}},"metadata":{}}}',
  '{"metadata":{"managedFields":[1]}}',
  String.raw`{"object":{"metadata":{"annotations":{"a":"\"managedFields\":[1]"},"name":"a"}}}`,
  String.raw`{"object":{"metadata":{"\"managedFields":[1]}}}`,
  '{"object":{"metadata":{"managedFields":[1',
  '{"object":{"metadata":{"managedFields":"x',
  '{"object":{"metadata":{"managedFields":[1]]}}',
  '{ "object":{"metadata":{"managedFields":[1]}}}',
  '{"object":null}',
  '[]',
  '',
];

for (const line of left) {
  test(`a line is left as it is: ${line}`, () => {
    assert.equal(withoutManagedFields(line), line);
  });
}

test('of any event, exactly the managedFields of its object are gone', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const fields = fc.array(fc.dictionary(fc.constantFrom('f:a', 'v:]},', 'v:[', 'k:"]'), value), { maxLength: 3 });
  const metadata = fc.dictionary(
    fc.constantFrom('name', 'managedFields', 'labels', 'a"b', '\\'),
    fc.oneof(value, fields),
  );
  const object = fc.dictionary(fc.constantFrom('metadata', 'spec', 'managedFields'), fc.oneof(metadata, value));
  const event = fc.dictionary(fc.constantFrom('type', 'object', 'metadata'), fc.oneof(object, value));
  fc.assert(
    fc.property(event, (sent) => {
      const line = JSON.stringify(sent);
      const expected = JSON.parse(line) as { object?: { metadata?: { managedFields?: unknown } } };
      const of = expected.object?.metadata;
      if (typeof of === 'object' && of !== null && !Array.isArray(of)) delete of.managedFields;
      assert.deepEqual(JSON.parse(withoutManagedFields(line)), expected);
    }),
  );
});
