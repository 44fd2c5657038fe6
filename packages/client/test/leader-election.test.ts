import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Transport, TransportRequest } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import {
  createClient,
  createLeaderElection,
  isLeadershipLost,
  type LeaderElection,
  type LeaderElectionOptions,
  type Term,
} from '../src/index.ts';
import { runSchedules } from './election-schedules.ts';
import { answer, failure, LeaseServer } from './lease-server.ts';
import { ManualClock, settled, steadyRandom } from './manual-clock.ts';

class Setup {
  readonly clock = new ManualClock();
  readonly server = new LeaseServer();
  readonly requests: string[] = [];
  /** Decides about a request before the server sees it: an answer, or silence. */
  intercept: ((request: TransportRequest) => ReturnType<Transport['request']> | undefined) | undefined;

  readonly transport: Transport = {
    request: (request) => {
      this.requests.push(request.method);
      return this.intercept?.(request) ?? Promise.resolve(this.server.serve(request));
    },
    async [Symbol.asyncDispose]() {},
  };

  readonly client = createClient({ transport: this.transport, clock: this.clock, random: steadyRandom(0) });
  readonly heard: string[] = [];

  election(identity: string, options: Partial<LeaderElectionOptions> = {}): LeaderElection {
    return createLeaderElection({
      client: this.client,
      lease: 'x/lease',
      identity,
      clock: this.clock,
      random: steadyRandom(0),
      onLeader: (leader) => this.heard.push(`${identity} hears of ${leader}`),
      onError: (error) => this.heard.push(`${identity}: ${error.message}`),
      ...options,
    });
  }

  /** Starts to compete, and notes the term when it comes. */
  compete(identity: string, options?: Partial<LeaderElectionOptions>) {
    const election = this.election(identity, options);
    let term: Term | undefined;
    election.win(new AbortController().signal).then(
      (won) => {
        term = won;
      },
      () => {},
    );
    return {
      election,
      leads: () => term?.isCurrent() ?? false,
      giveUp: () => term?.[Symbol.asyncDispose](),
    };
  }
}

/** The Deployment of the replicas is there. */
const withDeployment = ({ path }: TransportRequest) =>
  path.includes('/deployments/') ? Promise.resolve(answer(200, { metadata: { name: 'web', uid: 'any' } })) : undefined;

const silence = (request: TransportRequest) =>
  new Promise<never>((_resolve, reject) => {
    request.signal?.addEventListener('abort', () => reject(request.signal?.reason), { once: true });
  });

/** Answers as the server does, but only after that time. */
const late = (given: Setup, ms: number) => (request: TransportRequest) =>
  new Promise<Awaited<ReturnType<Transport['request']>>>((resolve) => {
    const response = given.server.serve(request);
    given.clock.setTimer(ms, () => resolve(response));
  });

describe('an election', () => {
  test('is won at once when nobody leads, and by nobody else meanwhile', async () => {
    const given = new Setup();
    const first = given.compete('one');
    await settled();
    assert.equal(given.server.holder, 'one');
    assert.ok(first.leads());
    const second = given.compete('two');
    await given.clock.advance(120_000);
    assert.equal(second.leads(), false);
    assert.equal(second.election.leader, 'one');
    assert.deepEqual(given.heard, ['one hears of one', 'two hears of one']);
    assert.equal(given.server.lease?.spec.renewTime, '2026-01-01T00:02:00.000000Z');
    assert.equal(given.server.lease?.spec.acquireTime, '2026-01-01T00:00:00.000000Z');
  });

  test('is won by another as soon as the leader gives up', async () => {
    const given = new Setup();
    const first = given.compete('one');
    await settled();
    const second = given.compete('two');
    await given.clock.advance(5000);
    await first.giveUp();
    assert.equal(first.leads(), false);
    assert.equal(given.server.holder, undefined);
    await given.clock.advance(2000);
    assert.ok(second.leads());
    assert.equal(given.server.lease?.spec.leaseTransitions, 1);
    assert.deepEqual(given.heard, [
      'one hears of one',
      'two hears of one',
      'one hears of undefined',
      'two hears of undefined',
      'two hears of two',
    ]);
  });

  test('is won by another at once when the leader gives up, where the Lease may be watched', async () => {
    const given = new Setup();
    given.server.mayBeWatched = true;
    const first = given.compete('one');
    await settled();
    const second = given.compete('two');
    await given.clock.advance(30_100);
    assert.equal(second.leads(), false);
    const looks = given.requests.length;
    await first.giveUp();
    await settled();
    assert.ok(second.leads());
    assert.deepEqual(given.requests.slice(looks), ['PUT', 'GET', 'PUT']);
    assert.deepEqual(given.heard.slice(2), ['one hears of undefined', 'two hears of undefined', 'two hears of two']);
    await second.giveUp();
    assert.equal(given.clock.timers, 0, 'neither the look that was spared nor the watch is left');
  });

  test('does not hurry for a Lease that was given back and cannot be taken', async () => {
    const given = new Setup();
    given.server.mayBeWatched = true;
    const first = given.compete('one');
    await settled();
    given.compete('two');
    await settled();
    given.intercept = ({ method, body }) =>
      method === 'PUT' && String(body).includes('"two"') ? Promise.resolve(failure(403, 'Forbidden')) : undefined;
    await first.giveUp();
    const looks = given.requests.length;
    await given.clock.advance(20_000);
    const tries = given.requests.length - looks;
    assert.ok(tries >= 20 && tries <= 22, `${tries} requests in ten looks`);
  });

  test('does not hurry for what a watch shows and a look does not find', async () => {
    const given = new Setup();
    given.server.mayBeWatched = true;
    const first = given.compete('one');
    await settled();
    const second = given.compete('two');
    await given.clock.advance(100);
    // It may watch and no longer look: whoever leads for it, it is the one from before.
    const isLook = ({ method, path }: TransportRequest) => method === 'GET' && !path.includes('watch=');
    given.intercept = (request) => (isLook(request) ? Promise.resolve(failure(403, 'Forbidden')) : undefined);
    await first.giveUp();
    const before = given.requests.length;
    await given.clock.advance(20_000);
    assert.equal(second.leads(), false);
    const tries = given.requests.length - before;
    assert.ok(tries <= 25, `${tries} requests in 20 s`);
  });

  test('is won again only when the last term has been given back', async () => {
    const given = new Setup();
    const { signal } = new AbortController();
    const election = given.election('one');
    const first = await election.win(signal);
    given.intercept = (request) =>
      request.method === 'PUT' && !JSON.parse(String(request.body)).spec.holderIdentity
        ? new Promise((resolve) => given.clock.setTimer(3000, () => resolve(given.server.serve(request)))) // a slow way
        : undefined;
    const terms: Term[] = [];
    first.signal.addEventListener('abort', () => {
      void election.win(signal).then((term) => terms.push(term));
    });
    const left = first[Symbol.asyncDispose]();
    await given.clock.advance(2000);
    assert.equal(terms.length, 0);
    await given.clock.advance(2000);
    await left;
    assert.ok(terms[0]?.isCurrent());
    assert.equal(given.server.holder, 'one');
  });

  test('waits for the lease to run out when the leader does not give it back', async () => {
    const given = new Setup();
    const first = given.compete('one', { releaseOnStop: false });
    await settled();
    const second = given.compete('two');
    await settled();
    await first.giveUp();
    await given.clock.advance(14_000);
    assert.equal(second.leads(), false);
    await given.clock.advance(2000);
    assert.ok(second.leads());
  });

  test('waits as long for a lease that was deleted under its leader', async () => {
    const given = new Setup();
    const first = given.compete('one');
    await settled();
    const second = given.compete('two');
    await settled();
    given.server.lease = undefined;
    await given.clock.advance(2000);
    assert.equal(first.leads(), false);
    assert.ok(given.heard.includes('one: the lease was deleted'));
    await given.clock.advance(11_000);
    assert.equal(second.leads(), false);
    await given.clock.advance(4000);
    assert.ok(second.leads());
  });

  test('makes a Lease that goes with its Deployment, also when that is gone already', async () => {
    const given = new Setup();
    let uid: string | undefined = 'first';
    given.intercept = ({ path }) => {
      if (!path.includes('/deployments/')) return undefined;
      if (uid === 'hidden') return Promise.resolve(failure(403, 'Forbidden'));
      return Promise.resolve(uid ? answer(200, { metadata: { name: 'web', uid } }) : failure(404, 'NotFound'));
    };
    const owners = () => given.server.lease?.metadata.ownerReferences;
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const deletedUnder = async (next: string | undefined) => {
      uid = next;
      given.server.lease = undefined;
      const another = given.compete('another', { deployment: 'x/web' });
      await given.clock.advance(4000);
      assert.ok(another.leads());
      await another.giveUp();
    };
    const first = given.compete('one', { deployment: 'x/web' });
    await settled();
    assert.deepEqual(owners(), [{ ...owner, uid: 'first' }]);
    await given.clock.advance(4000);
    assert.ok(first.leads());
    await first.giveUp();
    assert.deepEqual(owners(), [{ ...owner, uid: 'first' }], 'what is written later keeps it');

    await deletedUnder('second');
    assert.deepEqual(owners(), [{ ...owner, uid: 'second' }], 'one that was made anew has another uid');
    await deletedUnder('hidden');
    assert.equal(owners(), undefined, 'where it may not be read, the Lease stays');

    given.server.lease = undefined;
    uid = 'third';
    const last = given.compete('one', { deployment: 'x/web' });
    await given.clock.advance(4000);
    assert.ok(last.leads());
    uid = undefined;
    given.server.lease = undefined;
    await given.clock.advance(2000);
    assert.equal(last.leads(), false);
    void last.election.win(new AbortController().signal);
    await given.clock.advance(4000);
    assert.deepEqual(owners(), [{ ...owner, uid: 'third' }], 'the garbage collector takes what names one that is gone');
  });

  test('that makes the Lease of a Deployment leads when pods of one that was deleted have noticed', async () => {
    const given = new Setup();
    given.intercept = withDeployment;
    const former = given.compete('former', { deployment: 'x/web' });
    await given.clock.advance(4000);
    assert.ok(former.leads());

    given.server.lease = undefined; // with its Deployment, which is made anew while the pod still ends
    const latter = given.compete('latter', { deployment: 'x/web' });
    for (let ms = 0; ms < 4000; ms += 100) {
      await settled();
      assert.ok(!(former.leads() && latter.leads()), `both lead after ${ms} ms`);
      await given.clock.advance(100);
    }
    assert.deepEqual([former.leads(), latter.leads()], [false, true]);
  });

  test('that is told to end while it waits for such pods gives the Lease back', async () => {
    const given = new Setup();
    given.intercept = ({ path }) =>
      path.includes('/deployments/') ? Promise.resolve(failure(404, 'NotFound')) : undefined;
    const stop = new AbortController();
    const won = given.election('one', { deployment: 'x/web' }).win(stop.signal);
    await settled();
    assert.equal(given.server.holder, 'one');
    stop.abort(new Error('enough'));
    await assert.rejects(won, /enough/);
    assert.equal(given.server.holder, undefined);
  });

  test('makes a Lease without an owner where the Deployment is in another namespace, and leads at once', async () => {
    const given = new Setup();
    given.intercept = withDeployment;
    const one = given.compete('one', { deployment: 'y/web' });
    await settled();
    assert.ok(one.leads());
    assert.equal(given.server.lease?.metadata.ownerReferences, undefined);
  });

  test('ends when it is told to', async () => {
    const given = new Setup();
    given.compete('one');
    await settled();
    const controller = new AbortController();
    const second = given.election('two').win(controller.signal);
    await settled();
    controller.abort(new Error('enough'));
    await assert.rejects(second, /enough/);
  });

  test('has one competitor, who may compete again after his term', async () => {
    const given = new Setup();
    const election = given.election('one');
    const { signal } = new AbortController();
    const term = election.win(signal);
    await assert.rejects(election.win(signal), /competes or leads already/);
    const won = await term;
    await assert.rejects(election.win(signal), TypeError);
    await won[Symbol.asyncDispose]();
    const again = await election.win(signal);
    assert.ok(again.isCurrent());
    await assert.rejects(election.win(AbortSignal.abort(new Error('enough'))), TypeError);
    given.clock.jump(10_000);
    assert.equal(again.isCurrent(), false);
    await assert.rejects(election.win(AbortSignal.abort(new Error('enough'))), /enough/);
    assert.ok((await election.win(signal)).isCurrent());
  });

  test('is not harmed by those who listen to it', async () => {
    const given = new Setup();
    const reported: string[] = [];
    const first = given.compete('one', {
      onLeader: () => {
        throw new Error('clumsy');
      },
      onError: (error) => {
        reported.push(error.message);
        throw error;
      },
    });
    await settled();
    assert.ok(first.leads());
    given.intercept = () => Promise.resolve(failure(403, 'Forbidden'));
    await given.clock.advance(4000);
    given.intercept = undefined;
    await given.clock.advance(20_000);
    assert.ok(first.leads());
    assert.deepEqual(reported, [
      'clumsy',
      'update leases.coordination.k8s.io x/lease: Forbidden',
      'update leases.coordination.k8s.io x/lease: Forbidden',
    ]);
  });

  test('goes on when the server cannot be asked', async () => {
    const given = new Setup();
    given.intercept = () => Promise.resolve(failure(403, 'Forbidden'));
    const first = given.compete('one');
    await given.clock.advance(2000);
    assert.equal(first.leads(), false);
    given.intercept = undefined;
    await given.clock.advance(2000);
    assert.ok(first.leads());
    assert.equal(given.heard[0], 'one: get leases.coordination.k8s.io x/lease: Forbidden');
  });

  test('refuses times that cannot work', () => {
    const given = new Setup();
    assert.throws(
      () => given.election('one', { leaseDurationMs: 10_000 }),
      /leaseDurationMs \(10000\) must be greater than renewDeadlineMs/,
    );
    assert.throws(() => given.election('one', { retryPeriodMs: 9000 }), /must be greater than 1.2 times retryPeriodMs/);
    assert.throws(() => given.election('one', { retryPeriodMs: 0 }), RangeError);
    assert.throws(() => given.election('one', { retryPeriodMs: Number.NaN }), RangeError);
    assert.throws(
      () => given.election('one', { leaseDurationMs: Number.POSITIVE_INFINITY }),
      /leaseDurationMs must be finite, not Infinity/,
    );
    assert.throws(() => given.election('', {}), TypeError);
    assert.throws(() => given.election('one', { lease: 'lease' }), TypeError);
  });
});

describe('a term', () => {
  async function leading(): Promise<Setup & { readonly term: Term }> {
    const given = new Setup();
    const { election, controller } = { election: given.election('one'), controller: new AbortController() };
    return Object.assign(given, { term: await election.win(controller.signal) });
  }

  test('ends ten seconds after the last renewal was sent, whatever becomes of the answers', async () => {
    const given = await leading();
    await given.clock.advance(4000);
    given.intercept = silence;
    await given.clock.advance(9999);
    assert.ok(given.term.isCurrent());
    assert.equal(given.term.signal.aborted, false);
    await given.clock.advance(1);
    assert.equal(given.term.signal.aborted, true);
    assert.ok(isLeadershipLost(given.term.signal.reason));
    given.intercept = undefined;
    await given.clock.advance(60_000);
    assert.equal(given.term.isCurrent(), false, 'what was lost does not come back');
  });

  test('counts from the sending of the claim and of each renewal, however late the answers come', async () => {
    const given = new Setup();
    given.intercept = late(given, 4000);
    const first = given.compete('one');
    await given.clock.advance(8000); // the look, then the claim
    assert.ok(first.leads());
    given.intercept = silence;
    await given.clock.advance(5999);
    assert.ok(first.leads());
    await given.clock.advance(1);
    assert.equal(first.leads(), false, 'ten seconds after the claim was sent, at 4 s');

    const other = await leading();
    other.intercept = late(other, 4000);
    await other.clock.advance(6000); // a renewal is sent at 2 s, and answered at 6 s
    other.intercept = silence;
    await other.clock.advance(5999);
    assert.ok(other.term.isCurrent());
    await other.clock.advance(1);
    assert.equal(other.term.isCurrent(), false, 'ten seconds after the renewal was sent, at 2 s');
  });

  test('is told to have ended, when its time is up and when it is given up', async () => {
    const given = await leading();
    assert.deepEqual(given.heard.splice(0), ['one hears of one']);
    given.intercept = silence;
    await given.clock.advance(10_000);
    assert.deepEqual(
      given.heard.filter((each) => each.includes('hears')),
      ['one hears of undefined'],
    );
  });

  test('gives the lease back also when a renewal was interrupted that the server has', async () => {
    const given = await leading();
    given.intercept = (request) => {
      given.server.serve(request);
      return silence(request);
    };
    await given.clock.advance(2000);
    given.intercept = undefined;
    await given.term[Symbol.asyncDispose]();
    assert.equal(given.server.holder, undefined);
    assert.deepEqual(given.heard, ['one hears of one', 'one hears of undefined']);
  });

  test('ends by the clock, before any timer of a blocked process rings', async () => {
    const given = await leading();
    given.clock.jump(10_000); // nothing runs meanwhile
    assert.throws(() => given.term.assertCurrent(), isLeadershipLost);
    assert.equal(given.term.signal.aborted, true);
  });

  test('ends when the machine was suspended: only the wall clock knows', async () => {
    const given = await leading();
    given.clock.jumpWall(10_000);
    assert.throws(() => given.term.assertCurrent(), isLeadershipLost);
  });

  test('survives a wall clock that goes back', async () => {
    const given = await leading();
    given.clock.jumpWall(-3_600_000);
    await given.clock.advance(60_000);
    assert.ok(given.term.isCurrent());
  });

  test('survives an edit by someone else, and a renewal whose answer was lost', async () => {
    const given = await leading();
    const { lease } = given.server;
    assert.ok(lease);
    given.server.write({ ...lease, metadata: { ...lease.metadata, labels: { edited: 'yes' } } });
    await given.clock.advance(3000);
    assert.deepEqual(given.server.lease?.metadata.labels, { edited: 'yes' });
    given.intercept = (request) => {
      given.server.serve(request);
      return silence(request);
    };
    await given.clock.advance(3000);
    given.intercept = undefined;
    await given.clock.advance(30_000);
    assert.ok(given.term.isCurrent());
    assert.equal(given.server.holder, 'one');
  });

  test('ends at once when another holds the lease', async () => {
    const given = await leading();
    const { lease } = given.server;
    assert.ok(lease);
    given.server.write({ ...lease, spec: { ...lease.spec, holderIdentity: 'usurper' } });
    await given.clock.advance(2000);
    assert.equal(given.term.isCurrent(), false);
    assert.ok(given.heard.includes('one: usurper took the lease'));
    await given.term[Symbol.asyncDispose]();
    assert.equal(given.server.holder, 'usurper', 'what is not ours is not released');
  });

  test('leaves no timer behind', async () => {
    const given = await leading();
    await given.term[Symbol.asyncDispose]();
    await given.term[Symbol.asyncDispose]();
    assert.equal(given.clock.timers, 0);
  });

  test('guards writes: none begins after it has ended, and reads go on', async () => {
    const given = await leading();
    const sent: string[] = [];
    const transport: Transport = {
      async request({ method, beforeSend }) {
        beforeSend?.();
        sent.push(method);
        return given.server.serve({ method: 'GET', path: '', headers: {} });
      },
      async [Symbol.asyncDispose]() {},
    };
    const client = createClient({ transport, clock: given.clock, fieldManager: 'test' }).with({
      guard: given.term.assertCurrent,
    });
    const object = { metadata: { name: 'a', namespace: 'x' } };
    await client.apply(ConfigMap, object);
    given.clock.jump(10_000);
    for (const write of [
      () => client.apply(ConfigMap, object),
      () => client.create(ConfigMap, object),
      () => client.update(ConfigMap, object),
      () => client.patch(ConfigMap, 'x/a', {}),
      () => client.delete(ConfigMap, 'x/a'),
      () => client.deleteCollection(ConfigMap, { namespace: 'x' }),
    ]) {
      await assert.rejects(write(), isLeadershipLost);
    }
    await client.get(ConfigMap, 'x/a');
    assert.deepEqual(sent, ['PATCH', 'GET']);
  });
});

test('in random schedules of pauses, partitions, slow answers and clock jumps, no replica begins a write after its term could have ended', async () => {
  const { terms, writes } = await runSchedules(100);
  assert.ok(terms > 100 && writes > 15_000, `${terms} terms, ${writes} writes`);
});
