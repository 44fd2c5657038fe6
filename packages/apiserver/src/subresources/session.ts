/**
 * Exec and attach: a WebSocket over which the streams of a process in a container go, in the protocol that kubectl speaks.
 *
 * Promises: who may only `get` may not do it: a session writes, so that it needs `create` as well. What was run ends with
 * a `Status` that has its exit code.
 * Does not: speak SPDY, which older clients do.
 */
import type { Pod } from '@keelson/core/v1';
import { attributesOf } from '../authorise/attributes.ts';
import type { SessionStreams } from '../container-sessions.ts';
import { readAs } from '../object.ts';
import type { ApiResponse, MessageSocket } from '../request/exchange.ts';
import { isTrue } from '../request/request-info.ts';
import { isPrivileged } from '../request/user.ts';
import { keyIn } from '../resource/resource.ts';
import { badRequest, forbidden, internalError, notFound, notImplemented } from '../status.ts';
import type { Call } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { containerIn } from './container-in.ts';

/** The numbers of the streams, each message's first byte. */
const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, closing: 255 } as const;

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

export function session(context: Context, call: Call, type: 'exec' | 'attach'): ApiResponse {
  const { query, headers } = call.request;
  const { pod, node, container } = target(context, call, (of) => containerIn(of, query.get('container') ?? ''));
  const wants = (stream: string) => isTrue(query.get(stream));
  if (!['stdin', 'stdout', 'stderr'].some(wants))
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  const upgrade = headers.upgrade?.toLowerCase() ?? '';
  if (upgrade === '') throw badRequest('Upgrade request required');
  if (upgrade !== 'websocket') throw notImplemented(`${type} by ${headers.upgrade}, other than by a WebSocket,`);
  const wanted = { type, node, pod, container, command: query.getAll('command'), tty: wants('tty') };
  const found = context.sessions?.(wanted) ?? { type: 'unreachable' };
  switch (found.type) {
    case 'unreachable':
      throw notImplemented(`asking the node ${JSON.stringify(node)} for ${type}`);
    case 'refused':
      throw badRequest(found.message);
    case 'session':
      return {
        status: 101,
        headers: {},
        body: [],
        upgrade: { protocols, open: (socket) => void converse(socket, found.run, wants) },
      };
    default:
      return found satisfies never;
  }
}

/** Refused in words: nothing listens in a simulated pod, and the protocol is SPDY in a WebSocket. */
export function portForward(context: Context, call: Call): never {
  target(context, call, () => '');
  throw notImplemented('port-forward (pods of this cluster are simulated, and nothing listens in them)');
}

/** Whom the caller may speak to: the pod, its node, and the container that is meant. */
function target(context: Context, call: Call, choose: (pod: Pod) => string) {
  assertMayCreate(context, call);
  const { namespace, name } = call;
  const existing = context.store.collection('pods').get(keyIn(namespace, name));
  if (existing === undefined) throw notFound({ group: '', name: 'pods' }, name);
  const pod = readAs<Pod>(existing.object);
  const container = choose(pod);
  const node = pod.spec.nodeName ?? '';
  if (node === '') throw badRequest(`pod ${name} does not have a host assigned`);
  // The real server looks for the node in the name of the pod's resource, and its refusal says so.
  if (context.store.collection('nodes').get(node) === undefined) throw notFound({ group: '', name: 'pods' }, node);
  return { pod, node, container };
}

/** As of Kubernetes 1.35, whichever method asks; the refusal does not say what is missing. */
function assertMayCreate({ authoriser }: Context, { user, info, request }: Call): void {
  if (info.verb === 'create' || isPrivileged(user)) return;
  const wanted = { ...attributesOf(info, request.query), verb: 'create' };
  const { allowed, reason } = authoriser.decide(user, wanted);
  if (!allowed) throw forbidden({ group: '', name: 'pods' }, info.name, reason ?? '');
}

async function converse(
  socket: MessageSocket,
  run: (io: SessionStreams) => Promise<number>,
  wants: (stream: string) => boolean,
): Promise<void> {
  const left = new AbortController();
  const stdin = new Incoming();
  socket.onMessage(([number, ...bytes]) => {
    if (number === channel.stdin && wants('stdin')) stdin.push(Uint8Array.from(bytes));
    else if (number === channel.closing && bytes[0] === channel.stdin) stdin.end();
  });
  socket.onClose(() => {
    stdin.end();
    left.abort(new Error('the caller left'));
  });
  if (!wants('stdin')) stdin.end();
  const writer = (stream: 'stdout' | 'stderr') => ({
    write: (text: string | Uint8Array) => {
      if (wants(stream)) socket.send(Buffer.concat([Buffer.of(channel[stream]), Buffer.from(text)]));
    },
  });
  // An empty message tells that the session has begun.
  socket.send(Buffer.of(wants('stdout') ? channel.stdout : wants('stderr') ? channel.stderr : channel.status));
  const io = { stdin, stdout: writer('stdout'), stderr: writer('stderr'), signal: left.signal };
  const status = await run(io).then(ended, failed);
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
  readonly #chunks: Uint8Array[] = [];
  #isOver = false;
  #wake: (() => void) | undefined;

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) yield chunk;
      else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
