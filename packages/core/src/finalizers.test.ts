import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finalizerProblem, hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

const bare = { kind: 'X', metadata: { name: 'a' }, spec: {} };
const held = { ...bare, metadata: { name: 'a', finalizers: ['other.example/x'] } };

test('a finalizer is put after the others, once', () => {
  const one = withFinalizer(bare, 'example.com/cleanup');
  assert.deepEqual(one.metadata, { name: 'a', finalizers: ['example.com/cleanup'] });
  assert.equal(one.spec, bare.spec);
  assert.equal(withFinalizer(one, 'example.com/cleanup'), one);
  assert.deepEqual(withFinalizer(held, 'example.com/cleanup').metadata.finalizers, [
    'other.example/x',
    'example.com/cleanup',
  ]);
  assert.deepEqual(held.metadata.finalizers, ['other.example/x']);
});

test('a finalizer is taken away, and the others stay', () => {
  const both = withFinalizer(held, 'example.com/cleanup');
  assert.deepEqual(withoutFinalizer(both, 'example.com/cleanup'), held);
  assert.equal(withoutFinalizer(held, 'example.com/cleanup'), held);
  assert.equal(withoutFinalizer(bare, 'example.com/cleanup'), bare);
  assert.ok(hasFinalizer(both, 'other.example/x'));
  assert.ok(!hasFinalizer(bare, 'other.example/x'));
});

test('the difference that a finalizer makes is a merge patch', () => {
  const freed = withoutFinalizer(held, 'other.example/x');
  const patch = createMergePatch(held, freed);
  assert.deepEqual(patch, { metadata: { finalizers: [] } });
  assert.deepEqual(applyMergePatch(held, patch), freed);
});

test('a name without a domain, or one that is not well formed, is refused with the reason', () => {
  assert.equal(finalizerProblem('example.com/cleanup'), undefined);
  assert.equal(finalizerProblem(`${'a.'.repeat(126)}a/cleanup`), undefined);
  const cases: readonly (readonly [name: string, problem: RegExp])[] = [
    ['', /^it must begin with a domain/],
    ['cleanup', /^it must begin with a domain of yours and a '\/', such as 'example.com\/cleanup'$/],
    ['foregroundDeletion', /^it must begin with a domain/],
    ['example.com/', /^there is nothing after the '\/'$/],
    ['/cleanup', /^before the '\/' there must be a domain/],
    ['Example.com/cleanup', /^before the '\/' there must be a domain/],
    [
      `${'a.'.repeat(126)}ab/cleanup`,
      /^before the '\/' there must be a domain in lower case of at most 253 characters/,
    ],
    ['example.com/a/b', /^it has more than one '\/'$/],
    ['example.com/-a', /^the name must begin and end with a letter or digit/],
    [`example.com/${'a'.repeat(64)}`, /^the name has 64 characters, and may have 63$/],
  ];
  for (const [name, problem] of cases) {
    assert.match(finalizerProblem(name) ?? '', problem, name);
    assert.throws(() => withFinalizer(bare, name), { name: 'TypeError', message: /is not the name of a finalizer: / });
  }
});
