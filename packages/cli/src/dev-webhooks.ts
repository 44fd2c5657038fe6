/**
 * Webhooks under `keelson dev`: the cluster in this process asks the operator in the other one, over HTTPS on loopback.
 *
 * The port and the certificate stay the same for the whole session, so that a restart of the operator changes no
 * configuration.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Client } from '@keelson/client';
import { sleep, webhookNames } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { applyConfigurations, removeConfigurations, trusting, webhookAuthority } from '@keelson/runtime/outside';
import type { Loaded } from './dev-messages.ts';

const host = '127.0.0.1';

export interface DevWebhooks {
  /** For the operator's process. */
  readonly flags: readonly string[];
  /** Where the API server finds it, and whom it trusts. */
  readonly place: { readonly url: string; readonly caBundle: string };
  /** Makes the configurations those of the operator. */
  configure(client: Client, operator: Loaded): Promise<void>;
  /** Resolves when the operator answers, or has not for ten seconds. */
  answering(operator: Loaded, signal: AbortSignal): Promise<void>;
}

export async function devWebhooks(folder: string): Promise<DevWebhooks> {
  const { identity, caBundle } = webhookAuthority(host);
  const port = await freePort();
  const [cert, key] = [join(folder, 'webhook.crt'), join(folder, 'webhook.key')];
  await writeFile(cert, identity.certificate);
  await writeFile(key, identity.key, { mode: 0o600 });
  return {
    flags: ['--webhook-port', String(port), '--webhook-cert', cert, '--webhook-key', key],
    place: { url: `https://${host}:${port}`, caBundle },
    async configure(client, { name, webhooks: { mutating, validating } }) {
      await applyConfigurations(client, {
        mutating: mutating && trusting(mutating, caBundle),
        validating: validating && trusting(validating, caBundle),
      });
      const names = webhookNames({ name });
      await removeConfigurations(client, {
        mutating: mutating ? undefined : names.mutating,
        validating: validating ? undefined : names.validating,
      });
    },
    async answering({ answers }, signal) {
      for (let tries = 0; answers && tries < 200 && !signal.aborted; tries += 1) {
        if (await isOpen(port)) return;
        await sleep(systemClock, 50, signal).catch(() => {});
      }
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, host);
  const opened = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  return opened.finally(() => socket.destroy());
}
