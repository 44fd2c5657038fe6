/**
 * The embedded cluster for the suites: over HTTPS, as any other process would reach it. Its time, and that of informers
 * on it, runs fast.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster } from '@keelson/cluster';
import { systemClock } from '@keelson/core/system';
import { loadConfig, Secret } from '../../src/index.ts';
import { fastClock } from './fast-clock.ts';
import type { Offer, Server } from './server.ts';

const factor = 50;
/** Bearer tokens by user; whom they belong to is all that the server knows of them. */
const strangers = new Map([['token-of-nobody', { name: 'nobody', groups: [] }]]);

export const embeddedServer: Offer = {
  name: 'the embedded cluster',
  skip: false,
  lacks: {
    suspension: 'the server is in the process of the test',
    kubectl: 'unit tests have no kubectl; demo/test/e2e runs it on the embedded cluster',
  },
  pageSize: 50,
  leaseMs: 2000,
  start: startEmbedded,
};

async function startEmbedded(): Promise<Server> {
  const clock = fastClock(systemClock, factor);
  const cluster = createCluster({ clock, tokens: strangers });
  await cluster.ready;
  let door = await cluster.listen();
  const { port } = door;
  const folder = await mkdtemp(join(tmpdir(), 'keelson-embedded-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, door.kubeconfig);
  const config = await loadConfig({ kubeconfig });
  const cannot = (what: string) => () => {
    throw new Error(`the embedded cluster offers no ${what}`);
  };
  return {
    config,
    kubeconfig,
    async configFor(user) {
      const [token] = [...strangers].find(([, { name }]) => name === user) ?? [];
      if (token === undefined) throw new Error(`there is no token for ${user}`);
      const credentials = { type: 'token', token: new Secret(token) } as const;
      return { ...config, tls: { ...config.tls, clientCertificate: undefined }, credentials };
    },
    clock,
    async kill() {
      await door[Symbol.asyncDispose]();
    },
    async restart() {
      door = await cluster.listen({ port });
    },
    compact: async () => cluster.compact(),
    suspend: cannot('suspension'),
    resume: cannot('suspension'),
    kubectl: cannot('kubectl'),
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}
