import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlayedCaller } from '../../test/played-caller.ts';
import type { SessionStreams } from '../container-sessions.ts';
import { maxUnreadBytes, maxUntakenBytes } from '../request/incoming.ts';
import { converse } from './conversation.ts';

const block = Buffer.alloc(maxUnreadBytes);

test('a caller that says more than is read has to wait until it is read', async () => {
  const caller = new PlayedCaller();
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
  const caller = new PlayedCaller();
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
  const caller = new PlayedCaller();
  const run = async ({ stdout, signal }: SessionStreams) => {
    while (!signal.aborted) stdout.write(block);
    return 0;
  };
  await converse(caller, run, () => true);
  assert.equal(caller.isAborted, true);
  assert.ok(caller.pending < maxUntakenBytes + 2 * block.length);
});
