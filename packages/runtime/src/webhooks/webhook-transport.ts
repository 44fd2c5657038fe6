/** The way to an operator's webhooks within a process: no sockets, no certificates, the clock of both sides. */
import type { Transport } from '@keelson/core';
import type { WebhookHandler } from './webhook-handler.ts';

export function webhookTransport(handler: WebhookHandler): Transport {
  return {
    async request({ method, path, headers, body = '', signal }) {
      signal?.throwIfAborted();
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      const answer = await handler({ method, path, contentType: headers['content-type'], body: bytes, signal });
      return {
        status: answer.status,
        headers: { 'content-type': answer.contentType },
        body: (async function* () {
          yield Buffer.from(answer.body);
        })(),
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}
