import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutantsOf } from './mutants.ts';

const editsOf = (text: string) =>
  mutantsOf(text).map(({ start, end, text: to }) => `${text.slice(start, end)} → ${to}`);

const table: Readonly<Record<string, readonly string[]>> = {
  'if (a === b) f();': ['a === b → true', 'a === b → false', 'f(); → '],
  'while (a) f();': ['a → false', 'f(); → '],
  'const x = a < b;': ['a < b → a <= b', 'a < b → a >= b'],
  'const x = a && !b;': ['a && !b → a || !b', '!b → b'],
  'const x = a ?? b;': ['a ?? b → a', 'a ?? b → b'],
  'const x = a?.b.c;': ['a?.b.c → a.b.c'],
  'const x = a?.[0];': ['a?.[0] → a[0]', '0 → 1'],
  'const x = await f();': ['await f() → f()'],
  'const x = a.filter(f);': ['a.filter(f) → a'],
  'const x = a.some(f);': ['a.some(f) → a.every(f)'],
  'const x = a.toString();': [],
  'const x = [1, -1];': ['[1, -1] → []', '1 → 2', '-1 → 1'],
  "const x = { 'a b': 'c', d: true };": ["{ 'a b': 'c', d: true } → {}", "'c' → ''", 'true → false'],
  'const x = (a) => f(a);': ['f(a) → undefined'],
  'const x = 60_000;': ['60_000 → 120000'],
  'const x = () => 1;': ['1 → 2'],
  'function x() { return f(); }': ['return f(); → return;'],
  'i++;': ['i++; → ', 'i++ → i--'],
  'x ??= 5;': ['x ??= 5; → ', 'x ??= 5 → x = 5', '5 → 6'],
};

for (const [text, edits] of Object.entries(table)) {
  test(`the mutants of ${text}`, () => assert.deepEqual(editsOf(text), edits));
}

test('types, imports, sentences, names of types, defaults of a pattern and what cannot be reached are left alone', () => {
  const text = `
    import { a } from 'a';
    export { b } from 'b';
    type C = 'c' | 1;
    const d: 'd' = a as 'd';
    const e = 'a sentence' + \`another \${a} sentence\`;
    const f = typeof a === 'string';
    const [g = ''] = a;
    const h = [{ once: true }];
    switch (a) { default: throw a satisfies never; }
  `;
  assert.deepEqual(editsOf(text), ["typeof a === 'string' → typeof a !== 'string'", '[{ once: true }] → []']);
});

test('a source that cannot be parsed is refused', () => {
  assert.throws(() => mutantsOf('const'), SyntaxError);
});
