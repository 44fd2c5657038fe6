/** Echos while the leader is killed again and again: one Job for each, by the server's own record. */
import assert from 'node:assert/strict';
import { createClient } from '@keelson/client';
import { conditionOf, deadline, sleep, type Transport } from '@keelson/core';
import { Job } from '@keelson/core/batch/v1';
import { Lease } from '@keelson/core/coordination/v1';
import { systemClock, systemRandom } from '@keelson/core/system';
import { auditEntries, type Kubernetes } from '@keelson/tools-kubernetes';
import { Echo } from '../src/api/v1alpha1.ts';
import { namespace, operatorUser, type ReplicaProcess, startReplica } from './replicas.ts';

export interface KillsOptions {
  readonly kube: Kubernetes;
  /** The administrator's way in. */
  readonly transport: Transport;
  readonly kubeconfig: string;
  readonly kills: number;
  readonly echosEach: number;
}

/** Kills the leader at random moments while Echos come, waits until all are printed, and counts the Jobs. */
export async function killLeaders({ kube, transport, kubeconfig, kills, echosEach }: KillsOptions): Promise<void> {
  const client = createClient({ transport, fieldManager: 'test' });
  const replicas = ['a', 'b', 'c'].map((id) => startReplica(kubeconfig, id));
  const logs = () => replicas.map(({ id, log }) => `--- ${id}\n${log()}`).join('\n');
  using patience = deadline(systemClock, (kills + 1) * 300_000, 'the kills');
  const until = async (what: string, holds: () => Promise<boolean>) => {
    while (!(await holds())) {
      if (patience.signal.aborted) assert.fail(`${what} did not come\n${logs()}`);
      await sleep(systemClock, 100);
    }
  };
  const aliveLeader = async (): Promise<ReplicaProcess> => {
    let alive: ReplicaProcess | undefined;
    await until('a leader that lives', async () => {
      const id = (await client.find(Lease, `${namespace}/echo-operator`))?.spec?.holderIdentity;
      alive = replicas.find((each) => each.id === id);
      return alive !== undefined;
    });
    return alive ?? assert.fail();
  };
  const metadata = (name: string) => ({ namespace: 'default', name });
  const names: string[] = [];
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      await aliveLeader();
      for (let i = 1; i <= echosEach; i += 1) {
        const name = `echo-${kill}-${i}`;
        names.push(name);
        await client.create(Echo, { metadata: metadata(name), spec: { message: `Hello from ${name}` } });
      }
      await sleep(systemClock, systemRandom.next() * 400);
      const victim = await aliveLeader(); // on a busy machine perhaps another one than before
      await victim.stop('SIGKILL');
      replicas[replicas.indexOf(victim)] = startReplica(kubeconfig, `${victim.id.slice(0, 1)}${kill}`);
    }
    await until('the end of every Echo', async () => {
      const { items } = await client.list(Echo, { namespace: 'default' });
      return items.filter((echo) => conditionOf(echo, 'Complete').status === 'True').length === names.length;
    });
    const jobs = (await client.list(Job, { namespace: 'default' })).items.map((job) => job.metadata.name);
    assert.deepEqual(jobs.sort(), names.map((name) => `${name}-1`).sort());
    assert.deepEqual(await jobsMade(kube), names.map((name) => `${name}-1`).sort());
  } finally {
    for (const replica of replicas) await replica.stop('SIGKILL');
  }
}

/** The names of all Jobs that the operator has ever made, by the server's own record. */
async function jobsMade(kube: Kubernetes): Promise<readonly string[]> {
  return (await auditEntries(kube, operatorUser))
    .filter(({ verb, objectRef, responseStatus }) => {
      return verb === 'create' && objectRef?.resource === 'jobs' && responseStatus?.code === 201;
    })
    .map(({ objectRef }) => objectRef?.name ?? '')
    .sort();
}
