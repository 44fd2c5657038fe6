/** The operator on real Kubernetes with real pods, under its own rules: three replicas, one of which leads. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connect, createClient, loadConfig } from '@keelson/client';
import {
  conditionOf,
  deadline,
  type Kind,
  type NamespacedName,
  type ObjectOf,
  rulesOf,
  sleep,
  type Transport,
} from '@keelson/core';
import { CronJob, Job } from '@keelson/core/batch/v1';
import { systemClock } from '@keelson/core/system';
import { Namespace, ResourceQuota } from '@keelson/core/v1';
import { auditEntries, availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { allowedByOthers, isList, rightsAudited, rightsIn } from '../../../memcached/test/rights-asked.ts';
import { Echo, ScheduledEcho } from '../../src/api/v1alpha1.ts';
import { echoOperator } from '../../src/operator.ts';
import { killLeaders } from '../leader-kills.ts';
import { hourly, impliedRights, jobSpec, named, spareRights } from '../life.ts';
import { install, operatorUser, type ReplicaProcess, startReplica } from '../replicas.ts';

const found = await availability({ pods: true });

describe('the Echo operator on real Kubernetes', { skip: found.available ? false : found.reason }, () => {
  let kube: Kubernetes;
  let transport: Transport;
  let kubeconfig: string;

  before(async () => {
    kube = await startKubernetes({ pods: true, auditLog: true });
    transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
    kubeconfig = await install(kube);
  });
  after(async () => {
    await transport?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  const client = () => createClient({ transport, fieldManager: 'test' });
  const eventually = async <K extends Kind>(kind: K, key: NamespacedName, holds: (object: ObjectOf<K>) => boolean) => {
    using patience = deadline(systemClock, 300_000, 'the wait');
    for (;;) {
      const object = await client().find(kind, key);
      if (object !== undefined && holds(object)) return object;
      assert.ok(!patience.signal.aborted, `${kind.kind} ${key} is ${JSON.stringify(object)}`);
      await sleep(systemClock, 100);
    }
  };
  const until = async (what: string, holds: () => Promise<boolean>) => {
    using patience = deadline(systemClock, 300_000, what);
    while (!(await holds())) await sleep(systemClock, 100, patience.signal);
  };

  test('three replicas of which leaders are killed make one Job for each Echo', async () => {
    await killLeaders({ kube, transport, kubeconfig, kills: 2, echosEach: 3 });
  });

  describe('one replica without an election', () => {
    let replica: ReplicaProcess;
    before(() => {
      replica = startReplica(kubeconfig, 'alone', { HA_ENABLED: 'false' });
    });
    after(async () => {
      assert.equal(await replica?.stop('SIGTERM'), 0, replica?.log());
    });

    test('an Echo’s message is in the log of its pod, a changed one is printed by another Job', async () => {
      const metadata = { namespace: 'default', name: 'hello-world' };
      const message = 'Hello, $(KUBERNETES_SERVICE_HOST) $$(KUBERNETES_SERVICE_HOST) $$ $é $HOME "world"!';
      await client().create(Echo, { metadata, spec: { message } });
      await eventually(Echo, 'default/hello-world', (echo) => conditionOf(echo, 'Complete').status === 'True');
      const { stdout } = await kube.kubectl('logs', 'job/hello-world-1');
      assert.equal(stdout, `${message}\n`);
      await client().patch(Echo, 'default/hello-world', { spec: { message: 'Goodbye' } });
      await eventually(Echo, 'default/hello-world', (echo) => conditionOf(echo, 'Complete').status === 'True');
      assert.equal((await kube.kubectl('logs', 'job/hello-world-2')).stdout, 'Goodbye\n');
      await eventually(Job, 'default/hello-world-2', ({ spec }) => spec.ttlSecondsAfterFinished === 3600);
    });

    test('a schedule and a time zone that cannot be are told in the status', async () => {
      const made = (name: string, spec: { schedule: string; timeZone?: string }) =>
        client().create(ScheduledEcho, { metadata: { namespace: 'default', name }, spec: { message: 'Hi', ...spec } });
      await made('minute', { schedule: '60 * * * *' });
      await made('zone', { schedule: '@daily', timeZone: 'Europe/Atlantis' });
      for (const [name, reason] of [
        ['minute', 'InvalidSchedule'],
        ['zone', 'InvalidTimeZone'],
      ] as const) {
        const echo = await eventually(
          ScheduledEcho,
          `default/${name}`,
          (each) => conditionOf(each, 'Degraded').status === 'True',
        );
        assert.equal(conditionOf(echo, 'Degraded').reason, reason);
      }
      await assert.rejects(made('refused', { schedule: 'every minute' }), /spec\.schedule/);
    });

    test('a ScheduledEcho of every minute runs, and its CronJob is put back as it was', async () => {
      const metadata = { namespace: 'default', name: 'often' };
      const spec = { message: 'Hi', schedule: '* * * * *', timeZone: 'Asia/Tokyo' };
      await client().create(ScheduledEcho, { metadata, spec });
      await eventually(CronJob, 'default/often', ({ spec }) => spec.schedule === '* * * * *');
      await client().patch(ScheduledEcho, 'default/often', { spec: { timeZone: null } });
      await eventually(CronJob, 'default/often', (each) => each.spec.timeZone === undefined);
      await client().patch(CronJob, 'default/often', { spec: { concurrencyPolicy: 'Allow' } });
      await eventually(CronJob, 'default/often', ({ spec }) => spec.concurrencyPolicy === 'Forbid');
      await eventually(ScheduledEcho, 'default/often', ({ status }) => status?.lastSuccessfulTime !== undefined);
    });

    test('what somebody else made is left alone, and a Job that could not run is stopped for the next message', async () => {
      const suspended = { ...jobSpec, suspend: true };
      await client().create(Job, { metadata: named('taken-1'), spec: suspended });
      const cronJobSpec = { schedule: '0 * * * *', suspend: true, jobTemplate: { spec: suspended } };
      await client().create(CronJob, { metadata: named('taken'), spec: cronJobSpec });
      await client().create(Echo, { metadata: named('taken'), spec: { message: 'Hi' } });
      await client().create(ScheduledEcho, { metadata: named('taken'), spec: hourly });
      for (const kind of [Echo, ScheduledEcho]) {
        const echo = await eventually(kind, 'default/taken', (each) => conditionOf(each, 'Degraded').status === 'True');
        assert.match(conditionOf(echo, 'Degraded').reason, /^(Cron)?JobNotControlled$/);
      }
      const metadata = { namespace: 'full', name: 'stopped' };
      await client().create(Namespace, { metadata: { name: 'full' } });
      const none = { metadata: { ...metadata, name: 'none' }, spec: { hard: { pods: '0' } } };
      await client().create(ResourceQuota, none);
      // Before it is counted, a pod could still slip through, and print.
      await eventually(ResourceQuota, 'full/none', ({ status }) => status?.hard !== undefined);
      await client().create(Echo, { metadata, spec: { message: 'first' } });
      await eventually(Job, 'full/stopped-1', () => true);
      await client().patch(Echo, 'full/stopped', { spec: { message: 'second' } });
      await eventually(Job, 'full/stopped-2', () => true);
      await until('the first Job goes', async () => (await client().find(Job, 'full/stopped-1')) === undefined);
    });

    test('in all of this the operator has asked for what its generated roles grant, but for the listed rights', async () => {
      const granted = rightsIn(rulesOf(echoOperator));
      // docs/generate.md gives the reasons.
      const exceptions = [...granted.filter(isList), ...impliedRights, ...spareRights];
      const asked = async () => rightsAudited(await auditEntries(kube, operatorUser));
      await until('every other right is asked for', async () => {
        const rights = await asked();
        return granted.every((right) => rights.includes(right) || exceptions.includes(right));
      });
      assert.deepEqual([...(await asked()).filter((right) => !isList(right)), ...exceptions].sort(), granted);
      assert.deepEqual(allowedByOthers(await auditEntries(kube, operatorUser), 'echo-operator'), []);
    });
  });
});
