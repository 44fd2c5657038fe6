/**
 * Port-forward: a WebSocket over which connections to the ports of a pod go, in the two ways that clients speak.
 *
 * kubectl puts SPDY into it, with two streams for each connection: one for its bytes, and one for what went wrong. Older
 * clients name the ports beforehand, and get one connection to each; the first byte of a message is the number of a channel,
 * two for each port.
 */
import type { PortConnection } from '../pod-ports.ts';
import type { ApiResponse, MessageSocket } from '../request/exchange.ts';
import { Incoming, maxUntakenBytes, sharing } from '../request/incoming.ts';
import type { SpdyStream, serveSpdy } from '../spdy/connection.ts';
import { badRequest, notImplemented } from '../status.ts';
import type { Call } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { sessionTarget, upgradeOf } from './session.ts';

const tunnel = 'SPDY/3.1+portforward.k8s.io';
const channels = 'v4.channel.k8s.io';

type Connect = (connection: PortConnection) => Promise<void>;

export async function portForward(context: Context, call: Call): Promise<ApiResponse> {
  const { pod, node } = sessionTarget(context, call, () => '');
  const found = context.ports?.({ node, pod }) ?? { type: 'unreachable' };
  switch (found.type) {
    case 'unreachable':
      throw notImplemented(`asking the node ${JSON.stringify(node)} for port-forward`);
    case 'unanswered':
      throw notImplemented(found.what);
    case 'refused':
      throw badRequest(found.message);
    case 'ports': {
      const protocol = upgradeOf(call.request, 'port-forward', [tunnel, channels]);
      const { name, uid } = pod.metadata;
      const told: Connect = (connection) =>
        found.connect(connection).catch((error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          throw new Error(`error forwarding port ${connection.port} to pod ${name}, uid ${uid}: ${why}`);
        });
      const ports = protocol === channels ? portsOf(call.request.query) : [];
      // Loaded late: most servers are never asked.
      const spdy = protocol === tunnel ? await import('../spdy/connection.ts') : undefined;
      const open = (socket: MessageSocket) =>
        spdy ? tunnelled(socket, told, spdy.serveSpdy) : void channelled(socket, ports, told);
      return { status: 101, headers: {}, body: [], upgrade: { protocol, open } };
    }
    default:
      return found satisfies never;
  }
}

/** Two streams with the same request belong together; the one for errors comes first. */
function tunnelled(socket: MessageSocket, connect: Connect, serve: typeof serveSpdy): void {
  const errors = new Map<string, SpdyStream>();
  serve(socket, (stream) => {
    const request = stream.headers.get('requestid') ?? '';
    if (stream.headers.get('streamtype') === 'error') {
      errors.set(request, stream);
      return;
    }
    const failure = errors.get(request);
    errors.delete(request);
    const { input, signal } = stream;
    const output = { write: (text: string | Uint8Array) => stream.write(Buffer.from(text)) };
    const port = Number(stream.headers.get('port'));
    void connect({ port, input, output, signal })
      .catch((error: Error) => failure?.write(Buffer.from(error.message)))
      .finally(() => {
        stream.end();
        failure?.end();
      });
  });
}

function portsOf(query: URLSearchParams): readonly number[] {
  const texts = query.getAll('ports').flatMap((each) => each.split(','));
  if (texts.length === 0) throw badRequest('you must specify at least 1 port');
  return texts.map((text) => {
    const port = Number(text);
    if (!/^\d+$/.test(text) || port < 1 || port > 65535)
      throw badRequest(`unable to parse ${JSON.stringify(text)} as a port`);
    return port;
  });
}

async function channelled(socket: MessageSocket, ports: readonly number[], connect: Connect): Promise<void> {
  const left = new AbortController();
  const share = sharing(socket);
  const inputs = ports.map(() => new Incoming(share()));
  const send = (channel: number, bytes: Uint8Array) => {
    if (socket.pending > maxUntakenBytes) socket.abort();
    else socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  };
  socket.onMessage((message) => {
    const [channel = 0] = message;
    if (channel % 2 === 0) inputs[channel / 2]?.push(message.subarray(1));
  });
  socket.onClose(() => {
    for (const input of inputs) input.end();
    left.abort(new Error('the caller left'));
  });
  // Each channel begins with the port that it is for.
  for (const [index, port] of ports.entries()) {
    for (const channel of [2 * index, 2 * index + 1]) send(channel, Buffer.of(port & 0xff, port >> 8));
  }
  const connections = inputs.map(async (input, index) => {
    const output = { write: (text: string | Uint8Array) => send(2 * index, Buffer.from(text)) };
    try {
      await connect({ port: ports[index] ?? 0, input, output, signal: left.signal });
    } catch (error) {
      send(2 * index + 1, Buffer.from((error as Error).message));
    } finally {
      input.end();
    }
  });
  await Promise.all(connections);
  socket.close();
}
