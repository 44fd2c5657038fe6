import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DelayHeap } from './delay-heap.ts';

test('what is planned again for the same time takes no room', () => {
  const heap = new DelayHeap<string>();
  for (let i = 0; i < 10; i++) heap.set({ key: 'a', dueAt: 5, priority: 0 });
  assert.equal(heap.length, 1);
});

test('what is planned anew again and again takes the room of a few, and nothing is lost', () => {
  const heap = new DelayHeap<string>();
  heap.set({ key: 'first', dueAt: 0, priority: 0 });
  for (let i = 10_000; i > 0; i--) {
    for (const key of ['a', 'b']) heap.set({ key, dueAt: i, priority: 0 });
    assert.ok(heap.length <= 64, `${heap.length} for three keys`);
  }
  for (let i = 1; i <= 10_000; i++) heap.set({ key: 'a', dueAt: 1, priority: i });
  assert.ok(heap.length <= 64, `${heap.length} for three keys`);
  assert.deepEqual(
    [heap.pop(), heap.pop()?.dueAt, heap.pop()?.dueAt, heap.pop()],
    [{ key: 'first', dueAt: 0, priority: 0 }, 1, 1, undefined],
  );
});
