/** What a hostile server does, by name. Where it matters, lists and watches of ConfigMaps are told from other requests. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Behaviour, drip, type HostileRequest, pour } from './hostile-server.ts';

const json = 'content-type: application/json\r\n';
const head = (status = '200 OK', headers = json) => `HTTP/1.1 ${status}\r\n${headers}`;
const chunked = `${head()}transfer-encoding: chunked\r\n\r\n`;
const chunk = (text: string | Uint8Array) =>
  Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), Buffer.from(text), Buffer.from('\r\n')]);
const end = '0\r\n\r\n';
const whole = (text: string | Uint8Array, status = '200 OK', headers = json) =>
  Buffer.concat([
    Buffer.from(`${head(status, headers)}content-length: ${Buffer.byteLength(text)}\r\n\r\n`),
    Buffer.from(text),
  ]);

const object = (name: string, resourceVersion = '1', more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'x', uid: name, resourceVersion, ...more },
});
const list = (items: readonly unknown[], metadata: object = { resourceVersion: '1' }) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMapList', metadata, items });
const event = (type: string, of: unknown) => `${JSON.stringify({ type, object: of })}\n`;
const bookmark = (resourceVersion: string, isEnd = false) =>
  event('BOOKMARK', {
    metadata: { resourceVersion, ...(isEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }) },
  });
const isWatch = ({ query }: HostileRequest) => query.has('watch');
const isList = (request: HostileRequest) => isWatch(request) && request.query.has('sendInitialEvents');

/** A behaviour of watches; everything else is answered as a server would that has nothing. */
const watching =
  (watch: (socket: Socket, request: HostileRequest, random: () => number) => void): Behaviour =>
  (socket, request, random) => {
    if (!isWatch(request)) socket.write(whole(list([])));
    else watch(socket, request, random);
  };

const firstList = `${chunked}${chunk(event('ADDED', object('first')))}${chunk(bookmark('1', true))}${end}`;

/** The first list goes well; then the watch does this. */
const afterList =
  (lines: (request: HostileRequest, random: () => number) => string, isEnd = true): Behaviour =>
  (socket, request, random) => {
    if (!isWatch(request)) socket.write(whole(list([])));
    else if (isList(request)) socket.write(firstList);
    else
      socket.write(Buffer.concat([Buffer.from(chunked), chunk(lines(request, random)), Buffer.from(isEnd ? end : '')]));
  };

export const behaviours: Readonly<Record<string, Behaviour>> = {
  'closes at once': (socket) => void socket.destroy(),
  'never answers': () => {},
  'resets the connection': (socket) => void socket.resetAndDestroy(),
  'half closes': (socket) => void socket.end(),
  'sends half a status line': (socket) => void socket.end('HTTP/1.1 2'),
  'sends half of its headers': (socket) => void socket.write(`${head()}x-half: `),
  'is no HTTP': (socket, { text }) => void socket.end(`SSH-2.0-OpenSSH you sent ${text}\r\n`),
  'is HTTP/2': (socket) => void socket.end(Buffer.from([0, 0, 18, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])),
  'sends NUL bytes': (socket) => void socket.end(Buffer.alloc(100_000)),
  'sends NUL in a header': (socket) => void socket.end(`${head('200 OK', 'x: \0\r\n')}\r\n`),
  'has endless headers': (socket) => {
    socket.write(head());
    pour(socket, () => 'x-more: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(100));
  },
  'has one huge header': (socket) => void socket.end(`${head('200 OK', `x: ${'y'.repeat(1_000_000)}\r\n`)}\r\n`),
  'continues without end': (socket) => pour(socket, () => 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)),
  'hints early without end': (socket) =>
    drip(socket, Array(1e6).fill('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')),
  'switches protocols': (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\nhello'),
  'has an endless body': (socket) => {
    socket.write(`${head()}\r\n`);
    pour(socket, () => 'x'.repeat(64 * 1024));
  },
  'has endless chunks': (socket) => {
    socket.write(chunked);
    pour(socket, () => chunk('{"a":"'.repeat(10_000)));
  },
  'has endless chunks of one byte': (socket) => {
    socket.write(chunked);
    pour(socket, () => '1\r\nx\r\n'.repeat(2000));
  },
  'has an endless failure': (socket) => {
    socket.write(`${head('502 Bad Gateway', 'content-type: text/html\r\n')}\r\n`);
    pour(socket, () => 'x'.repeat(64 * 1024));
  },
  'refuses without end': (socket) => {
    socket.write(`${head('401 Unauthorized')}\r\n`);
    pour(socket, () => 'x'.repeat(64 * 1024));
  },
  'announces what it does not send': (socket) => void socket.end(`${head()}content-length: 1000\r\n\r\n{"a":`),
  'announces more than there is room for': (socket) =>
    void socket.write(`${head()}content-length: 99999999999999\r\n\r\n{`),
  'has two lengths': (socket) => void socket.end(`${head()}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`),
  'has a negative length': (socket) => void socket.end(`${head()}content-length: -1\r\n\r\n{}`),
  'sends more than it announced': (socket) => void socket.write(`${head()}content-length: 2\r\n\r\n{}{}{}`),
  drips: (socket) => {
    socket.write(chunked);
    drip(socket, Array(1e6).fill(chunk('x')));
  },
  'has chunks that are none': (socket) => void socket.end(`${chunked}zz\r\nx\r\n`),
  'cuts a chunk': (socket) => void socket.end(`${chunked}ff\r\nx`),
  'packs a bomb': (socket) => void socket.write(whole(bomb, '200 OK', `${json}content-encoding: gzip\r\n`)),
  'packs a failure': (socket) => void socket.write(whole(bomb, '500 Oops', `${json}content-encoding: gzip\r\n`)),
  'packs by an unknown method': (socket) => void socket.write(whole('x', '200 OK', `${json}content-encoding: zz\r\n`)),
  'redirects to itself': (socket, { path }) => void socket.write(whole('', '302 Found', `location: ${path}\r\n`)),
  'redirects elsewhere': (socket) => void socket.write(whole('', '307 Moved', 'location: http://127.0.0.1:1/\r\n')),
  'is always busy': (socket) => void socket.write(whole('{}', '429 Busy', `${json}retry-after: 0\r\n`)),
  'is busy for a year': (socket) => void socket.write(whole('{}', '503 Busy', `${json}retry-after: 31536000\r\n`)),
  'says when in riddles': (socket) => void socket.write(whole('{}', '429 Busy', `${json}retry-after: -1e9\r\n`)),
  'has a status that is none': (socket) => void socket.write(whole('{}', '999 What')),
  'says no content': (socket) => void socket.write(`HTTP/1.1 204 No Content\r\n\r\n`),
  'quotes our request': (socket, { text }) =>
    void socket.write(whole(text, '502 Bad Gateway', 'content-type: text/html\r\n')),
  'quotes our request as an object': (socket, { text }) => void socket.write(whole(text)),
  'quotes our request as a Status': (socket, { text }) =>
    void socket.write(
      whole(JSON.stringify({ kind: 'Status', code: 403, message: text, reason: text }), '403 Forbidden'),
    ),
  'quotes our request as a warning': (socket, { text }) =>
    void socket.write(
      whole(JSON.stringify(object('a')), '200 OK', `${json}warning: 299 - "${text.replace(/[\r\n"]/g, ' ')}"\r\n`),
    ),
  'has a Status of wrong types': (socket) =>
    void socket.write(
      whole('{"kind":"Status","code":"x","message":{},"reason":[],"details":{"causes":"x"}}', '409 Conflict'),
    ),
  'has a Status that is large': (socket) =>
    void socket.write(whole(JSON.stringify({ kind: 'Status', message: 'x'.repeat(900_000) }), '500 Oops')),
  'answers with HTML': (socket) => void socket.write(whole('<html>', '200 OK', 'content-type: text/html\r\n')),
  'answers with protobuf': (socket) =>
    void socket.write(whole('k8s\0\x0a', '200 OK', 'content-type: application/vnd.kubernetes.protobuf\r\n')),
  'answers with nothing': (socket) => void socket.write(whole('')),
  'answers with null': (socket) => void socket.write(whole('null')),
  'answers with a number': (socket) => void socket.write(whole('1e999')),
  'answers with an array': (socket) => void socket.write(whole('[]')),
  'answers with half a JSON': (socket) => void socket.write(whole('{"metadata":{"name":"a"')),
  'answers with invalid UTF-8': (socket) =>
    void socket.write(
      whole(Buffer.concat([Buffer.from('{"metadata":{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}}')])),
    ),
  'nests without end': (socket) => void socket.write(whole('[{"a":'.repeat(100_000))),
  'nests deeply': (socket, _, random) => {
    const depth = 5000 + Math.floor(random() * 50_000);
    const deep = `{"metadata":{"name":"a","resourceVersion":"1"},"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    socket.write(whole(deep));
  },
  'names a prototype': (socket) =>
    void socket.write(
      whole('{"metadata":{"name":"__proto__","resourceVersion":"1","__proto__":{"x":1}},"__proto__":{"y":1}}'),
    ),
  'lists without end': (socket, request) => {
    if (isWatch(request)) socket.write(whole('{}', '422 No'));
    else
      socket.write(
        whole(list([object(`n${request.number}`)], { resourceVersion: '1', continue: `c${request.number}` })),
      );
  },
  'lists nothing without end': (socket, request) => {
    if (isWatch(request)) socket.write(whole('{}', '422 No'));
    else socket.write(whole(list([], { resourceVersion: '1', continue: `c${request.number}` })));
  },
  'lists in circles': (socket, request) => {
    if (isWatch(request)) socket.write(whole('{}', '422 No'));
    else socket.write(whole(list([object('a')], { resourceVersion: '1', continue: `c${request.number % 3}` })));
  },
  'lists what is no object': (socket, request) => {
    if (isWatch(request)) socket.write(whole('{}', '422 No'));
    else socket.write(whole(list([null, 1, 'x', {}, { metadata: 1 }])));
  },
  'lists the same twice': (socket, request) => {
    if (isList(request)) socket.write(whole('{}', '422 No'));
    else if (isWatch(request)) socket.write(chunked);
    else socket.write(whole(list([object('a', '1'), object('a', '2'), object('a', '1')])));
  },
  'ends each watch after a bookmark': afterList(({ number }) => bookmark(String(number + 2))),
  'ends each watch after an event': afterList(({ number }) => event('MODIFIED', object('a', String(number + 2)))),
  'ends each watch after the same event': afterList(() => event('MODIFIED', object('a', '2'))),
  'ends each watch after garbage and an event': afterList(
    ({ number }) => `x\n${event('ADDED', object('a', `${number + 2}`))}`,
  ),
  'ends each watch at once': afterList(() => '\n'),
  'forgets at once': afterList(() => event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })),
  'fails each watch without a word': afterList(() => event('ERROR', null)),
  'never ends its list': watching((socket) => {
    socket.write(chunked);
    drip(
      socket,
      Array.from({ length: 1000 }, (_, i) => chunk(event('ADDED', object(`n${i}`)))),
    );
  }),
  'ends its list in the past': afterList(() => bookmark('0'), false),
  'goes back in time': afterList(
    ({ number }) => [5, 3, 1].map((back) => event('MODIFIED', object('a', String(number + back)))).join(''),
    false,
  ),
  'counts in words': afterList(
    () => event('ADDED', object('a', 'newest')) + event('MODIFIED', object('a', '-1')),
    false,
  ),
  'deletes what never was': afterList(() => event('DELETED', object('ghost', '9')), false),
  'changes who an object is': afterList(
    () => event('ADDED', object('a', '2')) + event('MODIFIED', object('a', '3', { uid: 'other' })),
    false,
  ),
  'sends objects without metadata': afterList(
    () =>
      ['{}', 'null', '{"metadata":null}', '{"metadata":{"name":1}}']
        .map((each) => `{"type":"ADDED","object":${each}}\n`)
        .join(''),
    false,
  ),
  'sends types that nobody knows': afterList(
    ({ text }) => `${event(text, object('a'))}${event('', {})}{"type":1}\n`,
    false,
  ),
  'sends garbage lines without end': (socket, request) => {
    if (!isWatch(request)) socket.write(whole(list([])));
    else if (isList(request)) socket.write(firstList);
    else {
      socket.write(chunked);
      pour(socket, () => chunk(`${'garbage\n'.repeat(500)}${'x'.repeat(request.number % 50)}\n`));
    }
  },
  'sends a line without end': watching((socket) => {
    socket.write(chunked);
    pour(socket, () => chunk('x'.repeat(64 * 1024)));
  }),
  'sends empty lines without end': watching((socket) => {
    socket.write(chunked);
    pour(socket, () => chunk('\n'.repeat(4096)));
  }),
  'sends bookmarks without end': watching((socket) => {
    socket.write(chunked);
    pour(socket, () => chunk(bookmark('1').repeat(50)));
  }),
  'does something else each time': (socket, request, random) => {
    const all = Object.values(behaviours);
    all[Math.floor(random() * (all.length - 1))]?.(socket, request, random);
  },
};

const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
