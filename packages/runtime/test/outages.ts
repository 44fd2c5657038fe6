/**
 * Three replicas on a real Kubernetes, the leader of which is put out of action again and again: half by SIGKILL (and
 * started anew), half by SIGSTOP beyond its lease and then SIGCONT. Each time another acts in time and no change is lost.
 * Then one is told to stop, and hands over; at the end, the API server's audit log and what the replicas sent show no write outside of its term.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, createClient, createInformer, installDefinitions, loadConfig } from '@keelson/client';
import { deadline, sleep } from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { systemClock } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { crdOf } from '@keelson/schema';
import { startKubernetes } from '@keelson/tools-kubernetes';
import { newWidget, Widget } from './widget.ts';

const main = fileURLToPath(new URL('./replica-operator.ts', import.meta.url));
/** Kubernetes' own: a machine that is busy for some seconds must not cost a leader its lease. */
const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
const key = 'default/a';

interface Outage {
  readonly how: 'SIGKILL' | 'SIGSTOP';
  /** From the signal to the first write of another replica. */
  readonly tookMs: number;
}

export interface Report {
  readonly outages: readonly Outage[];
  /** From the end of a leader that was told to stop to the first write of another. */
  readonly handOverMs: number;
  /** Whether that leader gave its lease back, so that nobody had to wait for its end. */
  readonly isGivenBack: boolean;
  readonly sends: number;
  readonly audited: number;
}

interface Term {
  readonly holder: string;
  readonly begunMs: number;
}

export async function runOutages(count: number): Promise<Report> {
  await using kube = await startKubernetes({ auditLog: true });
  await using transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
  const client = createClient({ transport, fieldManager: 'test' });
  await installDefinitions(client, [crdOf(Widget)]);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-outages-'));
  const file = join(folder, 'sent');
  const replicas = new Map<string, ChildProcess>();
  const start = (name: string) =>
    void replicas.set(
      name,
      spawn(process.execPath, [main, kube.kubeconfig, name, file, JSON.stringify(times)], {
        stdio: ['ignore', 'ignore', openSync(join(folder, `${name}.log`), 'a')],
      }),
    );
  const end = async (name: string) => {
    const replica = replicas.get(name);
    if (replica === undefined || replica.exitCode !== null || replica.signalCode !== null) return;
    const exited = once(replica, 'exit');
    replica.kill('SIGKILL');
    await exited;
  };

  const terms: Term[] = [];
  let givenBack = 0;
  const leases = createInformer(client, Lease, { namespace: 'default', fields: 'metadata.name=replicated' });
  leases.subscribe(({ object }) => {
    const { holderIdentity: holder, acquireTime } = object.spec;
    if (!holder) givenBack += 1;
    if (!holder || acquireTime === undefined) return;
    const begunMs = new Date(acquireTime).getTime();
    const last = terms.at(-1);
    if (last?.holder !== holder || last.begunMs !== begunMs) terms.push({ holder, begunMs });
  });
  const watching = new AbortController();
  const watched = leases.start(watching.signal);
  const writer = async () => (await client.find(ConfigMap, key))?.data?.by;

  try {
    for (const name of ['one', 'two', 'three']) start(name);
    await client.create(Widget, newWidget());
    await until('somebody writes', async () => (await writer()) !== undefined);
    const outages: Outage[] = [];
    for (let i = 0; i < count; i++) {
      const leader = (await writer()) ?? '';
      const how = i % 2 === 0 ? 'SIGKILL' : 'SIGSTOP';
      const begunMs = systemClock.monotonic();
      replicas.get(leader)?.kill(how);
      await client.patch(Widget, key, { spec: { text: `change ${i}` } });
      await until(`another acts after ${how}`, async () => (await writer()) !== leader);
      outages.push({ how, tookMs: systemClock.monotonic() - begunMs });
      await until('the change is not lost', async () => (await client.get(Widget, key)).status?.seen === `change ${i}`);
      if (how === 'SIGSTOP') replicas.get(leader)?.kill('SIGCONT');
      else {
        await end(leader);
        start(leader);
      }
      // The one that comes back has time to do wrong, which its terms show in the end.
      await sleep(systemClock, 2000);
    }
    const last = (await writer()) ?? '';
    const before = givenBack;
    const exited = once(replicas.get(last) ?? assert.fail(), 'exit');
    replicas.get(last)?.kill('SIGTERM');
    await exited;
    const exitedMs = systemClock.monotonic();
    await until('another acts after SIGTERM', async () => (await writer()) !== last);
    const handOverMs = systemClock.monotonic() - exitedMs;
    for (const name of replicas.keys()) await end(name);
    // The watch of the Lease may be behind: it has told everything once it tells what is there now.
    const lastMs = new Date((await client.get(Lease, 'default/replicated')).spec.acquireTime ?? '').getTime();
    await until('the last term is known', async () => terms.at(-1)?.begunMs === lastMs);
    const sends = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([by = '', at]) => ({ by, atMs: Number(at) }));
    const audited = auditedWrites(await readFile(kube.auditLog ?? '', 'utf8'));
    for (const write of [...sends, ...audited]) {
      assert.ok(isWithinTerm(write, terms), `${JSON.stringify(write)} is outside of ${JSON.stringify(terms)}`);
    }
    return { outages, handOverMs, isGivenBack: givenBack > before, sends: sends.length, audited: audited.length };
  } finally {
    for (const name of replicas.keys()) await end(name);
    watching.abort();
    await watched;
    await rm(folder, { recursive: true });
  }
}

interface Write {
  readonly by: string;
  readonly atMs: number;
}

/** Somebody's write belongs to the last term that had begun by then. */
function isWithinTerm({ by, atMs }: Write, terms: readonly Term[]): boolean {
  return terms.findLast(({ begunMs }) => begunMs <= atMs)?.holder === by;
}

/** When the API server received each write of a replica, Leases and Events aside. */
function auditedWrites(log: string): readonly Write[] {
  return log
    .split('\n')
    .filter((line) => line.includes('"userAgent":"replica-') && line.includes('"stage":"ResponseComplete"'))
    .map((line) => JSON.parse(line))
    .filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))
    .filter(({ objectRef }) => objectRef?.resource !== 'leases' && objectRef?.resource !== 'events')
    .map(({ userAgent, requestReceivedTimestamp }) => ({
      by: String(userAgent).slice('replica-'.length),
      atMs: new Date(requestReceivedTimestamp).getTime(),
    }));
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  using limit = deadline(systemClock, 300_000, what);
  while (!(await holds())) {
    limit.signal.throwIfAborted();
    await sleep(systemClock, 20);
  }
}

/** The time in which another replica has to act. */
export const limitMs = times.leaseDurationMs + 2 * times.retryPeriodMs;
/** After a release: less than from one look to the next. */
export const handOverLimitMs = 1000;
