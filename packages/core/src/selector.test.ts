import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type LabelSelection,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  printFieldSelector,
  printLabelSelector,
  requirementsOf,
} from './selector.ts';

const labels = { app: 'memcached', 'app.kubernetes.io/instance': 'a', empty: '' };

test('a selection matches the labels that a server would match', () => {
  const cases: readonly [LabelSelection, boolean][] = [
    ['', true],
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
    ['app notin (x,y)', true],
    ['app notin (memcached)', false],
    [{ app: 'memcached' }, true],
    [{ app: 'other' }, false],
    [{}, true],
    [{ matchLabels: { app: 'memcached' } }, true],
    [{ matchLabels: undefined }, true],
    [{ matchLabels: 'a label' }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['x', 'memcached'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
    [[{ key: 'app', operator: 'Exists' }], true],
  ];
  for (const [selection, expected] of cases) {
    assert.equal(matchesLabels(requirementsOf(selection), labels), expected, JSON.stringify(selection));
  }
  assert.equal(matchesLabels(requirementsOf('app'), undefined), false);
});

test('a label selector reads back as printed', () => {
  for (const text of ['a=b', 'a!=b', 'a in (b,c)', 'a notin (b,c)', 'a', '!a', 'a=b,!c,d in (e,f)', 'example.com/a=']) {
    assert.equal(printLabelSelector(parseLabelSelector(text)), text);
  }
});

test('a label selector that cannot be read is refused with the place', () => {
  for (const text of ['a=b=c', 'a in b', '=x', 'a in (b', 'a,,b', 'a b']) {
    assert.throws(() => parseLabelSelector(text), /label selector: cannot read/, text);
  }
  const selection = { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] };
  assert.throws(() => requirementsOf(selection), /"Gt" on "a" is not one of/);
  assert.throws(() => requirementsOf({ matchExpressions: [{ key: 'a', operator: 'In' }] }), /needs at least one value/);
});

test('a field selector reads, prints and matches, an absent field being empty', () => {
  const pod = { metadata: { name: 'a' }, spec: { nodeName: 'n=1,2' }, status: {} };
  const cases: readonly [string, boolean][] = [
    ['metadata.name=a', true],
    ['metadata.name==a', true],
    ['metadata.name!=a', false],
    ['status.phase=', true],
    ['status.phase!=Running,metadata.name=a', true],
    ['spec.nodeName=n\\=1\\,2', true],
  ];
  for (const [text, expected] of cases) {
    const requirements = parseFieldSelector(text);
    assert.equal(matchesFields(requirements, pod), expected, text);
    assert.deepEqual(parseFieldSelector(printFieldSelector(requirements)), requirements, text);
  }
  assert.throws(() => parseFieldSelector('metadata.name'), /cannot read "metadata.name"/);
});
