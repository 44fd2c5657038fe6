/** Certificates of webhooks that look after themselves: agreement, renewal, and everything that can go wrong with both. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { type Transport, TransportError, type TransportRequest } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { systemRandom } from '@keelson/core/system';
import { Secret } from '@keelson/core/v1';
import { createAuthority } from '@keelson/core/x509';
import { startCluster } from '@keelson/testing';
import { certificateReport } from '../src/index.ts';
import {
  configurationKinds,
  deploymentKey,
  installConfigurations,
  minute,
  nameOf,
  type Replicas,
  secretKey,
  startReplicas,
  web,
} from './certificate-replicas.ts';
import { definitionIsTold } from './told-definition.ts';

const issuerOf = (replicas: Replicas, index: number): string =>
  new X509Certificate(replicas.certificates(index).current?.certificate ?? '').issuer;

test('two replicas that start at the same moment agree on one authority, which both configurations then trust', async () => {
  await using replicas = await startReplicas({ replicas: 2 });
  await replicas.cluster.clock.advance(2000);
  const [one, other] = [0, 1].map((index) => replicas.certificates(index).current);
  assert.ok(one !== undefined);
  assert.deepEqual(one, other);
  const trusted = await replicas.trusted();
  assert.equal(trusted.length, 2);
  for (const names of trusted) assert.deepEqual(names, [new X509Certificate(one.certificate).issuer]);
  const { problem, remarks } = replicas.certificates(1).health;
  assert.deepEqual({ problem, remarks }, { problem: undefined, remarks: [] });
});

test('authority and certificate change again and again, and no call of a slow API server ever fails', async () => {
  await using replicas = await startReplicas({ replicas: 2 });
  await replicas.cluster.clock.advance(2000);
  const seen = new Set<string>();
  for (let passed = 0; passed < 18 * minute; passed += 3 * minute) {
    await replicas.verified(3 * minute);
    seen.add(issuerOf(replicas, 0));
  }
  assert.ok(seen.size >= 3, `three authorities, not ${seen.size}`);
  assert.ok(
    (await replicas.trusted()).every((names) => names.length <= 2),
    'those that have ended are gone',
  );
  assert.deepEqual(replicas.warnings, []);
  assert.ok(replicas.log.length > 0);
  for (const line of replicas.log) assert.doesNotMatch(line, /PRIVATE|LS0tLS1CRUdJTiBQUklWQVRF/, 'no key is logged');
});

test('a replica that was cut off serves what a new authority issued only when it has seen that one trusted for a minute', async () => {
  let [isCut, looks] = [false, 0];
  const intercept = (transport: Transport, index: number): Transport => ({
    ...transport,
    async request(request: TransportRequest) {
      if (index === 1 && isCut) throw new TransportError('reach the server', 'it is cut off');
      if (index === 1 && request.path.includes(`/secrets/${secretKey.split('/')[1]}`)) looks += 1;
      return transport.request(request);
    },
  });
  await using replicas = await startReplicas({ replicas: 2, intercept });
  const { client, clock } = replicas.cluster;
  await clock.advance(2000);
  const before = issuerOf(replicas, 1);
  isCut = true;
  await client.patch(Secret, secretKey, { data: { 'ca.key': '' } });
  await replicas.verified(90_000);
  assert.notEqual(issuerOf(replicas, 0), before, 'the other one has changed over');
  [isCut, looks] = [false, 0];
  while (looks === 0) await clock.advance(100);
  await clock.advance(5000);
  assert.equal(issuerOf(replicas, 1), before);
  await replicas.verified(70_000);
  assert.equal(issuerOf(replicas, 1), issuerOf(replicas, 0));
});

test('a Secret that is deleted is written again as it was, without a gap', async () => {
  await using replicas = await startReplicas({ replicas: 2 });
  const { client, clock } = replicas.cluster;
  await clock.advance(2000);
  const before = await replicas.secret();
  await client.delete(Secret, secretKey);
  await replicas.verified(20_000);
  assert.deepEqual(await replicas.secret(), before);
});

test('a replica that finds no Secret and remembers nothing leaves trusted what another may still serve', async () => {
  await using replicas = await startReplicas();
  const { client, clock, replicas: processes } = replicas.cluster;
  await clock.advance(2000);
  const before = issuerOf(replicas, 0);
  processes[0]?.crash();
  await client.delete(Secret, secretKey);
  await processes[0]?.start();
  await clock.advance(2000);
  assert.notEqual(issuerOf(replicas, 0), before);
  for (const names of await replicas.trusted()) assert.deepEqual(names, [issuerOf(replicas, 0), before]);
});

test('whatever is written into the Secret, what is served is trusted all the time, and the Secret is in order again', async () => {
  await using replicas = await startReplicas({ replicas: 2 });
  const { client, clock } = replicas.cluster;
  await clock.advance(2000);
  const { startsAt, endsAt } = { startsAt: clock.now() - 1000, endsAt: clock.now() + minute * 60 };
  const other = createAuthority(systemRandom, { name: 'other', lifetime: { startsAt, endsAt } });
  const foreign = other.issueServer('web', ['somebody.else'], { startsAt, endsAt });
  const expired = other.issueServer('web', ['web-webhook.operators.svc'], { startsAt: 0, endsAt: startsAt });
  for (const damage of [
    { 'tls.crt': 'garbage', 'tls.key': 'garbage', 'ca.crt': 'garbage', 'ca.key': 'garbage' },
    { 'tls.key': '' },
    { 'tls.key': foreign.key },
    { 'tls.crt': foreign.certificate, 'tls.key': foreign.key },
    { 'tls.crt': expired.certificate, 'tls.key': expired.key, 'ca.crt': other.certificate, 'ca.key': other.key },
    { 'ca.key': '' },
    // All of it fits together, and comes from somebody else.
    { 'tls.crt': foreign.certificate, 'tls.key': foreign.key, 'ca.crt': other.certificate, 'ca.key': other.key },
  ]) {
    const data = Object.entries(damage).map(([name, text]) => [name, Buffer.from(text ?? '').toString('base64')]);
    await client.patch(Secret, secretKey, { data: Object.fromEntries(data) });
    await replicas.verified(90_000);
    const { current, health } = replicas.certificates(1);
    assert.equal((await replicas.secret())['tls.crt'], current?.certificate, JSON.stringify(Object.keys(damage)));
    assert.deepEqual([health.problem, ...health.remarks], [undefined]);
  }
});

test('a caBundle that somebody empties is restored, and nothing else of the object is touched', async () => {
  await using replicas = await startReplicas();
  const { client, clock } = replicas.cluster;
  await clock.advance(2000);
  const [kind] = configurationKinds;
  const before = await client.get(kind, nameOf(kind));
  const emptied = { ...before.webhooks?.[0], clientConfig: { ...before.webhooks?.[0]?.clientConfig, caBundle: '' } };
  await client.patch(kind, nameOf(kind), { webhooks: [emptied] } as never);
  assert.deepEqual((await replicas.trusted())[0], []);
  await clock.advance(1000);
  const after = await client.get(kind, nameOf(kind));
  assert.deepEqual(after.webhooks, before.webhooks);
  const managers = after.metadata.managedFields?.find(({ manager }) => manager === 'keelson-certificates');
  assert.equal(managers?.operation, 'Apply');
  const fields = JSON.stringify(managers?.fieldsV1);
  assert.match(
    fields,
    /^\{"f:webhooks":\{"k:\{[^{}]*\}":\{"\.":\{\},"f:clientConfig":\{"f:caBundle":\{\}\},"f:name":\{\}\}\}\}$/,
  );
});

test('who looks from outside sees what is wrong', async () => {
  await using replicas = await startReplicas({ bare: true });
  const { client, clock } = replicas.cluster;
  const report = async () => {
    const seen = await certificateReport(client, web, { namespace: 'operators', now: clock.now() });
    return [seen?.status, ...(seen?.sentences ?? [])];
  };
  await clock.advance(2000);
  const absent = 'is not there, or says nobody whom to trust';
  assert.deepEqual(await report(), [
    'failed',
    `mutatingwebhookconfigurations.admissionregistration.k8s.io web-mutating ${absent}`,
    `validatingwebhookconfigurations.admissionregistration.k8s.io web-validating ${absent}`,
  ]);
  await installConfigurations(replicas.cluster);
  const doubts = await report();
  assert.match(doubts[1] ?? '', /web-mutating does not trust who issued what is served$/);
  await clock.advance(2000);
  assert.deepEqual(await report(), [
    'ok',
    'the certificate of webhooks is valid until 2026-01-01T00:08:00Z (0 days), and all trust it who call them',
  ]);
  replicas.cluster.replicas[0]?.crash();
  await clock.advance(Date.parse('2026-01-01T00:07:00Z') - clock.now());
  assert.equal((await report())[0], 'ending', 'nobody renews it');
  await client.patch(Secret, secretKey, { data: { 'tls.key': '' } });
  assert.deepEqual(await report(), ['failed', `in Secret ${secretKey}, tls.key is missing`]);
  await client.delete(Secret, secretKey);
  assert.deepEqual(await report(), ['unknown', `there is no Secret ${secretKey}`]);
});

test('a definition that converts by a webhook is told, and one that does not, or is not there, is not', async () => {
  await using cluster = await startCluster();
  await definitionIsTold(cluster.client);
});

test('a right that is missing is named with what to do, and the others are none the worse for it', async () => {
  await using replicas = await startReplicas({ bare: true, tolerate: ['refusal'] });
  const { client, clock } = replicas.cluster;
  const role = await client.get(ClusterRole, 'operators:web');
  const [, validating] = configurationKinds;
  const rules = role.rules?.filter(({ resources }) => !resources?.includes(validating.resource));
  await client.update(ClusterRole, { ...role, rules: rules ?? null });
  await installConfigurations(replicas.cluster);
  await clock.advance(10_000);
  const [trusting, doubting] = await replicas.trusted();
  assert.deepEqual([trusting?.length, doubting?.length], [1, 0]);
  const { problem, remarks } = replicas.certificates(0).health;
  assert.equal(problem, undefined);
  assert.match(
    remarks.join(),
    /^validating\S+ web-validating cannot be told whom to trust, so calls by it may fail: .*cannot (get|patch) resource.*; apply the roles that "keelson generate" writes$/,
  );
  await client.update(ClusterRole, { ...(await client.get(ClusterRole, 'operators:web')), rules: role.rules ?? null });
  await clock.advance(minute + 10_000);
  await replicas.verified(5000);
  assert.deepEqual(replicas.certificates(0).health.remarks, []);
});

test('an object that is not there yet is named with what to do, and told as soon as it comes', async () => {
  await using replicas = await startReplicas({ bare: true });
  await replicas.cluster.clock.advance(2000);
  const { health } = replicas.certificates(0);
  assert.equal(health.problem, undefined);
  assert.deepEqual(health.remarks, [
    'mutatingwebhookconfigurations.admissionregistration.k8s.io web-mutating is not there, so nothing is called by it; apply what "keelson generate" writes',
    'validatingwebhookconfigurations.admissionregistration.k8s.io web-validating is not there, so nothing is called by it; apply what "keelson generate" writes',
  ]);
  assert.deepEqual(replicas.warnings, health.remarks, 'and each is told once');
  await installConfigurations(replicas.cluster);
  await replicas.cluster.clock.advance(1000);
  await replicas.verified(5000);
  assert.deepEqual(replicas.certificates(0).health.remarks, []);
});

/** A way to the server that a test can close. */
function closable() {
  const state = { isClosed: false };
  const closed = (transport: Transport): Transport => ({
    request: (request) => {
      if (!state.isClosed) return transport.request(request);
      throw new TransportError(`${request.method} ${request.path}`, 'no route to the host');
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  });
  return { state, closed };
}

test('a replica that is cut off serves what it has, which stays trusted while others renew, and never when it has ended', async () => {
  const { state, closed } = closable();
  await using replicas = await startReplicas({
    replicas: 2,
    intercept: (transport, index) => (index === 1 ? closed(transport) : transport),
  });
  await replicas.cluster.clock.advance(2000);
  const held = replicas.certificates(1).current;
  state.isClosed = true;
  await replicas.verified(8 * minute - 15_000);
  assert.equal(replicas.certificates(1).current, held);
  assert.notEqual(replicas.certificates(0).current?.certificate, held?.certificate, 'others have renewed');
  assert.match(replicas.certificates(1).health.remarks.join(), /cannot be looked after: .*no route to the host/);
  await replicas.cluster.clock.advance(minute);
  assert.equal(replicas.certificates(1).current, undefined);
  assert.match(replicas.certificates(1).health.problem ?? '', /Secret operators\/web-webhook-certificate .*no route/);
  state.isClosed = false;
  await replicas.cluster.clock.advance(minute + 10_000);
  assert.deepEqual(replicas.certificates(1).current, replicas.certificates(0).current);
  await replicas.verified(5000);
});

test('an API server that cannot be reached when renewal is due is tried again, and nothing is lost', async () => {
  const { state, closed } = closable();
  await using replicas = await startReplicas({ intercept: closed });
  await replicas.cluster.clock.advance(2000);
  const before = replicas.certificates(0).current;
  await replicas.verified(5 * minute - 5000);
  state.isClosed = true;
  await replicas.verified(2 * minute);
  state.isClosed = false;
  await replicas.verified(2 * minute);
  assert.notEqual(replicas.certificates(0).current?.certificate, before?.certificate);
  assert.equal(replicas.warnings.length, 1, 'told once');
});

test('after a long time without any replica, everything is made anew', async () => {
  await using replicas = await startReplicas();
  const { clock } = replicas.cluster;
  await clock.advance(2000);
  const before = issuerOf(replicas, 0);
  replicas.cluster.replicas[0]?.crash();
  await clock.advance(15 * minute);
  await replicas.cluster.replicas[0]?.start();
  await clock.advance(2000);
  await replicas.verified(5000);
  assert.notEqual(issuerOf(replicas, 0), before);
  assert.deepEqual(await replicas.trusted(), [[issuerOf(replicas, 0)], [issuerOf(replicas, 0)]]);
});

test('a clock that jumps ahead alone is told apart from time that passes: nothing is changed, and it says what to do', async () => {
  let aheadMs = 0;
  await using replicas = await startReplicas({
    replicas: 2,
    clockOf: (clock, index) => ({
      now: () => clock.now() + (index === 1 ? aheadMs : 0),
      monotonic: () => clock.monotonic(),
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    }),
  });
  const { clock } = replicas.cluster;
  await clock.advance(2000);
  const before = await replicas.secret();
  aheadMs = 30 * 24 * 60 * minute;
  assert.equal(replicas.certificates(1).current, undefined, 'as far as it knows, it has ended');
  await clock.advance(1000);
  await replicas.verified(2 * minute);
  assert.deepEqual(await replicas.secret(), before);
  assert.deepEqual(replicas.certificates(1).health.remarks, [
    'the clock of this machine is 43200 minutes ahead of that of the API server, by which certificates are judged; set it right',
  ]);
  aheadMs = 0;
  await clock.advance(10 * minute);
  assert.deepEqual(replicas.certificates(1).health.remarks, []);
  await replicas.verified(5000);
});

const isWrite = ({ method, path }: TransportRequest) => method !== 'GET' && !path.includes('dryRun');

test('a process that is killed after each single write, or loses its answer, comes to the same end', async () => {
  const writes: string[] = [];
  let crash = () => {};
  await using replicas = await startReplicas({
    intercept: (transport) => ({
      async request(request) {
        const answer = await transport.request(request);
        if (!isWrite(request)) return answer;
        writes.push(
          `${request.method} ${request.path.split(/[/?]/).find((part) => /^(secrets|.*configurations)$/.test(part))}`,
        );
        if (writes.length % 2 === 0) throw new TransportError('the test', 'the answer was lost');
        crash();
        return answer;
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  const [replica] = replicas.cluster.replicas;
  crash = () => replica?.crash();
  const issuers = new Set<string>();
  for (let passed = 0; passed < 15 * minute; passed += 10_000) {
    await replica?.start();
    await replicas.cluster.clock.advance(5000);
    const { current } = replica?.isRunning ? replicas.certificates(0) : {};
    if (current !== undefined && passed >= minute) await replicas.verified(5000);
    if (current !== undefined) issuers.add(new X509Certificate(current.certificate).issuer);
  }
  assert.ok(issuers.size >= 2, 'through a change of the authority');
  const [first, ...others] = writes;
  assert.equal(first, 'POST secrets');
  assert.deepEqual([...new Set(others)].sort(), [
    'PATCH mutatingwebhookconfigurations',
    'PATCH validatingwebhookconfigurations',
    'PUT secrets',
  ]);
  assert.ok(writes.length >= 9 && writes.length <= 20, `${writes.length} writes`);
});

test('the Secret goes with the Deployment, also one that replicas write once more while they end', async () => {
  await using replicas = await startReplicas({ replicas: 2, isDeployed: true });
  const { client, clock, replicas: running } = replicas.cluster;
  await clock.advance(2000);
  const { metadata } = await client.get(Deployment, deploymentKey);
  const ownersOfSecret = async () => (await client.get(Secret, secretKey)).metadata.ownerReferences;
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name, uid: metadata.uid };
  assert.deepEqual(await ownersOfSecret(), [owner]);
  await client.delete(Secret, secretKey);
  await clock.advance(5000);
  assert.deepEqual(await ownersOfSecret(), [owner]);

  await client.delete(Deployment, deploymentKey);
  await clock.advance(5000); // they go on, and write it again and again
  for (const replica of running) replica.crash();
  await clock.advance(5000);
  assert.equal(await client.find(Secret, secretKey), undefined);
});
