/** A registry of images in the process of a test: takes blobs that are what their digest says, and manifests by tag. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackRegistry extends AsyncDisposable {
  /** Its address and port, as the name of an image begins. */
  readonly host: string;
  /** What it has: blobs and manifests by `sha256:…`, and manifests by their tag. */
  readonly content: Map<string, Buffer>;
  /** How many blobs it was sent, whole. */
  uploads: number;
  /** Whether it lists what refers to a manifest by itself, and says so. @default false */
  knowsSubjects: boolean;
  /** Called for each piece of a blob that comes; it may end the connection. */
  onPiece: (request: IncomingMessage, bytes: number) => void;
}

export async function startLoopbackRegistry(): Promise<LoopbackRegistry> {
  const content = new Map<string, Buffer>();
  const take = (request: IncomingMessage, body: Buffer): 201 | 400 => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry');
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    const isBlob = pathname === '/upload';
    if (isBlob && searchParams.get('digest') !== digest) return 400;
    if (isBlob) registry.uploads += 1;
    else content.set(pathname.split('/').at(-1) ?? '', body);
    content.set(digest, body);
    return 201;
  };
  const server = createServer((request, response) => {
    if (request.method === 'POST') return response.writeHead(202, { location: '/upload' }).end();
    if (request.method === 'PUT') {
      const pieces: Buffer[] = [];
      let bytes = 0;
      request.on('data', (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        registry.onPiece(request, bytes);
      });
      request.on('end', () => {
        const headers = registry.knowsSubjects ? { 'oci-subject': 'sha256:0' } : {};
        response.writeHead(take(request, Buffer.concat(pieces)), headers).end();
      });
      return request.on('error', () => {}); // the connection broke, as the test wanted it
    }
    const found = content.get((request.url ?? '').split('/').at(-1) ?? '');
    response.writeHead(found === undefined ? 404 : 200);
    return response.end(request.method === 'HEAD' ? undefined : found);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const registry: LoopbackRegistry = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    content,
    uploads: 0,
    knowsSubjects: false,
    onPiece() {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections(); // one that a test has stopped reading would be waited for
      server.close();
      await once(server, 'close');
    },
  };
  return registry;
}
