import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Term } from '@keelson/client';
import { ApiError, sleep } from '@keelson/core';
import type { Lease } from '@keelson/core/coordination/v1';
import { seededRandom, VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import { Leadership, type LeadershipOptions } from './leadership.ts';

const refusal = (code: number, reason: string) => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message: reason };
  return new ApiError('get leases', status as never);
};

/** One replica, and a server that has one Lease. */
function given(options: LeadershipOptions = {}) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const events: unknown[] = [];
  const leads: string[] = [];
  const server: { lease: Lease | undefined; failure: Error | undefined; version: number } = {
    lease: undefined,
    failure: undefined,
    version: 0,
  };
  const written = (lease: object) => {
    if (server.failure !== undefined) throw server.failure;
    server.version += 1;
    const metadata = { uid: 'u', resourceVersion: String(server.version), name: 'operator', namespace: 'ns' };
    server.lease = { ...lease, metadata } as unknown as Lease;
    return server.lease;
  };
  const client = {
    async find() {
      if (server.failure !== undefined) throw server.failure;
      return server.lease;
    },
    create: async (_: unknown, lease: object) => written(lease),
    update: async (_: unknown, lease: object) => written(lease),
  };
  const leadership = new Leadership({
    options: { ...options, lease: 'ns/operator', identity: 'me' },
    deployment: undefined,
    client: client as never,
    recorder: { event: (_: unknown, event: unknown) => void events.push(event) } as never,
    metrics: { leads: (lease, isLeading) => void leads.push(`${lease} ${isLeading}`) },
    logger,
    clock,
    random: seededRandom(1),
  });
  const stop = new AbortController();
  const terms: Term[] = [];
  const run = () =>
    leadership.run(stop.signal, async (term) => {
      terms.push(term);
      await sleep(clock, Number.POSITIVE_INFINITY, AbortSignal.any([term.signal, stop.signal])).catch(() => {});
    });
  return { clock, logger, events, leads, server, leadership, stop, terms, run };
}

const takenBy = (holderIdentity: string) =>
  ({
    metadata: { name: 'operator', namespace: 'ns', uid: 'u', resourceVersion: '0' },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: 'then' },
  }) as unknown as Lease;

test('a replica that is elected leads until it is stopped, and says so in log, metrics, Events and standing', async () => {
  const { clock, logger, events, leads, leadership, stop, terms, run, server } = given();
  assert.deepEqual(leadership.standing, { standing: 'standing by', problem: undefined });
  const running = run();
  await clock.advance(1000);
  assert.equal(leadership.standing.standing, 'leading');
  assert.equal(terms.length, 1);
  assert.deepEqual(leads, ['operator false', 'operator true']);
  stop.abort(new Error('SIGTERM'));
  await clock.advance(1000);
  await running;
  assert.equal(server.lease?.spec.holderIdentity, undefined, 'given back');
  assert.deepEqual(leads.at(-1), 'operator false');
  const message = (what: string) => ({ type: 'Normal', reason: 'LeaderElection', message: `me ${what}` });
  assert.deepEqual(events, [message('became leader'), message('stopped leading')]);
  assert.deepEqual(
    logger.lines.map(({ level, message, fields }) => [level, message, fields.lease, fields.identity]),
    [
      ['info', 'Trying to become the leader.', 'ns/operator', 'me'],
      ['info', 'Became the leader.', 'ns/operator', 'me'],
    ],
  );
});

test('one that stands by names the leader; a stop ends the competition', async () => {
  const { clock, logger, leadership, server, stop, terms, run } = given();
  server.lease = takenBy('other');
  const running = run();
  await clock.advance(5000);
  assert.deepEqual(leadership.standing, { standing: 'standing by for other', problem: undefined });
  assert.deepEqual(
    logger.lines.filter(({ message }) => message === 'Another replica leads').map(({ fields }) => fields.leader),
    ['other'],
  );
  stop.abort(new Error('SIGTERM'));
  await running;
  assert.equal(terms.length, 0);
});

test('a missing right is a problem with the rule to add, until it is granted or has not been heard of for a while', async () => {
  const { clock, logger, leadership, server, stop, run } = given({ retryPeriodMs: 1000, renewDeadlineMs: 5000 });
  server.failure = refusal(403, 'Forbidden');
  const running = run();
  await clock.advance(10_000);
  assert.match(
    leadership.standing.problem ?? '',
    /^forbidden; missing rule: apiGroups: \["coordination.k8s.io"\], resources: \["leases"\], verbs: \["get", .*"create", "update"\] in namespace ns$/,
  );
  assert.ok(
    logger.said('warn').every((line) => line.startsWith('The lease could not be read or renewed; trying again:')),
  );
  server.failure = refusal(500, 'InternalError');
  await clock.advance(1500);
  assert.notEqual(leadership.standing.problem, undefined, 'another failure says nothing about rights');
  await clock.advance(3000);
  assert.equal(leadership.standing.problem, undefined);
  server.failure = refusal(403, 'Forbidden');
  await clock.advance(2000);
  server.failure = undefined;
  server.lease = takenBy('other');
  await clock.advance(1500);
  assert.deepEqual(leadership.standing, { standing: 'standing by for other', problem: undefined });
  stop.abort();
  await running;
});

test('who loses the lease stops its work and joins the next election, or gives up where that is asked for', async () => {
  for (const onLost of ['rejoin', 'exit'] as const) {
    const { clock, logger, server, stop, terms, leads, run } = given({ onLost });
    const running = run();
    const ended = running.then(
      () => 'stopped',
      (error: Error) => error.message,
    );
    await clock.advance(1000);
    server.failure = refusal(500, 'InternalError');
    await clock.advance(15_000);
    assert.equal(terms[0]?.signal.aborted, true);
    assert.equal(leads.at(-1), 'operator false');
    assert.match(logger.said('warn').at(-1) ?? '', onLost === 'exit' ? /^Leadership was lost/ : /./);
    assert.ok(logger.said('warn').some((line) => line.startsWith('Leadership was lost: ')));
    server.failure = undefined;
    await clock.advance(30_000);
    assert.equal(terms.length, onLost === 'rejoin' ? 2 : 1);
    stop.abort();
    await clock.advance(1000);
    assert.match(await ended, onLost === 'rejoin' ? /^stopped$/ : /renew|lease|lead/i);
  }
});
