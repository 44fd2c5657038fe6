/**
 * Exec and attach: a WebSocket over which the streams of a process in a container go, in the protocol that kubectl speaks.
 *
 * Promises: who may only `get` may not do it: a session writes, so that it needs `create` as well. What was run ends with
 * a `Status` that has its exit code.
 * Does not: speak SPDY, which older clients do.
 */
import type { Pod } from '@keelson/core/v1';
import { admitPosted } from '../admit/admit-posted.ts';
import { attributesOf } from '../authorise/attributes.ts';
import { type ApiObject, readAs } from '../object.ts';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { isTrue } from '../request/request-info.ts';
import { isPrivileged } from '../request/user.ts';
import { keyIn } from '../resource/resource.ts';
import { badRequest, forbidden, notFound, notImplemented } from '../status.ts';
import { type Call, writeOf } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { containerIn } from './container-in.ts';
import { converse } from './conversation.ts';

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

export async function session(context: Context, call: Call, type: 'exec' | 'attach'): Promise<ApiResponse> {
  const { query } = call.request;
  await admitConnection(context, call, type);
  const { pod, node, container } = sessionTarget(context, call, (of) => containerIn(of, query.get('container') ?? ''));
  const wants = (stream: string) => isTrue(query.get(stream));
  if (!['stdin', 'stdout', 'stderr'].some(wants))
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  const protocol = upgradeOf(call.request, type, protocols);
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
        upgrade: { protocol, open: (socket) => void converse(socket, found.run, wants) },
      };
    default:
      return found satisfies never;
  }
}

/** The protocol that the WebSocket will speak; who asks for no WebSocket, or offers none of the protocols, is refused. */
export function upgradeOf({ headers }: ApiRequest, what: string, protocols: readonly string[]): string {
  const upgrade = headers.upgrade?.toLowerCase() ?? '';
  if (upgrade === '') throw badRequest('Upgrade request required');
  if (upgrade !== 'websocket') throw notImplemented(`${what} by ${headers.upgrade}, other than by a WebSocket,`);
  // Ahead of the handshake, which takes for granted that one is spoken.
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
  const spoken = protocols.find((each) => offered.includes(each));
  if (spoken === undefined) throw badRequest(`none of the WebSocket protocols ${protocols.join(', ')} is offered`);
  return spoken;
}

/** To admitters a session is an object of its options, which has no metadata. */
async function admitConnection(context: Context, call: Call, type: 'exec' | 'attach'): Promise<void> {
  const { query } = call.request;
  const flags = ['stdin', 'stdout', 'stderr', 'tty'].filter((each) => isTrue(query.get(each)));
  const [container, command] = [query.get('container') ?? '', query.getAll('command')];
  const options = {
    kind: type === 'exec' ? 'PodExecOptions' : 'PodAttachOptions',
    apiVersion: 'v1',
    ...Object.fromEntries(flags.map((each) => [each, true])),
    ...(container !== '' && { container }),
    ...(type === 'exec' && { command: command.length === 0 ? null : command }),
  };
  const write = writeOf(call, { dryRun: false, given: {} });
  await admitPosted(context, write, options as unknown as ApiObject, 'CONNECT');
}

/** Whom the caller may speak to: the pod, its node, and the container that is meant. */
export function sessionTarget(context: Context, call: Call, choose: (pod: Pod) => string) {
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
