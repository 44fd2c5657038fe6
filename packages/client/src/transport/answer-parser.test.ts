import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AnswerHead, AnswerParser } from './answer-parser.ts';

interface Read {
  readonly heads: readonly AnswerHead[];
  readonly body: string;
  readonly parser: AnswerParser;
}

/** Reads bytes in pieces of a size; all at once by default. */
function read(text: string, pieceBytes = Number.MAX_SAFE_INTEGER): Read {
  const heads: AnswerHead[] = [];
  const parts: Uint8Array[] = [];
  const parser = new AnswerParser({ onHead: (head) => heads.push(head), onData: (bytes) => parts.push(bytes) });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += pieceBytes) parser.push(bytes.subarray(at, at + pieceBytes));
  return { heads, body: Buffer.concat(parts).toString('latin1'), parser };
}

const sized = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:  b c \r\n\r\nhello';
const chunked =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n5\r\nhello\r\n00a;x="y"\r\n\r\n world\r\n\r\n0\r\nx-t: 1\r\n\r\n';

describe('an answer', () => {
  for (const [name, text, expected] of [
    ['with a length', sized, 'hello'],
    ['in chunks', chunked, 'hello\r\n world\r\n'],
    [
      'after others that say nothing',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n${sized}`,
      'hello',
    ],
    ['without a body, since it has none', 'HTTP/1.1 204 No Content\r\nx: y\r\n\r\n', ''],
    ['that did not change, whatever its length says', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n', ''],
    ['of no bytes', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', ''],
  ] as const) {
    test(`${name} is read the same however it is cut`, () => {
      for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++) {
        const { heads, body, parser } = read(text, pieceBytes);
        assert.equal(heads.length, 1, `${pieceBytes}`);
        assert.equal(body, expected, `${pieceBytes}`);
        assert.deepEqual([parser.isComplete, parser.keepsAlive], [true, true], `${pieceBytes}`);
      }
    });

    test(`${name} is not complete without its last byte`, () => {
      const { parser } = read(text.slice(0, -1));
      assert.equal(parser.isComplete, false);
      assert.equal(parser.close(), false);
    });
  }

  test('is handed over before it is complete', () => {
    const { heads, body, parser } = read(chunked.slice(0, chunked.indexOf('lo\r\n')));
    assert.deepEqual([heads.length, body, parser.isComplete], [1, 'hel', false]);
  });

  test('without a length goes on until the connection ends', () => {
    const { body, parser } = read('HTTP/1.1 200 OK\r\n\r\nhello\r\n');
    assert.deepEqual([body, parser.isComplete, parser.keepsAlive], ['hello\r\n', false, false]);
    assert.equal(parser.close(), true);
  });

  test('has its headers in lower case, without white space around them, and the same name twice as one', () => {
    const { heads } = read(
      'HTTP/1.1 200 OK\r\nX-A:  b c\t\r\nwarning: 1\r\n__proto__: x\r\nWarning:2\r\ncontent-length: 0\r\n\r\n',
    );
    assert.deepEqual(
      { ...heads[0]?.headers },
      Object.fromEntries([
        ['x-a', 'b c'],
        ['warning', '1, 2'],
        ['__proto__', 'x'],
        ['content-length', '0'],
      ]),
    );
  });
});

describe('a connection is not used again', () => {
  test('after an answer that has no body, and says that it comes in chunks', () => {
    const { parser } = read('HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n');
    assert.deepEqual([parser.isComplete, parser.keepsAlive], [true, false]);
  });

  for (const [name, head] of [
    ['when the server says so', 'HTTP/1.1 200 OK\r\nConnection: x, Close\r\n'],
    ['by a server of HTTP/1.0', 'HTTP/1.0 200 OK\r\n'],
    ['where the server waits for a second at most', 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\n'],
  ] as const) {
    test(name, () => {
      const { parser } = read(`${head}content-length: 0\r\n\r\n`);
      assert.deepEqual([parser.isComplete, parser.keepsAlive], [true, false]);
    });
  }

  test('after as long as the server waits, less a second', () => {
    assert.equal(read('HTTP/1.1 200 OK\r\nkeep-alive: max=9, timeout=5\r\n\r\n').parser.idleMs, 4000);
    assert.equal(read('HTTP/1.1 200 OK\r\n\r\n').parser.idleMs, Number.POSITIVE_INFINITY);
  });

  test('but is when the server names something else', () => {
    assert.equal(read('HTTP/1.1 200 OK\r\nconnection: disclose\r\ncontent-length: 0\r\n\r\n').parser.keepsAlive, true);
  });
});

describe('what could be read in two ways, or in none, is refused:', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const chunks = `${ok}transfer-encoding: chunked\r\n\r\n`;
  for (const [name, text] of [
    ['another protocol', 'SSH-2.0-OpenSSH'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of letters', 'HTTP/1.1 2x0 OK\r\n\r\n'],
    ['a change of protocols', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'],
    ['a folded header', `${ok}a: b\r\n c: d\r\n\r\n`],
    ['white space before a colon', `${ok}content-length : 5\r\n\r\n`],
    ['a header without a colon', `${ok}content-length\r\n\r\n`],
    ['a header without a name', `${ok}: x\r\n\r\n`],
    ['a lonely line feed in a header', `${ok}a: b\nc: d\r\n\r\n`],
    ['a lonely carriage return in a header', `${ok}a: b\rc: d\r\n\r\n`],
    ['a zero in a header', `${ok}a: b\0\r\n\r\n`],
    ['two lengths', `${ok}content-length: 5\r\ncontent-length: 5\r\n\r\nhello`],
    ['a length with a sign', `${ok}content-length: +5\r\n\r\nhello`],
    ['a length in another notation', `${ok}content-length: 0x5\r\n\r\nhello`],
    ['no length', `${ok}content-length:\r\n\r\nhello`],
    ['a length beside chunks', `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['an unknown coding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk without a size', `${chunks}\r\nhello\r\n`],
    ['a chunk with a sign', `${chunks}+5\r\nhello\r\n`],
    ['a chunk in another notation', `${chunks}0x5\r\nhello\r\n`],
    ['a chunk that is larger than any number', `${chunks}ffffffffffffff\r\nhello\r\n`],
    ['a size that ends without CR', `${chunks}5\nhello\r\n`],
    ['a chunk that is longer than it says, by what ends as a line does', `${chunks}5\r\nhellox\n0\r\n\r\n`],
    ['a length with a blank that is none', `${ok}content-length: 5\xa0\r\n\r\nhello`],
    ['a coding with a blank that is none', `${ok}transfer-encoding: chunked\xa0\r\n\r\n0\r\n\r\n`],
    ['a chunk that is longer than it says', `${chunks}4\r\nhello\r\n`],
    ['more than the answer', `${sized}x`],
  ] as const) {
    test(name, () => {
      assert.throws(() => read(text), { code: 'NOT_HTTP' });
      assert.throws(() => read(text, 1), { code: 'NOT_HTTP' });
    });
  }

  test('what begins as another protocol, at once', () => {
    assert.throws(() => read('HX'), { code: 'NOT_HTTP' });
  });
});

describe('no more is kept than 16 KiB', () => {
  const long = 'x'.repeat(16 * 1024);
  for (const [name, text] of [
    ['of a head', `HTTP/1.1 200 OK\r\na: ${long}`],
    ['of heads that say nothing', `HTTP/1.1 100 Continue\r\na: ${'x'.repeat(1000)}\r\n\r\n`.repeat(17)],
    ['of the line before a chunk', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;${long}`],
    [
      'of what follows the last chunk',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(4096)}`,
    ],
  ] as const) {
    test(name, () => {
      assert.throws(() => read(text), { code: 'HEAD_TOO_LONG' });
      assert.throws(() => read(text, 100), { code: 'HEAD_TOO_LONG' });
    });
  }

  test('and chunks may be as many as they like', () => {
    const { body, parser } = read(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`,
    );
    assert.deepEqual([body.length, parser.isComplete], [20_000, true]);
  });
});
