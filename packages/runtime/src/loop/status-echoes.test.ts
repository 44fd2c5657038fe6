import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { StatusEchoes } from './status-echoes.ts';

const at = (resourceVersion: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion, creationTimestamp: 'then', generation: 1, ...more },
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

test('writes that follow one another are no news, one by one or joined, in whatever pass they were made', () => {
  for (const changes of [['1 2', '2 3', '3 4'], ['1 3', '3 4'], ['1 2', '2 4'], ['1 4']]) {
    const { own, changed, woken } = observed();
    own.begin(key);
    own.marked(key, at('1'), at('2'));
    own.reported(key, at('2'), at('3'));
    own.succeeded(key);
    own.begin(key);
    own.reported(key, at('3'), at('4'));
    for (const change of changes) changed(...(change.split(' ') as [string, string]));
    own.succeeded(key);
    assert.equal(woken(), 0, changes.join());
    changed('4', '5');
    changed('2', '3');
    assert.equal(woken(), 2, 'nothing is left behind');
  }
});

test('a change of someone else among our writes is news, and the writes beside it are not', () => {
  const { own, changed, woken } = observed();
  own.begin(key);
  own.reported(key, at('1'), at('2'));
  own.reported(key, at('2'), at('4')); // 3 is theirs
  own.reported(key, at('4'), at('5'));
  own.succeeded(key);
  changed('1', '2');
  assert.equal(woken(), 0);
  changed('2', '3');
  assert.equal(woken(), 1, 'theirs');
  changed('3', '4');
  assert.equal(woken(), 2, 'ours over theirs, which may have gone before');
  changed('4', '5');
  assert.equal(woken(), 2);
});

test('what the answer to a report shows of an edit is news, also when it comes together with the report', () => {
  for (const edit of [
    { generation: 2 },
    { labels: { a: 'b' } },
    { annotations: { a: 'b' } },
    { finalizers: ['x/y'] },
    { deletionTimestamp: 'now' },
  ]) {
    const { own, changed, woken } = observed();
    own.begin(key);
    own.reported(key, at('1'), at('3', edit)); // 2 was the edit
    own.succeeded(key);
    changed('1', '3');
    assert.equal(woken(), 1, JSON.stringify(edit));
  }
  const { own, changed, woken } = observed();
  own.reported(key, at('1', { generation: undefined }), at('2', { generation: undefined }));
  changed('1', '2');
  assert.equal(woken(), 1, 'without a generation nobody can tell');
});

test('of writes that never come back, the last are remembered', () => {
  const { own, changed, woken } = observed();
  for (let i = 0; i < 20; i += 1) own.reported(key, at(`${2 * i}`), at(`${2 * i + 1}`));
  changed('0', '1');
  assert.equal(woken(), 1);
  changed('38', '39');
  assert.equal(woken(), 1);
  own.forget(key);
  changed('36', '37');
  assert.equal(woken(), 2);
});
