/**
 * What is said over the WebSocket of a session: each message is the number of a stream, and bytes of it.
 *
 * Promises: holds little of what nobody takes. A caller that says more than the process reads has to wait; one that does
 * not read what the process writes is let go.
 */
import type { SessionStreams } from '../container-sessions.ts';
import type { MessageSocket } from '../request/exchange.ts';
import { Incoming, maxUntakenBytes } from '../request/incoming.ts';
import { internalError } from '../status.ts';

/** The numbers of the streams, each message's first byte. */
const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, closing: 255 } as const;

export async function converse(
  socket: MessageSocket,
  run: (io: SessionStreams) => Promise<number>,
  wants: (stream: string) => boolean,
): Promise<void> {
  const left = new AbortController();
  const stdin = new Incoming(socket);
  socket.onMessage((message) => {
    const [number, first] = message;
    if (number === channel.stdin && wants('stdin')) stdin.push(message.subarray(1));
    else if (number === channel.closing && first === channel.stdin) stdin.end();
  });
  socket.onClose(() => {
    stdin.end();
    left.abort(new Error('the caller left'));
  });
  if (!wants('stdin')) stdin.end();
  const writer = (stream: 'stdout' | 'stderr') => ({
    write: (text: string | Uint8Array) => {
      if (!wants(stream)) return;
      if (socket.pending > maxUntakenBytes) socket.abort();
      else socket.send(Buffer.concat([Buffer.of(channel[stream]), Buffer.from(text)]));
    },
  });
  // An empty message tells that the session has begun.
  socket.send(Buffer.of(wants('stdout') ? channel.stdout : wants('stderr') ? channel.stderr : channel.status));
  const io = { stdin, stdout: writer('stdout'), stderr: writer('stderr'), signal: left.signal };
  const status = await run(io).then(ended, failed);
  stdin.end();
  socket.send(Buffer.concat([Buffer.of(channel.status), Buffer.from(JSON.stringify(status))]));
  socket.close();
}

function ended(exitCode: number): unknown {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

const failed = (error: unknown): unknown =>
  internalError(`error executing command in container: ${error instanceof Error ? error.message : String(error)}`)
    .status;
