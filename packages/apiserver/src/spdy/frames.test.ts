import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataFrame, type Frame, FrameReader, pingFrame, replyFrame, resetFrame } from './frames.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** As kubectl sends them. */
const cases: readonly { readonly hex: string; readonly frame: Frame }[] = [
  {
    hex: '8003 0001 0000000c 00000003 00000000 00 00 beef',
    frame: { type: 'open', stream: 3, headers: bytes('beef'), isLast: false },
  },
  {
    hex: '00000003 00 000005 68656c6c6f',
    frame: { type: 'data', stream: 3, bytes: bytes('68656c6c6f'), isLast: false },
  },
  { hex: '00000003 01 000000', frame: { type: 'data', stream: 3, bytes: bytes(''), isLast: true } },
  { hex: '8003 0003 00000008 00000003 00000005', frame: { type: 'reset', stream: 3 } },
  { hex: '8003 0006 00000004 00000001', frame: { type: 'ping', id: 1 } },
  { hex: '8003 0008 00000006 00000003 beef', frame: { type: 'headers', headers: bytes('beef') } },
  { hex: '8003 0007 00000008 00000000 00000000', frame: { type: 'other' } },
];

test('frames are read, in whatever pieces they come', () => {
  const all = bytes(cases.map(({ hex }) => hex).join(''));
  const frames = cases.map(({ frame }) => frame);
  assert.deepEqual(new FrameReader().push(all), frames);
  const reader = new FrameReader();
  assert.deepEqual(
    [...all].flatMap((byte) => reader.push(Buffer.of(byte))),
    frames,
  );
});

test('frames are written', () => {
  assert.deepEqual(dataFrame(3, bytes('6869'), true), bytes('00000003 01 000002 6869'));
  assert.deepEqual(replyFrame(3, bytes('beef')), bytes('8003 0002 00000006 00000003 beef'));
  assert.deepEqual(resetFrame(3, 1), bytes('8003 0003 00000008 00000003 00000001'));
  assert.deepEqual(pingFrame(7), bytes('8003 0006 00000004 00000007'));
});

test('a frame of more than a mebibyte is refused before it is there', () => {
  assert.throws(() => new FrameReader().push(bytes('00000003 00 100001')), RangeError);
});
