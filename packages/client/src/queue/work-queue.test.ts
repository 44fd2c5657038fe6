import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { createWorkQueue, type WorkQueueOptions } from './work-queue.ts';

function queueWithClock(options: WorkQueueOptions = {}) {
  const clock = new ManualClock();
  return { clock, queue: createWorkQueue({ clock, ...options }) };
}

describe('a work queue', () => {
  test('hands out a key once, however often it was added', async () => {
    const { queue } = queueWithClock();
    queue.add('a');
    queue.add('a');
    queue.add('b');
    assert.equal(queue.length, 2);
    assert.deepEqual(await queue.get(), { key: 'a', priority: 0 });
    assert.deepEqual(await queue.get(), { key: 'b', priority: 0 });
    assert.equal(queue.length, 0);
  });

  test('runs a key once more when it was added while in work', async () => {
    const { queue } = queueWithClock();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('a');
    let second: unknown;
    void queue.get().then((item) => {
      second = item;
    });
    await settled();
    assert.equal(second, undefined, 'the key must not be with two workers');
    queue.done('a');
    await settled();
    assert.deepEqual(second, { key: 'a', priority: 0 });
    queue.done('a');
    assert.equal(queue.length, 0);
  });

  test('serves waiting workers in the order in which they came', async () => {
    const { queue } = queueWithClock();
    const served: string[] = [];
    for (const worker of ['first', 'second']) void queue.get().then((item) => served.push(`${worker}:${item?.key}`));
    queue.add('a');
    queue.add('b');
    await settled();
    assert.deepEqual(served, ['first:a', 'second:b']);
  });

  test('says how many keys of a priority wait for a worker', async () => {
    const queue = createWorkQueue();
    queue.add('low', { priority: -5 });
    queue.addAfter('delayed', 1000, { priority: -5 });
    queue.add('high');
    assert.deepEqual([queue.lengthAt(-5), queue.lengthAt(0), queue.lengthAt(7)], [1, 1, 0]);
    await queue.get();
    assert.deepEqual([queue.lengthAt(-5), queue.lengthAt(0)], [1, 0]);
    queue.shutDown();
    assert.equal(queue.lengthAt(-5), 0);
  });

  test('takes higher priorities first, and a raised key goes to the tail of its new priority', async () => {
    const { queue } = queueWithClock();
    queue.add('initial', { priority: -100 });
    queue.add('raised', { priority: -100 });
    queue.add('normal');
    queue.add('urgent', { priority: 10 });
    queue.add('raised');
    queue.add('raised', { priority: -100 });
    const order = [];
    for (let i = 0; i < 4; i++) order.push((await queue.get())?.key);
    assert.deepEqual(order, ['urgent', 'normal', 'raised', 'initial']);
  });

  describe('with a priority that rises after a while', () => {
    const low = { priority: -200, raiseAfterMs: 2000 };
    const next = async (queue: ReturnType<typeof createWorkQueue>) => (await queue.get())?.key;

    test('lets others go first so long, from the first time that it was added, each key by itself', async () => {
      const { clock, queue } = queueWithClock();
      for (const key of ['x', 'y', 'z']) queue.add(key, { priority: -100 });
      await clock.advance(100);
      queue.add('a', low);
      await clock.advance(500);
      queue.add('b', low);
      queue.add('a', low);
      await clock.advance(1499);
      assert.equal(await next(queue), 'x', '2099 ms');
      await clock.advance(1);
      assert.equal(await next(queue), 'a', '2100 ms');
      await clock.advance(499);
      assert.equal(await next(queue), 'y', '2599 ms');
      await clock.advance(1);
      assert.deepEqual(await queue.get(), { key: 'b', priority: 0 }, '2600 ms');
      assert.equal(await next(queue), 'z');
    });

    test('goes at once to a worker that has nothing else, and what comes after that is another time', async () => {
      const { clock, queue } = queueWithClock();
      const taken = queue.get();
      queue.add('a', low);
      queue.add('a', low); // for once more, before the worker knows of the first
      assert.deepEqual(await taken, { key: 'a', priority: -200 });
      queue.done('a');
      queue.add('x', { priority: -100 });
      await clock.advance(1999);
      queue.add('y', { priority: -100 });
      assert.equal(await next(queue), 'x');
      await clock.advance(1);
      assert.equal(await next(queue), 'a');
    });

    test('rises while it is in work, for the time after', async () => {
      const { clock, queue } = queueWithClock();
      queue.add('a');
      await queue.get();
      queue.add('a', low);
      queue.add('x', { priority: -100 });
      await clock.advance(2000);
      queue.done('a');
      assert.deepEqual(await queue.get(), { key: 'a', priority: 0 });
    });

    test('waits out its delay before, also when it waits for a worker already', async () => {
      const { clock, queue } = queueWithClock();
      queue.addAfter('a', 500, low);
      queue.add('b', { priority: -300 });
      queue.addAfter('b', 6500, low);
      queue.add('x', { priority: -100 });
      await clock.advance(2499);
      queue.add('y', { priority: -100 });
      assert.equal(await next(queue), 'x');
      await clock.advance(1);
      assert.equal(await next(queue), 'a');
      assert.equal(await next(queue), 'y');
      queue.add('z', { priority: -100 });
      await clock.advance(5999);
      queue.add('end', { priority: -100 });
      assert.equal(await next(queue), 'z', '8499 ms');
      await clock.advance(1);
      assert.deepEqual(await queue.get(), { key: 'b', priority: 0 });
    });

    test('refuses a time that is none', () => {
      const { queue } = queueWithClock();
      for (const raiseAfterMs of [Number.NaN, -1]) {
        const refusal = { name: 'RangeError', message: `raiseAfterMs must not be less than 0, and is ${raiseAfterMs}` };
        assert.throws(() => queue.add('a', { raiseAfterMs }), refusal);
        assert.throws(() => queue.addAfter('a', 1, { raiseAfterMs }), refusal);
      }
      assert.equal(queue.length, 0);
    });

    test('is handed out once, and leaves nothing behind when it was taken or the queue is shut down', async () => {
      const { clock, queue } = queueWithClock();
      queue.add('x');
      queue.add('a', low);
      assert.deepEqual([await next(queue), await next(queue)], ['x', 'a']);
      queue.done('a');
      await clock.advance(5000);
      assert.equal(queue.length, 0);
      queue.add('y', low);
      queue.shutDown();
      queue.add('z', low);
      assert.equal(clock.timers, 0);
    });
  });

  test('waits out a delay, the earliest of several', async () => {
    const { clock, queue } = queueWithClock();
    queue.addAfter('a', 1000);
    queue.addAfter('a', 300);
    queue.addAfter('a', 5000);
    await clock.advance(299);
    assert.equal(queue.length, 0);
    await clock.advance(1);
    assert.equal(queue.length, 1);
    await queue.get();
    queue.done('a');
    await clock.advance(10_000);
    assert.equal(queue.length, 0, 'the later delays are gone');
  });

  test('keeps the order of delays under many keys', async () => {
    const { clock, queue } = queueWithClock();
    const delays = [70, 10, 90, 30, 50, 20, 80, 40, 60];
    for (const delay of delays) queue.addAfter(String(delay), delay);
    await clock.advance(100);
    const order = [];
    while (queue.length > 0) order.push(Number((await queue.get())?.key));
    assert.deepEqual(
      order,
      delays.toSorted((a, b) => a - b),
    );
  });

  test('an add overtakes a delay', async () => {
    const { clock, queue } = queueWithClock();
    queue.addAfter('a', 1000, { priority: 5 });
    queue.add('a');
    assert.deepEqual(await queue.get(), { key: 'a', priority: 5 });
    queue.done('a');
    await clock.advance(2000);
    assert.equal(queue.length, 0);
  });

  test('a delay for a key that will run again anyway changes nothing', async () => {
    const { clock, queue } = queueWithClock();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.addAfter('a', 1000);
    queue.done('a');
    assert.equal((await queue.get())?.key, 'a');
    queue.done('a');
    await clock.advance(2000);
    assert.equal(queue.length, 0);
  });

  test('backs off from 5 ms to 1000 s for each key by itself, until it is forgotten', () => {
    const { queue } = queueWithClock();
    const delays = Array.from({ length: 20 }, () => queue.addRateLimited('a'));
    assert.deepEqual(delays.slice(0, 5), [5, 10, 20, 40, 80]);
    assert.deepEqual(delays.slice(17), [655_360, 1_000_000, 1_000_000]);
    assert.equal(queue.addRateLimited('b'), 5);
    assert.equal(queue.failures('a'), 20);
    queue.forget('a');
    assert.equal(queue.failures('a'), 0);
    assert.equal(queue.addRateLimited('a'), 5);
  });

  test('a bucket limits all retries together', () => {
    const { queue } = queueWithClock({ bucket: { qps: 10, burst: 2 } });
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => queue.addRateLimited(key)),
      [5, 5, 100, 200],
    );
  });

  test('shutting down drops what waits and lets waiting workers go', async () => {
    const { clock, queue } = queueWithClock();
    const worker = queue.get();
    queue.addAfter('later', 10);
    queue.shutDown();
    queue.add('a');
    assert.equal(await worker, undefined);
    assert.equal(await queue.get(), undefined);
    assert.equal(queue.length, 0);
    assert.equal(clock.timers, 0, 'no timer stays behind');
  });

  test('draining hands out what waits, refuses the new, and ends with the last work', async () => {
    const { queue } = queueWithClock();
    queue.add('a');
    queue.add('b');
    await queue.get();
    queue.add('a'); // once more, asked for before the drain
    let drained = false;
    const drain = queue.drain().then(() => {
      drained = true;
    });
    queue.add('c');
    queue.done('a');
    assert.equal((await queue.get())?.key, 'b');
    assert.equal((await queue.get())?.key, 'a');
    const idle = queue.get();
    queue.done('b');
    await settled();
    assert.equal(drained, false);
    queue.done('a');
    await drain;
    assert.equal(await idle, undefined);
    assert.equal(await queue.get(), undefined);
  });

  test('draining an idle queue ends at once', async () => {
    const { queue } = queueWithClock();
    await queue.drain();
    assert.equal(await queue.get(), undefined);
  });

  test('done without a get is a mistake of the caller', () => {
    const { queue } = queueWithClock();
    assert.throws(() => queue.done('a'), new TypeError('done: nobody works on a'));
  });

  test('refuses delays that make no sense', () => {
    assert.throws(() => createWorkQueue({ baseDelayMs: 0 }), RangeError);
    assert.throws(() => createWorkQueue({ baseDelayMs: 10, maxDelayMs: 5 }), RangeError);
    assert.throws(() => createWorkQueue({ bucket: { qps: 0, burst: 1 } }), RangeError);
  });

  test('measures what client-go measures', async () => {
    const seen: string[] = [];
    const { clock, queue } = queueWithClock({
      metrics: {
        added: () => seen.push('added'),
        depth: (priority, depth) => seen.push(`depth ${priority}=${depth}`),
        taken: (ms) => seen.push(`taken ${ms}`),
        done: (ms) => seen.push(`done ${ms}`),
        retried: () => seen.push('retried'),
      },
    });
    queue.add('a');
    queue.add('a');
    await clock.advance(30);
    await queue.get();
    await clock.advance(12);
    assert.deepEqual(queue.inProgress(), { keys: 1, unfinishedMs: 12, longestMs: 12 });
    queue.addRateLimited('a');
    queue.done('a');
    queue.addAfter('b', 10);
    queue.addAfter('c', 0);
    assert.deepEqual(seen, [
      ...['added', 'depth 0=1', 'depth 0=0', 'taken 30', 'retried', 'done 12'],
      ...['retried', 'added', 'depth 0=1'],
    ]);
  });
});

/** The simplest thing that does what a queue promises: sets, searched through each time. */
class Model {
  waiting: { key: string; priority: number }[] = [];
  delayed = new Map<string, { dueAt: number; priority: number }>();
  inWork = new Map<string, number | undefined>();

  enqueue(key: string, priority: number): void {
    if (this.inWork.has(key)) {
      this.inWork.set(key, Math.max(priority, this.inWork.get(key) ?? priority));
      return;
    }
    const at = this.waiting.findIndex((each) => each.key === key);
    const present = this.waiting[at];
    if (!present) this.waiting.push({ key, priority });
    else if (priority > present.priority) {
      this.waiting.splice(at, 1);
      this.waiting.push({ key, priority });
    }
  }

  add(key: string, priority: number): void {
    const delayed = this.delayed.get(key);
    this.delayed.delete(key);
    this.enqueue(key, Math.max(priority, delayed?.priority ?? priority));
  }

  addAfter(key: string, dueAt: number, priority: number): void {
    const runsAnyway = this.waiting.some((each) => each.key === key) || this.inWork.get(key) !== undefined;
    if (runsAnyway) {
      this.add(key, priority);
      return;
    }
    const planned = this.delayed.get(key);
    this.delayed.set(key, {
      dueAt: Math.min(dueAt, planned?.dueAt ?? dueAt),
      priority: Math.max(priority, planned?.priority ?? priority),
    });
  }

  advanceTo(now: number): void {
    const due = [...this.delayed].filter(([, { dueAt }]) => dueAt <= now).sort(([, a], [, b]) => a.dueAt - b.dueAt);
    for (const [key, { priority }] of due) {
      this.delayed.delete(key);
      this.enqueue(key, priority);
    }
  }

  take(): { key: string; priority: number } | undefined {
    const highest = Math.max(...this.waiting.map(({ priority }) => priority));
    const at = this.waiting.findIndex(({ priority }) => priority === highest);
    const [item] = at === -1 ? [] : this.waiting.splice(at, 1);
    if (item) this.inWork.set(item.key, undefined);
    return item;
  }

  done(key: string): void {
    const again = this.inWork.get(key);
    this.inWork.delete(key);
    if (again !== undefined) this.enqueue(key, again);
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.constantFrom(-100, 0, 10);
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key, priority }),
  // Odd and distinct, so that no two delays end in the same millisecond, where the order is nobody's business.
  fc.record({ do: fc.constant('addAfter' as const), key, priority, ms: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), key }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 40 }) }),
);

test('a work queue does what a simple model does, for any sequence of calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, queue } = queueWithClock();
      const model = new Model();
      let unique = 0;
      for (const each of steps) {
        switch (each.do) {
          case 'add':
            queue.add(each.key, { priority: each.priority });
            model.add(each.key, each.priority);
            break;
          case 'addAfter': {
            const delayMs = each.ms + ++unique / 1000;
            queue.addAfter(each.key, delayMs, { priority: each.priority });
            model.addAfter(each.key, clock.monotonic() + delayMs, each.priority);
            break;
          }
          case 'take':
            if (queue.length > 0) assert.deepEqual(await queue.get(), model.take());
            break;
          case 'done':
            if (model.inWork.has(each.key)) {
              queue.done(each.key);
              model.done(each.key);
            }
            break;
          case 'advance':
            await clock.advance(each.ms);
            model.advanceTo(clock.monotonic());
            break;
          default:
            each satisfies never;
        }
        assert.equal(queue.length, model.waiting.length);
        assert.equal(queue.inProgress().keys, model.inWork.size);
      }
    }),
    { numRuns: 300 },
  );
});
