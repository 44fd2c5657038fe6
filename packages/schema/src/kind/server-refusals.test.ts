/** What the API server would refuse in a CRD is refused when the kind is defined, by the same judge, by its author's paths. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';
import type { StructuralMeta } from '../from-zod/extensions.ts';
import type { ValidationRule } from '../from-zod/validation-rule.ts';
import { crdOf } from './crd.ts';
import type { KindDefinition } from './definition.ts';

function refusalOf(spec: z.ZodObject, kind: Partial<KindDefinition> = {}): readonly string[] {
  const versions = { v1: { storage: true, spec, status: z.object({ size: z.int32() }) } };
  try {
    crdOf({ definition: { group: 'example.com', kind: 'Cache', hub: 'v1', versions, ...kind } });
    return [];
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return error.message.split(/\n {2}(?=\S)/).slice(1);
  }
}

const meta = (schema: z.ZodType, extensions: StructuralMeta) => z.object({ field: schema.meta({ ...extensions }) });
const ruled = (schema: z.ZodType, text: string, options?: Parameters<typeof rule>[1]) =>
  meta(schema, { 'x-kubernetes-validations': [rule(text, options)] });

const refused: readonly (readonly [what: string, spec: z.ZodObject, message: RegExp, lines?: number])[] = [
  [
    'a rule that is no CEL',
    ruled(z.int32(), 'self >> 3 &&'),
    /^spec\.field: x-kubernetes-validations\[0\]\.rule: compilation failed: ERROR: <input>:1:7: Syntax error/,
  ],
  ['a rule that is no condition', ruled(z.int32(), 'self + 1'), /^spec\.field: .*must evaluate to a bool/],
  ['a rule that does not fit the type', ruled(z.int32(), "self == 'a'"), /^spec\.field: .*no matching overload/],
  ['a rule on a field that is not there', ruled(z.object({ a: z.string() }), 'self.b'), /undefined field 'b'/],
  [
    'a rule that may cost too much',
    ruled(z.array(z.string()), 'self.all(x, self.all(y, x == y))'),
    /^spec\.field: x-kubernetes-validations\[0\]\.rule: estimated rule cost exceeds budget by factor of more than 100x/,
    3, // the rule, its share of the total, and the total
  ],
  ['an empty rule', ruled(z.string(), ' '), /^spec\.field: x-kubernetes-validations\[0\]\.rule: rule is not specified/],
  ['a message of two lines', ruled(z.string(), 'true', { message: 'a\nb' }), /must not contain line breaks/],
  [
    'a computed message that is no text',
    ruled(z.string().max(5), 'true', { messageExpression: '1' }),
    /^spec\.field: x-kubernetes-validations\[0\]\.messageExpression: .*must evaluate to a string/,
  ],
  [
    'a path to no field',
    ruled(z.object({ a: z.string() }), 'true', { fieldPath: '.b' }),
    /^spec\.field: x-kubernetes-validations\[0\]\.fieldPath: must be a valid path/,
  ],
  [
    'a default that a rule refuses',
    ruled(z.int32().default(3), 'self < 3'),
    /^spec\.field: default: failed rule: self < 3/,
  ],
  [
    'a rule deep inside',
    z.object({ list: z.array(z.record(z.string(), z.int32().meta({ 'x-kubernetes-validations': [rule('x')] }))) }),
    /^spec\.list\[\]\.\*: x-kubernetes-validations\[0\]\.rule: .*undeclared reference to 'x'/,
  ],
  [
    'a list map without keys',
    meta(z.array(z.object({ name: z.string() })), { 'x-kubernetes-list-type': 'map' }),
    /^spec\.field: x-kubernetes-list-map-keys: must not be empty/,
  ],
  [
    'a key that may be absent',
    meta(z.array(z.object({ name: z.string().optional() })), {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    /^spec\.field\[\]\.name: default: this property is in x-kubernetes-list-map-keys, so it must have a default/,
  ],
  [
    'a set of objects',
    meta(z.array(z.object({ name: z.string() })), { 'x-kubernetes-list-type': 'set' }),
    /^spec\.field\[\]: x-kubernetes-map-type: must be atomic/,
  ],
  [
    'a list type of an object',
    meta(z.object({}), { 'x-kubernetes-list-type': 'set' }),
    /^spec\.field: type: must be array/,
  ],
  ['an embedded scalar', meta(z.string(), { 'x-kubernetes-embedded-resource': true }), /^spec\.field: properties/, 2],
];

describe('a definition is refused for', () => {
  for (const [what, spec, message, count = 1] of refused) {
    test(what, () => {
      const lines = refusalOf(spec);
      assert.match(lines[0] ?? 'nothing', message);
      assert.equal(lines.length, count, lines.join('\n'));
    });
  }

  test('a rule on metadata that rules do not see', () => {
    const lines = refusalOf(z.object({}), { rules: [rule('self.metadata.labels.size() > 0')] });
    assert.match(lines.join(), /^the object: x-kubernetes-validations\[0\]\.rule: .*undefined field 'labels'/);
  });

  test('a rule that nothing has judged', () => {
    const plain = { rule: 'true' } as ValidationRule;
    assert.match(refusalOf(z.object({}), { rules: [plain] }).join(), /^rules: a rule is made by rule\(\)/);
    assert.match(
      refusalOf(meta(z.string(), { 'x-kubernetes-validations': [plain] })).join(),
      /^spec\.field: a rule is made by rule\(\)/,
    );
  });
});

test('rules that the server accepts are accepted', () => {
  const spec = z.object({ size: z.int32().meta({ 'x-kubernetes-validations': [rule('self >= oldSelf')] }) });
  const rules = [rule("self.metadata.name.startsWith('a') && (!has(self.status) || self.spec.size > 0)")];
  assert.deepEqual(refusalOf(spec, { rules }), []);
});
