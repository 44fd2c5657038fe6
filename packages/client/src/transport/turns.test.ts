import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

/** Begins, and notes under a name that it did. */
function line(atATime: number) {
  const turns = new Turns(atATime);
  const begun: string[] = [];
  const begin = async (name: string, signal?: AbortSignal) => {
    await turns.begin(signal);
    begun.push(name);
  };
  return { turns, begun, begin };
}

test('so many begin at once, and the others in their order', async () => {
  const { turns, begun, begin } = line(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => begin(name));
  await Promise.all(all.slice(0, 2));
  assert.deepEqual(begun, ['a', 'b']);
  turns.end();
  await all[2];
  assert.deepEqual(begun, ['a', 'b', 'c']);
  turns.end();
  await all[3];
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
});

test('a turn that nobody waited for is there for the next', async () => {
  const { turns, begun, begin } = line(1);
  await begin('a');
  turns.end();
  await begin('b');
  const third = begin('c');
  assert.deepEqual(begun, ['a', 'b']);
  turns.end();
  await third;
});

test('whoever leaves the line rejects at once, and takes no turn', async () => {
  const { turns, begun, begin } = line(1);
  await begin('a');
  const leaving = new AbortController();
  const left = begin('b', leaving.signal);
  const last = begin('c');
  leaving.abort(new Error('no time'));
  await assert.rejects(left, /no time/);
  turns.end();
  await last;
  assert.deepEqual(begun, ['a', 'c']);
});

test('whoever was aborted before takes no turn', async () => {
  const { begun, begin } = line(1);
  await assert.rejects(begin('a', AbortSignal.abort(new Error('no time'))), /no time/);
  await begin('b');
  assert.deepEqual(begun, ['b']);
});

test('an abort after the turn began changes nothing', async () => {
  const { turns, begin } = line(1);
  await begin('a');
  const controller = new AbortController();
  const second = begin('b', controller.signal);
  turns.end();
  await second;
  controller.abort();
  const third = begin('c');
  turns.end();
  await third;
});
