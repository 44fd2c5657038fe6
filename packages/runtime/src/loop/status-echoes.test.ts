import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { StatusEchoes } from './status-echoes.ts';

const at = (resourceVersion: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion, creationTimestamp: 'then' },
});
const key = 'b/a';

function observed() {
  const own = new StatusEchoes();
  let woken = 0;
  const changed = (before: string, after: string) => own.changed(key, at(before), at(after), () => (woken += 1));
  return { own, changed, woken: () => woken };
}

test('a change outside of a pass wakes at once', () => {
  const { changed, woken } = observed();
  changed('1', '2');
  assert.equal(woken(), 1);
});

test('a change during a pass that goes well wakes at its end, also our own', () => {
  const { own, changed, woken } = observed();
  own.begin(key);
  own.wrote(key, at('1'), at('2'));
  changed('1', '2');
  assert.equal(woken(), 0);
  own.succeeded(key);
  assert.equal(woken(), 1);
});

test('our own change does not wake after a pass that failed, whether it comes before the answer, after it or late', () => {
  for (const order of ['event first', 'answer first', 'late']) {
    const { own, changed, woken } = observed();
    own.begin(key);
    if (order === 'event first') changed('1', '2');
    own.wrote(key, at('1'), at('2'));
    if (order === 'answer first') changed('1', '2');
    own.failed(key);
    if (order === 'late') changed('1', '2');
    assert.equal(woken(), 0, order);
  }
});

test('a change of someone else wakes after a failed pass, also one that is joined with ours', () => {
  const { own, changed, woken } = observed();
  own.begin(key);
  changed('1', '2');
  own.wrote(key, at('2'), at('3'));
  own.failed(key);
  assert.equal(woken(), 1, 'theirs');
  changed('1', '3');
  assert.equal(woken(), 2, 'theirs and ours in one');
});

test('the next pass begins with a clean slate', () => {
  const { own, changed, woken } = observed();
  own.begin(key);
  own.wrote(key, at('1'), at('2'));
  own.failed(key);
  own.begin(key);
  own.succeeded(key);
  changed('1', '2');
  assert.equal(woken(), 1);
});

test('what a pass began with is no news, whether it comes before the answer, during the pass or after it', () => {
  for (const order of ['event first', 'during', 'late']) {
    const { own, changed, woken } = observed();
    own.begin(key);
    if (order === 'event first') changed('1', '2');
    own.marked(key, at('1'), at('2'));
    if (order === 'during') changed('1', '2');
    own.succeeded(key);
    if (order === 'late') changed('1', '2');
    assert.equal(woken(), 0, order);
    changed('2', '3');
    assert.equal(woken(), 1, order);
  }
});

test('what came together with it is news, and so is all when nothing was marked', () => {
  const { own, changed, woken } = observed();
  own.begin(key);
  own.marked(key, at('1'), at('2'));
  changed('1', '3');
  own.marked(key, at('3'), at('3'));
  changed('3', '4');
  own.succeeded(key);
  assert.equal(woken(), 2);
});
