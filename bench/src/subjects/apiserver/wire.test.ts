import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Wire } from './wire.ts';

/** A connection on which the answers can be put by hand. */
function pair(): { readonly wire: Wire; readonly answer: (text: string, pieceSize: number) => void } {
  const socket = new PassThrough();
  socket.write = () => true; // what is asked goes nowhere
  const answer = (text: string, size: number) => {
    for (let at = 0; at < text.length; at += size) socket.emit('data', Buffer.from(text.slice(at, at + size)));
  };
  return { wire: new Wire(socket as unknown as TLSSocket, 'localhost'), answer };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

const answers = [
  { says: 'a length', text: `${ok}Content-Length: 5\r\n\r\n12345`, bytes: 5 },
  { says: 'no body', text: `${ok}Content-Length: 0\r\n\r\n`, bytes: 0 },
  { says: 'pieces', text: `${chunked}3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n`, bytes: 19 },
];

for (const { says, text, bytes } of answers) {
  test(`an answer with ${says} is read to its end, wherever it is cut`, async () => {
    for (const size of [1, 2, 3, 7, 1000]) {
      const { wire, answer } = pair();
      for (let again = 0; again < 2; again += 1) {
        const asked = wire.ask({ method: 'GET', path: '/' });
        answer(text, size);
        assert.deepEqual(await asked, { status: 200, bytes });
      }
    }
  });
}

test('a watch counts the lines of its events, and not those of HTTP', async () => {
  for (const size of [1, 2, 5, 1000]) {
    const { wire, answer } = pair();
    let seen = 0;
    const watching = wire.watch('/', (lines) => {
      seen += lines;
    });
    answer(`${chunked}4\r\n{"a"\r\n7\r\n:1}\n{}\n\r\n`, size);
    await watching;
    assert.equal(seen, 2);
  }
});
