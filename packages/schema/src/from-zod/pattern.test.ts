import assert from 'node:assert/strict';
import { test } from 'node:test';
import { re2Pattern } from './pattern.ts';

// As strings, since formatters take liberties with literals.
const translated: readonly (readonly [source: string, flags: string, pattern: string])[] = [
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', '', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'],
  ['a', 'gimsu', '(?ims)a'],
  ['^/v\\d+$', '', '^/v\\d+$'],
  ['\\u00e9\\u{1F600}', 'u', '\\x{e9}\\x{1f600}'],
  ['(?<year>\\d{4})', '', '(?P<year>\\d{4})'],
  ['[^]', '', '(?s:.)'],
  ['[a[]]', '', '[a\\[]]'],
  ['[[^a]', '', '[\\[^a]'],
  ['[\\b\\0(?=]', '', '[\\x08\\x00(?=]'],
  ['\\p{Lu}\\P{L}', 'u', '\\p{Lu}\\P{L}'],
  ['\\.\\-\\_\\@', '', '\\.\\-\\_\\@'],
  ['\\y{2}', '', 'y{2}'],
  ['a{1000}|a{2,}', '', 'a{1000}|a{2,}'],
];

for (const [source, flags, pattern] of translated) {
  test(`/${source}/${flags} is ${pattern} in RE2`, () => {
    assert.deepEqual(re2Pattern(new RegExp(source, flags)), { pattern });
  });
}

const lacking: readonly (readonly [source: string, flags: string, what: RegExp])[] = [
  ['a(?=b)', '', /look-around/],
  ['a(?!b)', '', /look-around/],
  ['(?<=a)b', '', /look-around/],
  ['(?<!a)b', '', /look-around/],
  ['(a)\\1', '', /backreferences/],
  ['(?<x>a)\\k<x>', '', /backreferences/],
  ['[]', '', /class without characters/],
  ['\\ud83d', '', /surrogate/],
  ['\\p{Script=Greek}', 'u', /Script=Greek/],
  ['a{1001}', '', /counts/],
  ['a', 'y', /flag y/],
  ['[a--b]', 'v', /flag v/],
  ['\\cA', '', /escape \\c/],
];

for (const [source, flags, what] of lacking) {
  test(`/${source}/${flags} is not to be had in RE2`, () => {
    const translation = re2Pattern(new RegExp(source, flags));
    assert.match('lacking' in translation ? translation.lacking : '', what);
  });
}
