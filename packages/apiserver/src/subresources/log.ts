/**
 * GET of a container's log. The log is the node's, and the server has it from there; what it decides itself is which
 * container is meant, and whether the options make sense.
 */

import { type Clock, sleep } from '@keelson/core';
import type { Pod } from '@keelson/core/v1';
import { forbiddenField, invalidValue, type Problem } from '@keelson/schema/validation';
import type { ContainerLogOptions } from '../container-logs.ts';
import { optionalInteger } from '../decode/options.ts';
import { acceptClauses } from '../encode/negotiate.ts';
import { readAs } from '../object.ts';
import type { ApiResponse, Sink } from '../request/exchange.ts';
import { isTrue } from '../request/request-info.ts';
import { keyIn } from '../resource/resource.ts';
import { badRequest, invalid, notFound, notImplemented, StatusError } from '../status.ts';
import type { Call } from '../verbs/call.ts';
import type { Context } from '../verbs/context.ts';
import { containerIn } from './container-in.ts';

const uncached = { 'cache-control': 'no-cache, private' };

export function log(context: Context, call: Call): ApiResponse {
  const { request, namespace, name } = call;
  assertAcceptable(request.headers.accept);
  const options = logOptions(request.query, name);
  const existing = context.store.collection('pods').get(keyIn(namespace, name));
  if (existing === undefined) throw notFound({ group: '', name: 'pods' }, name);
  const pod = readAs<Pod>(existing.object);
  const container = containerIn(pod, request.query.get('container') ?? '');
  const node = pod.spec.nodeName ?? '';
  if (node === '') return { status: 204, headers: uncached, body: [] };
  // The real server looks for the node in the name of the pod's resource, and its refusal says so.
  if (context.store.collection('nodes').get(node) === undefined) throw notFound({ group: '', name: 'pods' }, node);

  const left = new AbortController();
  const found = context.logs?.({ ...options, node, pod, container, signal: left.signal }) ?? { type: 'unreachable' };
  switch (found.type) {
    case 'unreachable':
      throw notImplemented(`asking the node ${JSON.stringify(node)} for a log`);
    case 'refused':
      throw badRequest(found.message);
    case 'log':
      return {
        status: 200,
        headers: { 'content-type': 'text/plain', ...uncached },
        body: (sink) => {
          pass(found.bytes, sink, context.clock, left.signal).catch(() => sink.end()); // a log that breaks off ends here, as over a real connection
          return { [Symbol.dispose]: () => left.abort(new Error('the reader left')) };
        },
      };
    default:
      return found satisfies never;
  }
}

/** Bytes that may wait for the reader before the node is asked for more. */
const maxPendingBytes = 1024 * 1024;
/** A sink does not say when it has been emptied, so that has to be looked for. */
const lookMs = 20;

/** As fast as the reader takes it, so that a slow one costs no memory; rejects when the reader leaves while it is waited for. */
export async function pass(
  bytes: AsyncIterable<Uint8Array>,
  sink: Sink,
  clock: Clock,
  left: AbortSignal,
): Promise<void> {
  for await (const chunk of bytes) {
    sink.write(Buffer.from(chunk));
    while (sink.pending > maxPendingBytes) await sleep(clock, lookMs, left);
  }
  sink.end();
}

const representations = ['text/plain', 'application/json', 'application/yaml'];

/** The log is plain text, whatever else was asked for; but it must have been something that there is at all. */
function assertAcceptable(accept = '*/*'): void {
  const has = (mediaType: string) =>
    representations.some(
      (each) => mediaType === '*/*' || mediaType === `${each.split('/')[0]}/*` || mediaType === each,
    );
  if (acceptClauses(accept).some(({ mediaType }) => has(mediaType))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${representations.join(', ')}`;
  throw new StatusError(406, 'NotAcceptable', message, {});
}

function logOptions(query: URLSearchParams, name: string): ContainerLogOptions {
  const options = {
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    tailLines: optionalInteger(query, 'tailLines'),
    limitBytes: optionalInteger(query, 'limitBytes'),
    sinceSeconds: optionalInteger(query, 'sinceSeconds'),
    sinceTime: time(query.get('sinceTime')),
  };
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  const causes: Problem[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    causes.push(invalidValue('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    causes.push(invalidValue('limitBytes', limitBytes, 'must be greater than 0'));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    causes.push(forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    causes.push(invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (query.has('stream')) causes.push(forbiddenField('stream', 'may not be specified'));
  if (causes.length > 0) throw invalid({ group: '', name: 'PodLogOptions' }, name, causes);
  return options;
}

function time(text: string | null): string | undefined {
  if (text === null || text === '') return undefined;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return text;
  const quoted = JSON.stringify(text);
  throw badRequest(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
}
