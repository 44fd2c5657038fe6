import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { test } from 'node:test';
import type { Listening } from '@keelson/apiserver';
import type { Transport } from '@keelson/core';
import { startServer, Talk } from '../fixtures.ts';
import { heldBytes, soak } from '../soak.ts';

/** Connections that stay open, with the certificate of the kubeconfig. */
function httpsTransport({ url, kubeconfig, certificateAuthority: ca }: Listening): Transport {
  const read = (name: string) =>
    Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString();
  const agent = new Agent({ keepAlive: true, ca, cert: read('client-certificate-data'), key: read('client-key-data') });
  return {
    async request({ method, path, headers, body, signal }) {
      const asked = request(`${url}${path}`, { method, headers, agent, ...(signal !== undefined && { signal }) });
      asked.end(body);
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      asked.on('error', () => {}); // a watch that is left
      return { status: answer.statusCode ?? 0, headers: answer.headers as Record<string, string>, body: answer };
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
    },
  };
}

test('an hour of changes over HTTPS leaves no more in memory than twenty minutes of them', async (t) => {
  await using started = startServer();
  const { server, clock } = started;
  await using door = await server.listen();
  await using transport = httpsTransport(door);
  const talk = new Talk(transport);
  const pass = async () => clock.advance(1000);
  await soak(talk, { rounds: 1200, pass });
  const before = heldBytes();
  await soak(talk, { rounds: 2400, pass });
  const grown = heldBytes() - before;
  t.diagnostic(
    `${Math.round(before / 1000)} kB are held after 20 minutes, ${Math.round(grown / 1000)} kB more after 60`,
  );
  assert.ok(grown < 5_000_000, `${Math.round(grown / 1000)} kB more are held`);
});
