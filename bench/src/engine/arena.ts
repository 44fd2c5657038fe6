/** Where operators are compared: one real control plane with a simulated node, and the custom resources for them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, connect, createClient, createInformer, installDefinitions, loadConfig } from '@keelson/client';
import { type Clock, conditionOf } from '@keelson/core';
import { Namespace, ServiceAccount } from '@keelson/core/v1';
import { crdOf } from '@keelson/schema';
import { type AuditEntry, auditEntries, startKubernetes } from '@keelson/tools-kubernetes';
import { startSimulatedNode } from '@keelson/tools-kubernetes/simulated-node';
import { inParallel } from '../client/population.ts';
import { temporaryFolder } from '../stage/temporary-folder.ts';
import { Cache } from '../subjects/engine/api.ts';
import { auditPolicy, operatorsGroup } from './audit.ts';

const admin = 'kubernetes-admin';
/** So that the operators are measured, and not the limits of the controllers behind them. */
const swift = [
  '--kube-api-qps=2000',
  '--kube-api-burst=4000',
  '--concurrent-deployment-syncs=20',
  '--concurrent-replicaset-syncs=20',
  '--concurrent-gc-syncs=20',
];
const parallel = 16;

export interface Arena extends AsyncDisposable {
  readonly client: Client;
  readonly clock: Clock;
  /** A user with all rights, and the kubeconfig of that user. */
  newUser(): Promise<{ readonly user: string; readonly kubeconfig: string }>;
  newNamespace(): Promise<string>;
  /** The requests of a user, as the server has noted them. */
  requestsOf(user: string): Promise<readonly AuditEntry[]>;
  /** The creates of Caches in a namespace. */
  createsIn(namespace: string): Promise<readonly AuditEntry[]>;
}

/** @param controllers whether Deployments get their pods, and pods run */
export async function openArena(clock: Clock, controllers: boolean): Promise<Arena> {
  const folder = temporaryFolder();
  const auditLog = join(folder.path, 'audit.log');
  const policy = join(folder.path, 'policy.yaml');
  writeFileSync(policy, auditPolicy);
  const kube = await startKubernetes({
    clock,
    apiServerFlags: [`--audit-log-path=${auditLog}`, `--audit-policy-file=${policy}`],
    controllerManagerFlags: swift,
    ...(!controllers && { controllers: false }),
  });
  const transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }), { clock });
  const client = createClient({ transport, clock, fieldManager: 'bench', timeoutMs: 600_000 });
  await installDefinitions(client, [crdOf(Cache)]);
  const node = controllers ? await startSimulatedNode(transport) : undefined;
  let made = 0;
  return {
    client,
    clock,
    async newUser() {
      const user = `operator-${++made}`;
      return { user, kubeconfig: await kube.kubeconfigFor({ user, groups: ['system:masters', operatorsGroup] }) };
    },
    async newNamespace() {
      const name = `bench-${++made}`;
      await client.create(Namespace, { metadata: { name } });
      if (!controllers) await client.create(ServiceAccount, { metadata: { namespace: name, name: 'default' } });
      return name;
    },
    requestsOf: (user) => auditEntries({ auditLog }, user),
    createsIn: async (namespace) =>
      (await auditEntries({ auditLog }, admin)).filter(({ objectRef }) => objectRef?.namespace === namespace),
    async [Symbol.asyncDispose]() {
      for (const each of [node, transport, kube]) await each?.[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

export const cacheName = (index: number): string => `cache-${String(index).padStart(5, '0')}`;

export async function createCache(client: Client, namespace: string, index: number): Promise<void> {
  await client.create(Cache, { metadata: { namespace, name: cacheName(index) }, spec: { size: 1 } });
}

export async function createCaches(client: Client, namespace: string, count: number): Promise<void> {
  await inParallel(count, parallel, (index) => createCache(client, namespace, index));
}

/** Resolves when so many Caches of a namespace are Available. */
export function allAvailable({ client, clock }: Arena, namespace: string, count: number): Disposable & Promise<void> {
  const stop = new AbortController();
  const available = new Set<string>();
  const informer = createInformer(client, Cache, { namespace, clock });
  const reached = new Promise<void>((resolve) => {
    informer.subscribe(({ object }) => {
      if (conditionOf(object, 'Available').status === 'True') available.add(object.metadata.name);
      if (available.size === count) resolve();
    });
  });
  void informer.start(stop.signal);
  return Object.assign(reached, { [Symbol.dispose]: () => stop.abort() });
}
