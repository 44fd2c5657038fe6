/** Leader election among real processes, on any server. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isAlreadyExists, isApiError, isConflict, isInvalid, type Transport } from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { ConfigMap } from '@keelson/core/v1';
import { type Client, connect, createClient, createInformer } from '../../src/index.ts';
import { runInformer } from '../run-informer.ts';
import { until } from '../until.ts';
import type { Offer, Server } from './server.ts';

const isRefused = (error: unknown) => isConflict(error) || isInvalid(error);
const candidate = fileURLToPath(new URL('./candidate.ts', import.meta.url));

const patiently = { timeoutMs: 300_000 };

/** Whether all of these come among those, in their order. */
function isWithin(these: readonly string[], those: readonly string[]): boolean {
  let at = -1;
  return these.every((each) => {
    at = those.indexOf(each, at + 1);
    return at !== -1;
  });
}

export function describeLeaderElection(offer: Offer): void {
  describe(`leader election on ${offer.name}`, { skip: offer.skip }, () => {
    let server: Server;
    let transport: Transport;
    let client: Client;

    before(async () => {
      server = await offer.start();
      transport = connect(server.config);
      client = createClient({ transport, fieldManager: 'test' });
    });

    after(async () => {
      await transport?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    test('of three processes one writes at a time, also after the leader was stopped past its lease and goes on', async () => {
      await client.create(ConfigMap, { metadata: { name: 'written', namespace: 'default' }, data: {} });

      /** Who wrote, in the server's order; the same name twice in a row is one entry. */
      const writers: string[] = [];
      let writes = 0;
      const informer = createInformer(client, ConfigMap, { namespace: 'default', fields: 'metadata.name=written' });
      informer.subscribe(({ object }) => {
        const by = object.data?.by;
        if (by === undefined) return;
        writes += 1;
        if (writers.at(-1) !== by) writers.push(by);
      });
      await using _running = runInformer(informer);
      /** Who was elected, in order. */
      const terms: string[] = [];
      const leases = createInformer(client, Lease, { namespace: 'default', fields: 'metadata.name=candidates' });
      leases.subscribe(({ object: { spec } }) => {
        if (spec.holderIdentity && terms.at(-1) !== spec.holderIdentity) terms.push(spec.holderIdentity);
      });
      await using _electing = runInformer(leases);

      const folder = await mkdtemp(join(tmpdir(), 'keelson-election-'));
      const file = join(folder, 'written');
      const replicas = new Map<string, ChildProcess>();
      for (const identity of ['one', 'two', 'three']) {
        replicas.set(
          identity,
          spawn(process.execPath, [candidate, server.kubeconfig, identity, String(offer.leaseMs), file], {
            stdio: 'inherit',
          }),
        );
      }
      try {
        await until(() => writes > 20, patiently);
        const stopped = writers.at(-1) ?? '';
        replicas.get(stopped)?.kill('SIGSTOP');
        await until(() => writers.at(-1) !== stopped, { ...patiently, what: 'another leader' });
        replicas.get(stopped)?.kill('SIGCONT');
        const before = writes;
        await until(() => writes > before + 100, patiently);
        const wrote = [...writers];
        const lines = (await readFile(file, 'utf8')).trim().split('\n');
        const turns = lines.filter((identity, index) => identity !== lines[index - 1]);
        const lease = await client.get(Lease, 'default/candidates');
        // The two watches are not in step: that of the Lease has told of every term by then once it has told of this.
        await until(() => Number(leases.store.resourceVersion) >= Number(lease.metadata.resourceVersion), patiently);
        // Two, unless this machine is so busy that a leader loses its lease; who is not elected writes in no case, not
        // even in the moment in which it goes on.
        assert.ok(isWithin(wrote, terms), `${wrote} wrote, and ${terms} were elected`);
        assert.ok(isWithin(turns, terms), `${turns} meant to write, and ${terms} were elected`);
        assert.ok((lease.spec.leaseTransitions ?? 0) >= 1);

        // Each that is told to stop gives the lease back, until only the one is left that was stopped.
        for (const identity of replicas.keys()) if (identity !== stopped) replicas.get(identity)?.kill('SIGTERM');
        await until(() => writers.at(-1) === stopped, {
          ...patiently,
          what: 'another term of the one that was stopped',
        });
      } finally {
        await Promise.all(
          [...replicas.values()].map(async (replica) => {
            if (replica.exitCode !== null) return;
            const exited = once(replica, 'exit');
            replica.kill('SIGKILL');
            await exited;
          }),
        );
        await rm(folder, { recursive: true });
      }
    });

    test('a write that arrives after its term changes nothing, if it says which object or state it was meant for', async () => {
      const metadata = { name: 'kept', namespace: 'default' };
      const key = 'default/kept';
      const seen = await client.create(ConfigMap, { metadata, data: { by: 'the former leader' } });
      const { uid, resourceVersion } = seen.metadata;
      const data = { by: 'a late write' };
      const writes: readonly (() => Promise<unknown>)[] = [
        () => client.update(ConfigMap, { ...seen, data }),
        () => client.update(ConfigMap, { metadata: { ...metadata, uid }, data }),
        () => client.patch(ConfigMap, key, { metadata: { uid }, data }),
        () => client.patch(ConfigMap, key, { metadata: { resourceVersion }, data }),
        () => client.patch(ConfigMap, key, { metadata: { uid }, data }, { type: 'strategic' }),
        () => client.apply(ConfigMap, { metadata: { ...metadata, uid }, data }, { force: true }),
        () => client.delete(ConfigMap, key, { preconditions: { uid } }),
        () => client.delete(ConfigMap, key, { preconditions: { resourceVersion } }),
      ];

      await client.delete(ConfigMap, key);
      const successor = await client.create(ConfigMap, { metadata, data: { by: 'the leader' } });
      // A Conflict mostly; a patch with another uid is Invalid, since that field is immutable.
      for (const write of writes) await assert.rejects(write, isRefused, String(write));
      await assert.rejects(client.create(ConfigMap, { metadata, data }), isAlreadyExists);
      assert.deepEqual(await client.get(ConfigMap, key), successor);

      await client.delete(ConfigMap, key);
      for (const write of writes) await assert.rejects(write, isApiError, String(write));
      assert.equal(await client.find(ConfigMap, key), undefined, 'nor does it come back');
    });
  });
}
