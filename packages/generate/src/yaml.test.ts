import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { printYaml } from './yaml.ts';

test('objects and lists are written as kubectl writes them', () => {
  const value = {
    apiVersion: 'apps/v1',
    spec: { list: ['a', { name: 'b', more: [1, [2, 3]] }], none: [], empty: {}, gone: undefined, nothing: null },
  };
  assert.equal(
    printYaml(value),
    `apiVersion: apps/v1
spec:
  list:
  - a
  - name: b
    more:
    - 1
    - - 2
      - 3
  none: []
  empty: {}
  nothing: null
`,
  );
});

test('a text of several lines stands as it is, unless something invisible would be lost', () => {
  assert.equal(printYaml({ text: 'one\n\n  two\n' }), 'text: |\n  one\n\n    two\n');
  assert.equal(printYaml({ text: 'one\ntwo' }), 'text: |-\n  one\n  two\n');
  assert.equal(printYaml({ text: 'one \ntwo' }), 'text: "one \\ntwo"\n');
  assert.equal(printYaml({ text: '\n' }), 'text: "\\n"\n');
});

test('a text that could be taken for something else is quoted', () => {
  const texts = [
    'on',
    'No',
    '~',
    '1e3',
    '0o7',
    '1:20',
    '2001-01-01',
    '',
    ' a',
    'a: b',
    'a #b',
    '- a',
    '*',
    '@x',
    "it's",
  ];
  for (const text of texts) assert.match(printYaml({ text }), /^text: ['"].*['"]\n$|^text: it's\n$/, text);
  for (const text of ['a b', 'a:b', 'x/y', '.spec.size', 'memcached:1.6', "it's"]) {
    assert.equal(printYaml({ text }), `text: ${text}\n`);
  }
});

test('whatever is written is read back the same, by readers of YAML 1.1 and 1.2', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({
      unit: fc.constantFrom('a', 'n', '1', '.', ':', ' ', '#', '-', "'", '"', '\n', '\t', '\u2028', '\ufeff', '\u0085'),
    }),
    fc.constantFrom('yes', '.NaN', '.inf', '0x1f', '1_000', '<<', '=', '!!str', '---', '...', '%a', '\\'),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(
        text.filter((key) => key !== '__proto__'),
        tie('tree'),
        { maxKeys: 3, noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const yaml = printYaml(value);
      for (const version of ['1.1', '1.2'] as const) {
        assert.deepEqual(parse(yaml, { version, merge: false }), value, yaml);
      }
    }),
    { numRuns: 300 },
  );
});
