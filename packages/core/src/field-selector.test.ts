import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesFields, parseFieldSelector, printFieldSelector } from './field-selector.ts';

test('a field selector reads, prints and matches, an absent field being empty', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', labels: { x: 'y' } },
    spec: { nodeName: 'n=1,2' },
    status: { ready: true, count: 3 },
  };
  const cases: readonly [string, boolean][] = [
    ['', true],
    [',,', true],
    ['=,!=', true],
    ['metadata.name=a', true],
    ['metadata.name==a', true],
    ['metadata.name!=a', false],
    ['metadata.name= a', false],
    ['status.phase=', true],
    ['status.phase!=Running,metadata.name=a', true],
    ['spec.nodeName=n\\=1\\,2', true],
    ['spec.host=n\\=1\\,2', true],
    ['status.ready=true,status.count=3', true],
    // Containers are no values, and neither is what every JavaScript object has.
    ['metadata.labels=', true],
    ['metadata.constructor=', true],
    ['constructor=', true],
    ['toString=', true],
  ];
  for (const [text, expected] of cases) {
    const requirements = parseFieldSelector(text);
    assert.equal(matchesFields(requirements, pod), expected, text);
    assert.deepEqual(parseFieldSelector(printFieldSelector(requirements)), requirements, text);
  }
});

test('fields that the server does not find at their path match what it has there', () => {
  const cases: readonly (readonly [text: string, object: object])[] = [
    ['spec.hostNetwork=false', { apiVersion: 'v1', kind: 'Pod', spec: {} }],
    ['spec.hostNetwork=true', { apiVersion: 'v1', kind: 'Pod', spec: { hostNetwork: true } }],
    ['spec.unschedulable=false', { apiVersion: 'v1', kind: 'Node', spec: {} }],
    ['spec.unschedulable=', { apiVersion: 'example.com/v1', kind: 'Node', spec: {} }],
    ['status.replicas=0', { apiVersion: 'v1', kind: 'ReplicationController' }],
    ['status.successful=0', { apiVersion: 'batch/v1', kind: 'Job', status: {} }],
    ['status.successful=2', { apiVersion: 'batch/v1', kind: 'Job', status: { succeeded: 2 } }],
    ['source=me', { apiVersion: 'v1', kind: 'Event', source: { component: 'me' }, reportingComponent: 'other' }],
    ['source=me', { apiVersion: 'v1', kind: 'Event', source: {}, reportingComponent: 'me' }],
  ];
  for (const [text, object] of cases) assert.ok(matchesFields(parseFieldSelector(text), object), text);
});

test('a field selector that a server refuses is refused with the reason', () => {
  const cases: readonly (readonly [text: string, message: string])[] = [
    ['metadata.name', `"metadata.name" has no '=' or '!='`],
    ['a=b,c', `"c" has no '=' or '!='`],
    ['=x', `"=x" names no field`],
    ['a=b=c', `in "b=c" a '=' needs a '\\' before it`],
    ['a===b', `in "=b" a '=' needs a '\\' before it`],
    ['a=b\\c', `'\\c' stands for nothing; only ',', '=' and '\\' are escaped`],
    ['a=b\\', `'\\' stands for nothing; only ',', '=' and '\\' are escaped`],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => parseFieldSelector(text), {
      name: 'TypeError',
      message: `field selector ${JSON.stringify(text)}: ${message}`,
    });
  }
});

test('any value survives being printed and read', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab,=\\!') }), fc.constantFrom('=', '!='), (value, operator) => {
      const requirements = [
        { field: 'metadata.name', operator, value },
        { field: 'spec.x', operator, value },
      ] as const;
      assert.deepEqual(parseFieldSelector(printFieldSelector(requirements)), requirements);
    }),
  );
});
