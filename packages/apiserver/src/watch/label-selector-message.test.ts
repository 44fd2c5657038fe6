import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LabelSelectorError, parseLabelSelector } from '@keelson/core';
import { labelSelectorMessage } from './label-selector-message.ts';

const complaints: readonly (readonly [string, RegExp])[] = [
  ['===', /^found '==', expected: !, identifier, or 'end of string'$/],
  ['a===b', /^unable to parse requirement: found '=', expected: identifier$/],
  ['a in b', /^unable to parse requirement: found 'b' expected: '\('$/],
  ['a b', /^unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt$/],
  ['a,', /^found '', expected: identifier after ','$/],
  ['a in (b c)', /found 'c', expected: ',' or '\)'$/],
  ['a>9223372036854775808', /the value must be an integer$/],
  ['a>b', /the value must be an integer$/],
  ['a>-b', /requirement: \[values\[0\]: Invalid value: "-b": for 'Gt', .* integer, values\[0\]\[a\]: Invalid .*\]$/],
  ['a>-5', /values\[0\]\[a\]: Invalid value: "-5": a valid label must be/],
  ['a=b c', /^found 'c', expected: ',' or 'end of string'$/],
  ['!=a', /^found '!=', expected: !, identifier, or 'end of string'$/],
  ['!', /^unable to parse requirement: found '', expected: identifier$/],
  ['a in (=)', /^unable to parse requirement: found '=', expected: ',', '\)' or identifier$/],
  [
    'a in (z-,-b)',
    /requirement: \[values\[0\]\[a\]: Invalid value: "-b".*, values\[1\]\[a\]: Invalid value: "z-".*\]$/,
  ],
  ['-a b', /^unable to parse requirement: <nil>: Invalid value: "-a"/],
  ['-a=b', /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of/],
  ['a=-b', /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b": a valid label must be/],
];

for (const [selector, message] of complaints) {
  test(`${JSON.stringify(selector)} is refused`, () => {
    assert.throws(
      () => parseLabelSelector(selector),
      (error) => {
        assert.ok(error instanceof LabelSelectorError);
        assert.match(labelSelectorMessage(error.problem), message);
        return true;
      },
    );
  });
}
