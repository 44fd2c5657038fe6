/** Small HTTPS requests to the servers of a cluster, for asking how they are; not a Kubernetes client. */
import { request } from 'node:https';
import { type Clock, deadline } from '@keelson/core';
import type { KeyPair } from '../pki/certificates.ts';

export interface Caller {
  readonly certificateAuthority: string;
  readonly identity: KeyPair;
  readonly clock: Clock;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Rejects when there is no answer within ten seconds. With a `body`, it is a POST of JSON. */
export async function call(caller: Caller, url: string, body?: unknown): Promise<Answer> {
  using limit = deadline(caller.clock, 10_000, url);
  return await new Promise<Answer>((resolve, reject) => {
    const message = request(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        ca: caller.certificateAuthority,
        cert: caller.identity.certificate,
        key: caller.identity.key,
        agent: false,
        signal: limit.signal,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    message.on('error', reject);
    message.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Like `call`, where a server that does not answer yet is an expected state of affairs. */
export async function attempt(caller: Caller, url: string): Promise<Answer | undefined> {
  try {
    return await call(caller, url);
  } catch {
    return undefined;
  }
}
