/** The operator in virtual time, under its own rules, with the cluster's own Job and CronJob controllers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf } from '@keelson/core';
import { CronJob, Job, type NewJob } from '@keelson/core/batch/v1';
import { Event } from '@keelson/core/events/v1';
import { Namespace, ResourceQuota } from '@keelson/core/v1';
import { startCluster, type TestCluster } from '@keelson/testing';
import { Echo, ScheduledEcho } from '../src/api/v1alpha1.ts';
import { create, echoProgram, key, verdict } from './echo-cluster.ts';

const operators = [echoProgram()];
const jobsIn = async ({ client }: TestCluster, namespace = 'default') =>
  (await client.list(Job, { namespace })).items.map(({ metadata }) => metadata.name).sort();
const complete = (cluster: TestCluster, of = key) =>
  cluster.eventually(Echo, of, (echo) => conditionOf(echo, 'Complete').status === 'True');
const told = async ({ client }: TestCluster, kind = 'Echo') =>
  (await client.list(Event, { namespace: 'default' })).items
    .filter(({ regarding }) => regarding?.kind === kind)
    .map(({ type, reason }) => `${type} ${reason}`)
    .sort();
const foreign = (name: string): NewJob => ({
  metadata: { name, namespace: 'default' },
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a', command: ['sleep', '9'] }] } },
  },
});

test('an Echo becomes a Job in its own namespace that prints the message, once', async () => {
  await using cluster = await startCluster({ operators });
  await cluster.client.create(Namespace, { metadata: { name: 'elsewhere' } });
  await cluster.client.create(Echo, {
    metadata: { namespace: 'elsewhere', name: 'hello' },
    spec: { message: 'Hi $(HOME) $$' },
  });
  const echo = await complete(cluster, 'elsewhere/hello');
  assert.equal(echo.status?.job, 'hello-1');
  assert.equal(verdict(echo, 'Degraded'), 'Degraded=False AsExpected');
  assert.equal(echo.status?.observedGeneration, 1);
  const job = await cluster.client.get(Job, 'elsewhere/hello-1');
  assert.deepEqual(job.spec.template.spec?.containers[0]?.command, ['echo', 'Hi $$(HOME) $$$$']);
  await cluster.clock.advance(30_000);
  assert.deepEqual(await jobsIn(cluster, 'elsewhere'), ['hello-1']);
  assert.deepEqual(await jobsIn(cluster), []);
});

test('a finished Job is kept for its time, removed by the cluster, and not run again', async () => {
  await using cluster = await startCluster({ operators: [echoProgram({ TTL_SECONDS_AFTER_FINISHED: '60' })] });
  await create(cluster);
  await complete(cluster);
  await cluster.eventually(Job, 'default/hello-1', ({ spec }) => spec.ttlSecondsAfterFinished === 60);
  await cluster.eventuallyGone(Job, 'default/hello-1');
  await cluster.clock.advance(3_600_000);
  assert.deepEqual(await jobsIn(cluster), []);
  await complete(cluster);
});

test('a ScheduledEcho becomes a CronJob that runs, follows changes, and comes back when it is deleted', async () => {
  await using cluster = await startCluster({ operators });
  const metadata = { namespace: 'default', name: 'hello' };
  const spec = { message: 'Hi', schedule: '* * * * *', timeZone: 'Asia/Tokyo' };
  await cluster.client.create(ScheduledEcho, { metadata, spec });
  const ran = await cluster.eventually(ScheduledEcho, key, ({ status }) => status?.lastSuccessfulTime !== undefined);
  assert.equal(conditionOf(ran, 'Scheduled').status, 'True');
  await cluster.client.patch(ScheduledEcho, key, { spec: { schedule: '@hourly', timeZone: 'Europe/Madrid' } });
  await cluster.eventually(
    CronJob,
    key,
    ({ spec }) => spec.schedule === '@hourly' && spec.timeZone === 'Europe/Madrid',
  );
  await cluster.client.patch(ScheduledEcho, key, { spec: { timeZone: null } });
  await cluster.eventually(CronJob, key, ({ spec }) => spec.timeZone === undefined);
  await cluster.client.patch(CronJob, key, { spec: { schedule: '1 1 1 1 1' } });
  await cluster.eventually(CronJob, key, ({ spec }) => spec.schedule === '@hourly');
  const { uid } = (await cluster.client.get(CronJob, key)).metadata;
  await cluster.client.delete(CronJob, key, { propagationPolicy: 'Background' });
  await cluster.eventually(CronJob, key, ({ metadata: { uid: now } }) => now !== uid);
  await cluster.client.patch(ScheduledEcho, key, { spec: { suspend: true } });
  await cluster.eventually(ScheduledEcho, key, (each) => conditionOf(each, 'Scheduled').reason === 'Suspended');
});

test('a Job of that name that somebody else made is left alone, and the user is told until it goes', async () => {
  await using cluster = await startCluster({ operators });
  await cluster.client.create(Job, foreign('hello-1'));
  await create(cluster);
  const echo = await cluster.eventually(Echo, key, (each) => conditionOf(each, 'Degraded').status === 'True');
  assert.equal(verdict(echo, 'Degraded'), 'Degraded=True JobNotControlled');
  assert.match(
    conditionOf(echo, 'Degraded').message,
    /Job default\/hello-1 exists and was not made by this controller/,
  );
  await cluster.clock.advance(60_000);
  assert.equal((await cluster.client.get(Job, 'default/hello-1')).metadata.ownerReferences, undefined);
  assert.ok((await told(cluster)).includes('Warning JobNotControlled'));
  await cluster.client.delete(Job, 'default/hello-1', { propagationPolicy: 'Background' });
  await complete(cluster);
  assert.ok((await told(cluster)).includes('Normal Printed'));
});

test('deleting an Echo removes its Job', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster);
  await complete(cluster);
  await cluster.client.delete(Echo, key);
  await cluster.eventuallyGone(Job, 'default/hello-1');
});

test('a schedule and a time zone that cannot be are refused at once, or told in the status and tried again seldom', async () => {
  let writes = 0;
  await using cluster = await startCluster({
    operators,
    intercept: (transport) => ({
      request(request) {
        if (request.path.includes('/cronjobs') && request.method !== 'GET') writes += 1;
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  const made = (name: string, spec: { schedule: string; timeZone?: string }) =>
    cluster.client.create(ScheduledEcho, {
      metadata: { namespace: 'default', name },
      spec: { message: 'Hi', ...spec },
    });
  for (const schedule of ['', '* * * *', '@never', '* * * * * *', '&&']) {
    await assert.rejects(made('refused', { schedule }), /spec\.schedule/, schedule);
  }
  await made('minute', { schedule: '60 * * * *' });
  await made('zone', { schedule: '@daily', timeZone: 'Europe/Atlantis' });
  const degraded = (name: string) =>
    cluster.eventually(ScheduledEcho, `default/${name}`, (each) => conditionOf(each, 'Degraded').status === 'True');
  assert.equal(conditionOf(await degraded('minute'), 'Degraded').reason, 'InvalidSchedule');
  assert.equal(conditionOf(await degraded('zone'), 'Degraded').reason, 'InvalidTimeZone');
  await cluster.clock.advance(3_600_000);
  assert.ok(
    writes <= 2 * 8,
    `${writes} writes: each once more, for its own status had woken it, then every ten minutes`,
  );
  await cluster.client.patch(ScheduledEcho, 'default/minute', { spec: { schedule: '59 * * * *' } });
  await cluster.eventually(CronJob, 'default/minute', ({ spec }) => spec.schedule === '59 * * * *');
  await cluster.eventually(ScheduledEcho, 'default/minute', (each) => conditionOf(each, 'Degraded').status === 'False');
  assert.ok((await told(cluster, 'ScheduledEcho')).includes('Normal Recovered'));
});

test('a quota of zero is told and tried again later each time; a name that is too long is refused', async () => {
  const tries: string[] = [];
  await using cluster = await startCluster({
    operators,
    intercept: (transport) => ({
      request(request) {
        if (request.method === 'POST' && request.path.includes('/jobs')) tries.push(request.path);
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  await assert.rejects(create(cluster, 'Hi', 'n'.repeat(53)), /metadata\.name may have at most 52 characters/);
  const hard = { 'count/jobs.batch': '0' };
  await cluster.client.create(ResourceQuota, { metadata: { namespace: 'default', name: 'none' }, spec: { hard } });
  await cluster.eventually(ResourceQuota, 'default/none', ({ status }) => status.hard !== undefined);
  await create(cluster);
  const stuck = await cluster.eventually(Echo, key, (echo) => conditionOf(echo, 'Degraded').status === 'True');
  assert.equal(verdict(stuck, 'Degraded'), 'Degraded=True QuotaExceeded');
  assert.match(conditionOf(stuck, 'Degraded').message, /exceeded quota: none/);
  await cluster.clock.advance(300_000);
  assert.ok(tries.length <= 20, `${tries.length} tries in five minutes`);
  await cluster.client.delete(ResourceQuota, 'default/none');
  await complete(cluster);
});

test('a namespace that is deleted takes its Echo and ScheduledEcho along, and the operator does not stand in the way', async () => {
  const requests: string[] = [];
  let passes = 0;
  const pass = () => {
    passes += 1;
  };
  await using cluster = await startCluster({
    operators: [echoProgram({}, { pass })],
    intercept: (transport) => ({
      async request(request) {
        const { method, path } = request;
        // The namespace goes in the moment in which a Job is to be made there.
        if (method === 'POST' && path.includes('/leaving/jobs')) await cluster.client.delete(Namespace, 'leaving');
        if (path.includes('/leaving/')) requests.push(`${method} ${path}`);
        return await transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  const of = 'leaving/hello';
  await cluster.client.create(Namespace, { metadata: { name: 'leaving' } });
  const metadata = { namespace: 'leaving', name: 'hello', finalizers: ['example.com/slow'] };
  await cluster.client.create(ScheduledEcho, { metadata, spec: { message: 'Hi', schedule: '@hourly' } });
  await cluster.eventually(ScheduledEcho, of, (echo) => conditionOf(echo, 'Scheduled').status === 'True');
  await cluster.client.create(Echo, { metadata, spec: { message: 'Hi' } });
  const told = await cluster.eventually(Echo, of, (echo) => conditionOf(echo, 'Degraded').status === 'True');
  assert.equal(verdict(told, 'Degraded'), 'Degraded=True NamespaceTerminating');
  await cluster.eventuallyGone(CronJob, of);
  await cluster.clock.advance(10_000);
  assert.ok(passes <= 25, `${passes} passes until all of it was on its way out`);
  assert.ok(requests.length <= 45, requests.join('\n'));

  const before = { requests: requests.length, passes };
  await cluster.clock.advance(60_000);
  assert.deepEqual({ requests: requests.length, passes }, before, 'what is being deleted is left to the cluster');
  for (const kind of [Echo, ScheduledEcho]) await cluster.client.patch(kind, of, { metadata: { finalizers: null } });
  await cluster.eventuallyGone(Namespace, 'leaving');
});

test('a steady state is silent: a virtual hour without a write', async () => {
  const writes: string[] = [];
  let isSteady = false;
  await using cluster = await startCluster({
    operators,
    intercept: (transport) => ({
      request(request) {
        if (isSteady && request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  await create(cluster);
  const metadata = { namespace: 'default', name: 'hello' };
  await cluster.client.create(ScheduledEcho, { metadata, spec: { message: 'Hi', schedule: '0 0 29 2 *' } });
  await complete(cluster);
  await cluster.clock.advance(60_000);
  isSteady = true;
  await cluster.clock.advance(3_600_000);
  assert.deepEqual(writes, []);
});

/** Lets the pods of Jobs run for a while before they end. */
const lasting = ({ pods }: TestCluster, exitCode = 0) =>
  pods.set({ image: 'busybox*' }, { exitAfterMs: 60_000, exitCode });

test('a Job that is deleted before its end comes back; one whose end is known does not', async () => {
  await using cluster = await startCluster({ operators });
  lasting(cluster);
  await create(cluster);
  const first = await cluster.eventually(Job, 'default/hello-1', ({ status }) => status.active === 1);
  await cluster.client.delete(Job, 'default/hello-1', { propagationPolicy: 'Background' });
  const second = await cluster.eventually(
    Job,
    'default/hello-1',
    ({ metadata }) => metadata.uid !== first.metadata.uid,
  );
  await complete(cluster);
  const { uid } = second.metadata;
  await cluster.client.delete(Job, 'default/hello-1', { preconditions: { uid }, propagationPolicy: 'Background' });
  await cluster.clock.advance(60_000);
  assert.deepEqual(await jobsIn(cluster), []);
});

test('another message is another Job, and an older one that still runs is stopped', async () => {
  await using cluster = await startCluster({ operators });
  lasting(cluster);
  await create(cluster, 'one');
  await cluster.eventually(Job, 'default/hello-1', ({ status }) => status.active === 1);
  await cluster.client.patch(Echo, key, { spec: { message: 'two' } });
  await cluster.eventuallyGone(Job, 'default/hello-1');
  const { status } = await complete(cluster);
  assert.equal(status?.job, 'hello-2');
  await cluster.client.patch(Echo, key, { spec: { message: 'one' } });
  await cluster.eventually(
    Echo,
    key,
    (echo) => echo.status?.job === 'hello-3' && conditionOf(echo, 'Complete').status === 'True',
  );
  assert.deepEqual(await jobsIn(cluster), ['hello-2', 'hello-3'], 'one that has ended is kept for its time');
});

test('a Job that fails is told once, kept for its time, and not run again, also when that time cannot be set', async () => {
  let refusals = 3;
  const jobs: string[] = [];
  await using cluster = await startCluster({
    operators: [echoProgram({ TTL_SECONDS_AFTER_FINISHED: '60' })],
    intercept: (transport) => ({
      request(request) {
        if (request.method === 'POST' && request.path.includes('/jobs')) jobs.push(request.path);
        const isLimit = request.method === 'PATCH' && request.path.includes('/jobs/');
        if (isLimit && refusals-- > 0) throw new Error('the network is down');
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  cluster.pods.set({ image: 'busybox*' }, { exitCode: 1 });
  await create(cluster);
  await cluster.clock.advance(900_000); // six more pods, the last after more than five minutes
  const failed = await cluster.eventually(Echo, key, (echo) => conditionOf(echo, 'Complete').reason === 'JobFailed');
  assert.match(conditionOf(failed, 'Complete').message, /^The Job failed: /);
  await cluster.eventuallyGone(Job, 'default/hello-1');
  await cluster.clock.advance(3_600_000);
  const after = await cluster.client.get(Echo, key);
  assert.equal(verdict(after, 'Degraded'), 'Degraded=True JobFailed', 'what failed in between has passed');
  assert.equal(jobs.length, 1);
  assert.ok(!(await told(cluster)).includes('Normal JobFailed'));
});

test('a Job that loses our label is found again', async () => {
  await using cluster = await startCluster({ operators });
  lasting(cluster);
  await create(cluster);
  await cluster.eventually(Job, 'default/hello-1', ({ status }) => status.active === 1);
  await cluster.client.patch(Job, 'default/hello-1', {
    metadata: { labels: { 'app.kubernetes.io/managed-by': null } },
  });
  await complete(cluster);
});

test('an Echo that is made again under its name waits for the Job of the one before', async () => {
  await using cluster = await startCluster({ operators });
  lasting(cluster);
  await create(cluster);
  await cluster.eventually(Job, 'default/hello-1', ({ status }) => status.active === 1);
  await cluster.client.delete(Echo, key);
  const second = await create(cluster, 'again');
  const { metadata } = await complete(cluster);
  assert.equal(metadata.uid, second.metadata.uid);
  assert.ok(!(await told(cluster)).some((each) => each.startsWith('Warning')));
});

test('replicas that crash after any write make one Job for each Echo', async () => {
  for (const victim of [1, 2, 3, 5, 8, 13]) {
    let writes = 0;
    let starts = 0;
    const deleted: string[] = [];
    await using cluster = await startCluster({
      operators: [echoProgram({ HA_ENABLED: 'true' })],
      replicas: 3,
      seed: victim,
      intercept(transport) {
        const sender = starts++;
        return {
          async request(request) {
            const answer = await transport.request(request);
            if (request.method === 'GET' || request.path.includes('/leases')) return answer;
            if (request.method === 'DELETE') deleted.push(request.path);
            // The server has done it, and nobody hears of it.
            if (++writes === victim) cluster.replicas[sender]?.crash();
            return answer;
          },
          [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
        };
      },
    });
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await create(cluster, `Hello, ${name}!`, name);
    for (const name of names) await complete(cluster, `default/${name}`);
    assert.equal(cluster.replicas.filter((each) => !each.isRunning).length, 1, 'one has crashed');
    assert.deepEqual(deleted, [], 'none was made anew under its name');
    assert.deepEqual(
      await jobsIn(cluster),
      names.map((name) => `${name}-1`),
    );
  }
});
