import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { PlayedCaller } from '../../test/played-caller.ts';
import { maxUnreadBytes } from '../request/incoming.ts';
import { type SpdyStream, serveSpdy } from './connection.ts';
import { dataFrame, type Frame, FrameReader, pingFrame, resetFrame } from './frames.ts';
import { HeaderWriter } from './header-blocks.ts';

/** Headers are decompressed off the thread. */
const turn = () => sleep(systemClock, 0);

/** A caller and the streams that it opened. */
function opened() {
  const caller = new PlayedCaller();
  const streams: SpdyStream[] = [];
  serveSpdy(caller, (stream) => streams.push(stream));
  const headers = new HeaderWriter();
  const heard = (): readonly Frame[] => new FrameReader().push(Buffer.concat(caller.sent));
  const ask = (id: number, block: Uint8Array): void => {
    const head = Buffer.alloc(18);
    head.writeUInt32BE(0x80030001, 0);
    head.writeUInt32BE(10 + block.length, 4);
    head.writeUInt32BE(id, 8);
    caller.say(Buffer.concat([head, block]));
  };
  const newBlock = () => headers.write(new Map([['port', '80']]));
  const open = async (id: number): Promise<SpdyStream> => {
    ask(id, await newBlock());
    while (streams.length === 0) await turn();
    return streams.pop() ?? assert.fail();
  };
  return { caller, open, ask, newBlock, heard, streams };
}

const textOf = async (input: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const chunk of input) text += Buffer.from(chunk).toString();
  return text;
};

test('a stream has headers, and bytes both ways until both sides end it', async () => {
  const { caller, open, heard } = opened();
  const stream = await open(1);
  assert.equal(stream.headers.get('port'), '80');
  caller.say(dataFrame(1, Buffer.from('one '), false));
  caller.say(dataFrame(1, Buffer.from('two'), true));
  assert.equal(await textOf(stream.input), 'one two');
  stream.write(Buffer.from('three'));
  stream.end();
  stream.write(Buffer.from('too late'));
  const [reply, ...data] = heard();
  assert.equal(reply?.type, 'headers');
  assert.deepEqual(data, [
    { type: 'data', stream: 1, bytes: Buffer.from('three'), isLast: false },
    { type: 'data', stream: 1, bytes: Buffer.alloc(0), isLast: true },
  ]);
});

test('a ping is answered, and bytes of a stream that is over are refused', async () => {
  const { caller, open, heard } = opened();
  const stream = await open(1);
  caller.say(dataFrame(1, Buffer.alloc(0), true));
  await textOf(stream.input);
  stream.end();
  caller.say(pingFrame(7));
  caller.say(dataFrame(1, Buffer.from('more'), false));
  await turn();
  assert.deepEqual(heard().slice(2), [
    { type: 'ping', id: 7 },
    { type: 'reset', stream: 1 },
  ]);
});

test('a stream that the caller gives up is aborted, and so are all when it leaves', async () => {
  const { caller, open } = opened();
  const [first, second] = [await open(1), await open(3)];
  caller.say(resetFrame(1, 5));
  assert.equal(await textOf(first.input), '');
  assert.deepEqual([first.signal.aborted, second.signal.aborted], [true, false]);
  caller.leave();
  assert.equal(await textOf(second.input), '');
  assert.equal(second.signal.aborted, true);
});

test('the caller waits while more is unread than is kept, on whichever stream', async () => {
  const { caller, open } = opened();
  const [first, second] = [await open(1), await open(3)];
  const block = Buffer.alloc(maxUnreadBytes);
  for (const id of [1, 1, 3, 3]) caller.say(dataFrame(id, block, false));
  await turn();
  assert.equal(caller.isPaused, true);
  const [one, other] = [first.input[Symbol.asyncIterator](), second.input[Symbol.asyncIterator]()];
  await one.next();
  assert.equal(caller.isPaused, true);
  await other.next();
  assert.equal(caller.isPaused, false);
});

test('what is not SPDY ends the connection', async () => {
  const { caller } = opened();
  caller.say(Buffer.alloc(64, 0xff));
  await turn();
  assert.equal(caller.isAborted, true);
});

test('after headers that cannot be read, whatever follows, the streams that were open are aborted', async () => {
  const { caller, open, ask, newBlock, streams } = opened();
  const stream = await open(1);
  for (const id of [3, 5]) ask(id, Buffer.from('no zlib'));
  ask(7, await newBlock());
  assert.equal(await textOf(stream.input), '');
  assert.deepEqual([caller.isAborted, stream.signal.aborted, streams.length], [true, true, 0]);
});

test('a caller that leaves while its headers are read has opened nothing', async () => {
  const { caller, ask, newBlock, heard, streams } = opened();
  ask(1, await newBlock());
  await Promise.resolve();
  caller.leave();
  for (let i = 0; i < 5; i += 1) await turn();
  assert.deepEqual([streams.length, heard().length], [0, 0]);
});

test('a stream that is open is not opened again, and goes on', async () => {
  const { caller, open, ask, newBlock, heard, streams } = opened();
  const stream = await open(1);
  ask(1, await newBlock());
  caller.say(dataFrame(1, Buffer.from('still here'), true));
  assert.equal(await textOf(stream.input), 'still here');
  assert.deepEqual(heard().slice(1), [{ type: 'reset', stream: 1 }]);
  assert.equal(streams.length, 0);
});
