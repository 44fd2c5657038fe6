import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warningHeaders } from './warnings.ts';

const long = (letter: string) => letter.repeat(300);
const cut = (letter: string) => `299 - "${letter.repeat(256)}"`;

const cases: readonly (readonly [name: string, remarks: readonly string[], headers: readonly string[]])[] = [
  ['nothing to say', [], []],
  ['the same twice', ['a', 'b', 'a'], ['299 - "a"', '299 - "b"']],
  ['quotes and backslashes', ['a"b\\c'], ['299 - "a\\"b\\\\c"']],
  ['control characters', ['a\nb', 'c', ''], ['299 - "c"']],
  ['long ones that fit together', [long('a')], [`299 - "${long('a')}"`]],
  [
    'long ones that do not fit together',
    [...'abcdefghijklmnopqrst'].map(long),
    [...'abcdefghijklmnop'].map(cut), // sixteen times 256 are enough
  ],
  [
    'short ones that do not fit together',
    Array.from({ length: 600 }, (_, i) => `remark ${i}`.padEnd(16)),
    Array.from({ length: 256 }, (_, i) => `299 - "${`remark ${i}`.padEnd(16)}"`),
  ],
];

for (const [name, remarks, headers] of cases) {
  test(`warnings: ${name}`, () => assert.deepEqual(warningHeaders(remarks), headers));
}
