import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { canonicalStep, fieldStep, keyStep, printStep, sortedSteps, valueStep } from './step.ts';

test('steps are written as the real server writes them', () => {
  assert.equal(fieldStep('a.b/c'), 'f:a.b/c');
  assert.equal(valueStep('a"b'), String.raw`v:"a\"b"`);
  assert.equal(valueStep('<x>&'), String.raw`v:"\u003cx\u003e\u0026"`);
  assert.equal(valueStep('back\b slash\\b'), String.raw`v:"back\u0008 slash\\b"`);
  assert.equal(valueStep(3), 'v:3');
  assert.equal(
    keyStep([
      ['protocol', 'TCP'],
      ['containerPort', 80],
    ]),
    'k:{"containerPort":80,"protocol":"TCP"}',
  );
});

test('a step that someone wrote differently has the same canonical form', () => {
  assert.equal(canonicalStep('k:{"protocol": "TCP", "port": 80}'), 'k:{"port":80,"protocol":"TCP"}');
  assert.equal(canonicalStep('v: "a"'), 'v:"a"');
  assert.equal(canonicalStep('i:03'), 'i:3');
  assert.equal(canonicalStep('x:from the future'), undefined);
  for (const bad of ['f', 'ff', 'k:{', 'k:[]', 'k:{"a":}', 'v:', 'i:x', ''])
    assert.throws(() => canonicalStep(bad), SyntaxError, bad);
});

test('steps are shown to people as paths', () => {
  const steps = ['f:spec', 'f:a.b', 'k:{"name":"x","port":80}', 'v:"s"', 'v:true', 'i:4'];
  assert.equal(steps.map(printStep).join(''), '.spec.a.b[name="x",port=80][="s"][=true][4]');
  assert.equal(printStep('k:{"ip":{"b":1,"a":[1,{"x":true}],"c":null}}'), '[ip=a=[1,x=true]b=1c=null]');
});

test('members come first, then keys, values and indices, each in the order of Go', () => {
  const steps = [
    'i:10',
    'i:9',
    'v:true',
    'v:"b"',
    'v:"a"',
    'v:10',
    'v:9',
    'k:{"a":1,"b":1}',
    'k:{"a":2}',
    'k:{"a":1}',
    'f:b',
    'f:\u{1F600}',
    'f:\uFF5E',
  ];
  assert.deepEqual(sortedSteps(steps), [
    'f:b',
    'f:\uFF5E',
    'f:\u{1F600}',
    'k:{"a":1}',
    'k:{"a":1,"b":1}',
    'k:{"a":2}',
    'v:9',
    'v:10',
    'v:"a"',
    'v:"b"',
    'v:true',
    'i:9',
    'i:10',
  ]);
});

test('order does not depend on where sorting began, and steps stay as they are', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', '<', 'é', '\uFF5E', '\u{1F600}'), maxLength: 4 });
  const scalar = fc.oneof(text, fc.integer(), fc.boolean());
  const step = fc.oneof(
    text.map(fieldStep),
    scalar.map(valueStep),
    fc.uniqueArray(fc.tuple(text, scalar), { selector: ([key]) => key, minLength: 1, maxLength: 3 }).map(keyStep),
    fc.nat(20).map((index) => `i:${index}`),
  );
  fc.assert(
    fc.property(fc.uniqueArray(step, { maxLength: 8 }), fc.nat(), (steps, turn) => {
      const sorted = sortedSteps(steps);
      const at = steps.length === 0 ? 0 : turn % steps.length;
      assert.deepEqual(sortedSteps([...steps.slice(at), ...steps.slice(0, at)]), sorted);
      assert.deepEqual(sorted.map(canonicalStep), sorted);
    }),
  );
});
