import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelMatcher } from './label-selector.ts';

const matches: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ['', {}, true],
  ['a=b', { a: 'b' }, true],
  ['a==b', { a: 'c' }, false],
  ['a!=b', {}, true],
  ['a!=b', { a: 'b' }, false],
  ['a in (b, c),d', { a: 'c', d: '' }, true],
  ['a in (b, c),d', { a: 'c' }, false],
  ['a notin (b)', {}, true],
  ['!a', { a: '' }, false],
  ['! a', {}, true],
  ['in in (in)', { in: 'in' }, true],
  ['a=', { a: '' }, true],
  ['a in (,b)', { a: '' }, true],
  ['a in ()', { a: '' }, true],
  ['constructor', {}, false],
  ['a>5', { a: '9223372036854775808' }, false],
  ['a>5', { a: '6' }, true],
  ['a<5', { a: '6' }, false],
  ['a>5', { a: 'x' }, false],
];

for (const [selector, labels, expected] of matches) {
  test(`${JSON.stringify(selector)} ${expected ? 'selects' : 'leaves'} ${JSON.stringify(labels)}`, () => {
    assert.equal(labelMatcher(selector)?.(labels) ?? true, expected);
  });
}

const complaints: readonly (readonly [string, RegExp])[] = [
  ['===', /^found '==', expected: !, identifier, or 'end of string'$/],
  ['a===b', /^unable to parse requirement: found '=', expected: identifier$/],
  ['a in b', /^unable to parse requirement: found 'b' expected: '\('$/],
  ['a b', /^unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt$/],
  ['a,', /^found '', expected: identifier after ','$/],
  ['a in (b c)', /found 'c', expected: ',' or '\)'$/],
  ['a>9223372036854775808', /the value must be an integer$/],
  ['a>b', /the value must be an integer$/],
  ['-a=b', /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of/],
  ['a=-b', /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b": a valid label must be/],
];

for (const [selector, message] of complaints) {
  test(`${JSON.stringify(selector)} is refused`, () => {
    assert.throws(() => labelMatcher(selector), { name: 'SelectorError', message });
  });
}
