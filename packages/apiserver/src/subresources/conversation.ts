/**
 * What is said over the WebSocket of a session: each message is the number of a stream, and bytes of it.
 *
 * Promises: holds little of what nobody takes. A caller that says more than the process reads has to wait; one that does
 * not read what the process writes is let go.
 */
import type { SessionStreams } from '../container-sessions.ts';
import type { MessageSocket } from '../request/exchange.ts';
import { internalError } from '../status.ts';

/** The numbers of the streams, each message's first byte. */
const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, closing: 255 } as const;

/** So much is kept of what the process has not read yet, and one message more. */
export const maxUnreadBytes = 2 ** 20;
/** So much is kept of what the caller has not taken yet, and one message more. */
export const maxUntakenBytes = 2 ** 24;

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

/** What has come and was not taken yet. Only one takes. */
class Incoming implements AsyncIterable<Uint8Array> {
  readonly #source: Pick<MessageSocket, 'pause' | 'resume'>;
  readonly #chunks: Uint8Array[] = [];
  #unreadBytes = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(source: Pick<MessageSocket, 'pause' | 'resume'>) {
    this.#source = source;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver || chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > maxUnreadBytes) this.#source.pause();
    this.#wake?.();
  }

  /** Nothing is held back any more: what else is said, such as farewell, must be heard. */
  end(): void {
    this.#isOver = true;
    this.#source.resume();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#unreadBytes -= chunk.length;
        if (this.#unreadBytes <= maxUnreadBytes) this.#source.resume();
        yield chunk;
      } else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
