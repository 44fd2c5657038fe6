import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Incoming } from './incoming.ts';

function read(incoming: Incoming, text: string): boolean {
  const { buffer, callback } = incoming.onread;
  assert.ok(buffer instanceof Uint8Array);
  return callback(Buffer.from(buffer.buffer, buffer.byteOffset).write(text), buffer);
}

test('what came before anyone takes it is kept, in order, and not overwritten by what comes next', () => {
  const incoming = new Incoming();
  const taken: Buffer[] = [];
  assert.equal(read(incoming, 'one'), true);
  assert.equal(read(incoming, 'two'), true);
  incoming.to((bytes) => taken.push(bytes));
  assert.equal(read(incoming, 'three'), true);
  assert.deepEqual(taken.map(String), ['one', 'two', 'three']);
});
