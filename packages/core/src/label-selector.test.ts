import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type LabelSelection,
  LabelSelectorError,
  type LabelSelectorProblem,
  matchesLabels,
  parseLabelSelector,
  printLabelSelector,
  type Requirement,
  requirementsOf,
} from './label-selector.ts';

const labels = { app: 'memcached', 'app.kubernetes.io/instance': 'a', empty: '', number: '10', in: 'notin' };

test('a selection matches the labels that a server would match', () => {
  const cases: readonly [LabelSelection, boolean][] = [
    ['', true],
    [' \t', true],
    ['app=memcached', true],
    ['app==memcached', true],
    ['app = memcached , app.kubernetes.io/instance in (a, b)', true],
    ['app!=memcached', false],
    ['missing!=x', true],
    ['missing', false],
    ['!missing', true],
    ['! app', false],
    ['app', true],
    ['empty=', true],
    ['empty=,app', true],
    ['app notin (x,y)', true],
    ['app notin (memcached)', false],
    ['in in (in,notin)', true],
    ['in=notin', true],
    // A value that is missing is the empty one.
    ['empty in ()', true],
    ['empty in (,)', true],
    ['empty in (x,)', true],
    ['empty in (,x)', true],
    ['app in ()', false],
    ['number>9', true],
    ['number>10', false],
    ['number<11', true],
    ['app>1', false],
    ['missing<1', false],
    [{ app: 'memcached' }, true],
    [{ app: 'other' }, false],
    [{}, true],
    [{ matchLabels: { app: 'memcached' } }, true],
    [{ matchLabels: undefined }, true],
    [{ matchLabels: 'a-label' }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['x', 'memcached'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
    [[{ key: 'app', operator: 'Exists' }], true],
    // Valid keys that every JavaScript object seems to have.
    ['constructor', false],
    ['!toString', true],
  ];
  for (const [selection, expected] of cases) {
    assert.equal(matchesLabels(requirementsOf(selection), labels), expected, JSON.stringify(selection));
  }
  assert.equal(matchesLabels(requirementsOf('app'), undefined), false);
});

test('a label selector reads back as printed', () => {
  const texts = ['a=b', 'a!=b', 'a in (b,c)', 'a notin (b,c)', 'a', '!a', 'a=b,!c,d in (e,f)', 'example.com/a=', 'a>5'];
  for (const text of texts) assert.equal(printLabelSelector(parseLabelSelector(text)), text);
});

test('a label selector that a server refuses is refused with the place and the reason', () => {
  const cases: readonly (readonly [text: string, message: string])[] = [
    ['a=b=c', `expected ',' or the end, and there is '=' at character 4`],
    ['a in b', `expected '(', and there is 'b' at character 6`],
    ['=x', `expected '!' or a label's key, and there is '=' at character 1`],
    ['a in (b', `expected ',' or ')', and the text ends`],
    ['a in (b c)', `expected ',' or ')', and there is 'c' at character 9`],
    ['a,,b', `expected '!' or a label's key, and there is ',' at character 3`],
    ['a,', `expected '!' or a label's key, and the text ends`],
    ['a b', `expected '=', '!=', 'in', 'notin', '>', '<', ',' or the end, and there is 'b' at character 3`],
    ['a===b', `expected a label's value, and there is '=' at character 4`],
    ['!a=b', `expected ',' or the end, and there is '=' at character 3`],
    ['!', `expected a label's key, and the text ends`],
    ['a>', 'Gt on "a" needs one whole number of 64 bits'],
    ['a>9223372036854775808', 'Gt on "a" needs one whole number of 64 bits'],
    [
      'A_/a',
      `"A_/a" is not a label key: before the '/' there must be a domain in lower case of at most 253 characters, such as 'example.com'`,
    ],
    ['a/', `"a/" is not a label key: there is nothing after the '/'`],
    ['a/b/c', `"a/b/c" is not a label key: it has more than one '/'`],
    [
      '-a',
      `"-a" is not a label key: the name must begin and end with a letter or digit, with letters, digits, '-', '_' and '.' in between`,
    ],
    [`${'k'.repeat(64)}`, `"${'k'.repeat(64)}" is not a label key: the name has 64 characters, and may have 63`],
    [
      'a=ü',
      `"ü" on "a" is not a label value: it must begin and end with a letter or digit, with letters, digits, '-', '_' and '.' in between`,
    ],
    [`a=${'v'.repeat(64)}`, `"${'v'.repeat(64)}" on "a" is not a label value: it has 64 characters, and may have 63`],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => parseLabelSelector(text), {
      name: 'TypeError',
      message: `label selector ${JSON.stringify(text)}: ${message}`,
    });
  }
});

test('what is wrong with a label selector is data, in the order in which a server looks', () => {
  const cases: readonly (readonly [LabelSelection, LabelSelectorProblem])[] = [
    ['=x', { type: 'unexpected', place: 'start', found: '=', index: 0 }],
    ['a,', { type: 'unexpected', place: 'afterComma', found: '', index: 2 }],
    ['!', { type: 'unexpected', place: 'key', found: '', index: 1 }],
    ['a b', { type: 'unexpected', place: 'operator', found: 'b', index: 2 }],
    ['a===', { type: 'unexpected', place: 'value', found: '=', index: 3 }],
    ['a in b', { type: 'unexpected', place: 'list', found: 'b', index: 5 }],
    ['a in (=)', { type: 'unexpected', place: 'item', found: '=', index: 6 }],
    ['a in (b c)', { type: 'unexpected', place: 'afterItem', found: 'c', index: 8 }],
    ['a=b c', { type: 'unexpected', place: 'afterRequirement', found: 'c', index: 4 }],
    // The key is judged before what follows it.
    ['-a b', { type: 'key', key: '-a' }],
    ['a>-b', { type: 'values', key: 'a', operator: 'Gt', values: ['-b'], needsNumber: true }],
    ['a<-5', { type: 'values', key: 'a', operator: 'Lt', values: ['-5'], needsNumber: false }],
    ['a in (b,-c)', { type: 'values', key: 'a', operator: 'In', values: ['b', '-c'], needsNumber: false }],
    [{ app: 'x,y' }, { type: 'values', key: 'app', operator: 'In', values: ['x,y'], needsNumber: false }],
  ];
  for (const [selection, problem] of cases) {
    assert.throws(
      () => requirementsOf(selection),
      (error) => {
        assert.ok(error instanceof LabelSelectorError);
        assert.deepEqual(error.problem, problem, JSON.stringify(selection));
        return true;
      },
    );
  }
});

test('what cannot be printed as it is meant is refused before', () => {
  const cases: readonly (readonly [LabelSelection, RegExp])[] = [
    [{ app: 'x,y=z' }, /"x,y=z" on "app" is not a label value/],
    [{ 'a in (b),c': 'x' }, /is not a label key/],
    [{ matchLabels: { app: 'x y' } }, /"x y" on "app" is not a label value/],
    [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }, /"Gt" on "a" is not one of/],
    [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, /In on "a" needs at least one value/],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] }, /Exists on "a" takes no values/],
    [[{ key: 'a', operator: 'NotIn', values: [] }], /NotIn on "a" needs at least one value/],
    [[{ key: 'a', operator: 'Lt', values: ['1', '2'] }], /Lt on "a" needs one whole number/],
  ];
  for (const [selection, message] of cases) {
    assert.throws(() => requirementsOf(selection), { name: 'TypeError', message }, JSON.stringify(selection));
  }
});

test('any requirements mean the same after they were printed and read', () => {
  const plain = { noNullPrototype: true };
  const key = fc.constantFrom('a', 'in', 'notin', 'example.com/b');
  const values = fc.uniqueArray(fc.constantFrom('', 'x', 'in', '5', 'a.b'), { minLength: 1 });
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values }, plain),
    fc.record({ key, operator: fc.constantFrom('Gt', 'Lt'), values: fc.constantFrom(['0'], ['17']) }, plain),
    fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }, plain),
  );
  fc.assert(
    fc.property(fc.array(requirement), (requirements) => {
      assert.deepEqual(parseLabelSelector(printLabelSelector(requirements)), requirements);
    }),
  );
});
