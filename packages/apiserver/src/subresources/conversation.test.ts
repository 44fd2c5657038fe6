import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionStreams } from '../container-sessions.ts';
import type { MessageSocket } from '../request/exchange.ts';
import { converse, maxUnreadBytes, maxUntakenBytes } from './conversation.ts';

/** A caller that a test plays: it takes nothing of what it is sent. */
class Caller implements MessageSocket {
  readonly sent: Uint8Array[] = [];
  isPaused = false;
  isAborted = false;
  say: (bytes: Uint8Array) => void = () => {};
  leave: () => void = () => {};

  get pending(): number {
    return this.sent.reduce((sum, { length }) => sum + length, 0);
  }
  send(bytes: Uint8Array): void {
    this.sent.push(bytes);
  }
  onMessage(listener: (bytes: Uint8Array) => void): void {
    this.say = listener;
  }
  onClose(listener: () => void): void {
    this.leave = listener;
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(): void {}
  abort(): void {
    this.isAborted = true;
    this.leave();
  }
}

const block = Buffer.alloc(maxUnreadBytes);

test('a caller that says more than is read has to wait until it is read', async () => {
  const caller = new Caller();
  let read = 0;
  const over = converse(
    caller,
    async ({ stdin }) => {
      for await (const { length } of stdin) {
        read += length;
        assert.equal(caller.isPaused, false);
      }
      return 0;
    },
    () => true,
  );
  caller.say(block);
  assert.equal(caller.isPaused, false, 'so much is kept');
  caller.say(block);
  caller.say(Buffer.of(0, 1, 2));
  assert.equal(caller.isPaused, true);
  caller.say(Buffer.of(255, 0));
  caller.say(block);
  await over;
  assert.equal(read, 2 * (maxUnreadBytes - 1) + 2, 'what comes after the end is dropped');
});

test('a caller that had to wait is heard again when the session is over', async () => {
  const caller = new Caller();
  const { promise, resolve } = Promise.withResolvers<number>();
  const over = converse(
    caller,
    () => promise,
    () => true,
  );
  caller.say(block);
  caller.say(block);
  assert.equal(caller.isPaused, true);
  resolve(0);
  await over;
  assert.equal(caller.isPaused, false);
});

test('a caller that does not take what it is sent is let go', async () => {
  const caller = new Caller();
  const run = async ({ stdout, signal }: SessionStreams) => {
    while (!signal.aborted) stdout.write(block);
    return 0;
  };
  await converse(caller, run, () => true);
  assert.equal(caller.isAborted, true);
  assert.ok(caller.pending < maxUntakenBytes + 2 * block.length);
});
