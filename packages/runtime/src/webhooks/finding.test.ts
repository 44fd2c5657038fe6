import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pod } from '@keelson/core/v1';
import { type Cause, refusal } from './finding.ts';

const object = {
  metadata: { name: 'a', labels: { 'example.com/tier': 'x' } },
  spec: { containers: [{ image: 'web:latest', ports: [] }], priority: 3 },
};
const refused = (...causes: readonly Cause<typeof Pod>[]) => refusal({ kind: Pod, name: 'a', object }, causes);

const wordings: readonly (readonly [Cause<typeof Pod>, string, string])[] = [
  [{ field: 'spec.priority', message: 'must be odd' }, 'spec.priority', 'Invalid value: 3: must be odd'],
  [{ field: ({ spec }) => spec.priority, message: 'must be odd' }, 'spec.priority', 'Invalid value: 3: must be odd'],
  [
    { field: ({ spec }) => spec.containers[0]?.image, message: 'needs a digest' },
    'spec.containers[0].image',
    'Invalid value: "web:latest": needs a digest',
  ],
  [
    { field: 'spec.containers[0].image', message: 'needs a digest' },
    'spec.containers[0].image',
    'Invalid value: "web:latest": needs a digest',
  ],
  [
    { field: ({ metadata }) => metadata.labels?.['example.com/tier'], message: 'x', reason: 'FieldValueNotSupported' },
    'metadata.labels[example.com/tier]',
    'Unsupported value: "x": x',
  ],
  [
    { field: "metadata.labels['example.com/tier']", message: '', reason: 'FieldValueDuplicate' },
    'metadata.labels[example.com/tier]',
    'Duplicate value: "x"',
  ],
  [
    { field: 'spec.nodeName', message: 'somewhere', reason: 'FieldValueRequired' },
    'spec.nodeName',
    'Required value: somewhere',
  ],
  [{ field: 'spec.priority', message: 'no', reason: 'FieldValueForbidden' }, 'spec.priority', 'Forbidden: no'],
  [{ field: ({ spec }) => spec.nodeName, message: 'x' }, 'spec.nodeName', 'Invalid value: null: x'],
];

for (const [cause, field, message] of wordings) {
  test(`a cause is worded as the server words its own: ${field}: ${message}`, () => {
    assert.deepEqual(refused(cause).details?.causes, [{ reason: cause.reason ?? 'FieldValueInvalid', field, message }]);
  });
}

test('causes with fields are one Status of 422, each text in it once', () => {
  const one = { field: 'spec.priority', message: 'must be odd' };
  assert.deepEqual(refused(one), {
    metadata: {},
    status: 'Failure',
    reason: 'Invalid',
    code: 422,
    message: 'Pod "a" is invalid: spec.priority: Invalid value: 3: must be odd',
    details: {
      name: 'a',
      group: '',
      kind: 'Pod',
      causes: [{ reason: 'FieldValueInvalid', field: 'spec.priority', message: 'Invalid value: 3: must be odd' }],
    },
  });
  const { message } = refused(one, one, { message: 'and at night' });
  assert.equal(
    message,
    'Pod "a" is invalid: [spec.priority: Invalid value: 3: must be odd, <nil>: Invalid value: and at night]',
  );
});

test('causes without a field forbid the request', () => {
  assert.deepEqual(refused({ message: 'in use by b' }, { message: 'and by c' }), {
    metadata: {},
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    message: 'in use by b; and by c',
  });
});

test('a value that is very long is cut', () => {
  const long = { metadata: { name: 'x'.repeat(2000) } };
  const { message = '' } = refusal({ kind: Pod, name: 'a', object: long }, [{ field: 'metadata.name', message: 'm' }]);
  assert.ok(message.length < 1200 && message.endsWith('x…: m'));
});

test('a field that is no member of the object is refused', () => {
  assert.throws(() => refused({ field: () => 3, message: '' }), /^TypeError: the field of a cause must be one member/);
});
