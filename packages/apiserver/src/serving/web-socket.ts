/** A connection that becomes a WebSocket, by the handshake of RFC 6455. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { MessageSocket, Upgrade } from '../request/exchange.ts';

/** Of one message. */
const maxMessageBytes = 2 ** 20;

/** Answers the handshake, and hands the socket over. Whoever answers with an upgrade has seen that the caller offers the protocol. */
export async function openWebSocket(
  { protocol, open }: Upgrade,
  { request, socket, head }: { readonly request: IncomingMessage; readonly socket: Socket; readonly head: Buffer },
): Promise<void> {
  // Loaded late: most servers are never asked.
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  // The protocol is chosen already, and ws would refuse kubectl's: a slash may not be in its name.
  delete request.headers['sec-websocket-protocol'];
  server.on('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  server.handleUpgrade(request, socket, head, (webSocket) => {
    const made: MessageSocket = {
      send: (bytes) => {
        if (webSocket.readyState === webSocket.OPEN) webSocket.send(bytes);
      },
      onMessage: (listener) => {
        webSocket.on('message', (data) => listener(data as Buffer));
      },
      onClose: (listener) => {
        webSocket.once('close', listener);
      },
      pause: () => webSocket.pause(),
      resume: () => webSocket.resume(),
      get pending() {
        return webSocket.bufferedAmount;
      },
      close: () => webSocket.close(1000),
      abort: () => webSocket.terminate(),
    };
    webSocket.on('error', () => webSocket.terminate());
    open(made);
  });
}
