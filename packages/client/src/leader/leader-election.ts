/**
 * Leader election by a Lease (coordination.k8s.io/v1), compatible with client-go's: at most one of several replicas
 * leads at a time.
 *
 * Each replica trusts only its own clock. One that does not lead looks at the Lease now and then, and takes it when it
 * has not changed for a whole lease duration; it also watches it, to look at once when it is given back. One that leads renews it, and stops leading on its own, earlier than others
 * can begin, when that does not succeed. `Term` has the reasoning.
 *
 * Every write to the Lease carries the uid and resourceVersion of what it is based on, so one that arrives late changes
 * nothing. Whoever deletes the Lease under a leader takes that away: replicas that had seen it still wait, but one that
 * had not makes a new one at once, and the old leader notices only with its next renewal. A Lease that goes with its
 * Deployment is deleted like that while the pods still end, so who makes such a one gives them the time to notice.
 */
import {
  type Clock,
  equalJson,
  isAlreadyExists,
  isConflict,
  isNotFound,
  jitter,
  type NamespacedName,
  parseKey,
  type Random,
  sleep,
} from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { systemClock, systemRandom } from '@keelson/core/system';
import { callObserver } from '../client/call-observer.ts';
import type { CallOptions, Client } from '../client/client.ts';
import { claimedSpec, freeAt, isHeldByOther, type Observation, releasedSpec } from './lease-spec.ts';
import { owningDeployment } from './owning-deployment.ts';
import { ReleaseWatch } from './release-watch.ts';
import { type Instant, instantOf, LeadershipLostError, type Term, TermClock } from './term.ts';

/** One replica in the competition for a Lease. */
export interface LeaderElection {
  /** Who leads as far as we know; `undefined` when no one does, or before the first look. */
  readonly leader: string | undefined;
  /**
   * Competes until this replica is elected. Rejects with the signal's reason when that comes first. A TypeError while
   * this election competes already, or leads.
   */
  win(signal: AbortSignal): Promise<Term>;
}

/** Which Lease, who competes, and how patient all of them are. */
export interface LeaderElectionOptions {
  readonly client: Client;
  /** The Lease to compete for, `namespace/name`; it is made if it does not exist. */
  readonly lease: NamespacedName;
  /** Who we are; no two replicas may have the same. A pod's name and a random part will do. */
  readonly identity: string;
  /**
   * The Deployment of the replicas, `namespace/name`: a Lease that is made goes with it. Where it may not be read, or is
   * in another namespace than the Lease, the Lease stays. @default none
   */
  readonly deployment?: NamespacedName | undefined;
  /** How long others wait before they take the Lease. @default 15_000 */
  readonly leaseDurationMs?: number | undefined;
  /** How long we lead without a renewal. @default 10_000 */
  readonly renewDeadlineMs?: number | undefined;
  /** How often we renew, or look. @default 2_000 */
  readonly retryPeriodMs?: number | undefined;
  /** Give the Lease back at the end of a term, so that another can lead at once. @default true */
  readonly releaseOnStop?: boolean | undefined;
  /** Called when another replica, or this one, begins or ceases to lead, as far as we know. What it throws is reported. */
  readonly onLeader?: ((identity: string | undefined) => void) | undefined;
  /**
   * Gets failed looks and renewals. The election goes on, also when this throws, so only this hears of a missing
   * right, for one.
   */
  readonly onError: (error: Error) => void;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default systemRandom */
  readonly random?: Random | undefined;
}

/**
 * Competes for a Lease, so that of several replicas one works at a time. Throws a RangeError for times that could not work.
 *
 * @example
 * const election = createLeaderElection({ client, lease: 'operators/scaler', identity, onError });
 * await using term = await election.win(signal);
 * const leading = client.with({ guard: term.assertCurrent, signal: term.signal });
 */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  if (!Number.isFinite(leaseDurationMs)) throw new RangeError(`leaseDurationMs must be finite, not ${leaseDurationMs}`);
  if (!(leaseDurationMs > renewDeadlineMs)) {
    throw new RangeError(
      `leaseDurationMs (${leaseDurationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs})`,
    );
  }
  if (!(renewDeadlineMs > retryPeriodMs * jitterFactor)) {
    throw new RangeError(
      `renewDeadlineMs (${renewDeadlineMs}) must be greater than ${jitterFactor} times retryPeriodMs (${retryPeriodMs})`,
    );
  }
  if (!(retryPeriodMs > 0)) throw new RangeError(`retryPeriodMs must be greater than 0, not ${retryPeriodMs}`);
  if (options.identity === '') throw new TypeError('identity must not be empty');
  const { namespace } = parseKey(options.lease);
  if (namespace === undefined) throw new TypeError(`lease must be "namespace/name", not "${options.lease}"`);
  return new LeaseElection({
    client: options.client,
    lease: options.lease,
    identity: options.identity,
    deployment: mayOwn(options.deployment, namespace) ? options.deployment : undefined,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    releaseOnStop: options.releaseOnStop ?? true,
    onLeader: options.onLeader,
    onError: options.onError,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  });
}

/**
 * The garbage collector looks for an owner in the namespace of what it owns. A Lease that names one from elsewhere would be
 * deleted again and again, each time under its leader.
 */
const mayOwn = (deployment: NamespacedName | undefined, namespace: string): boolean =>
  deployment !== undefined && parseKey(deployment).namespace === namespace;

const jitterFactor = 1.2;

/**
 * Looks are 1 to 1.5 retry periods apart, and one is made when the Lease becomes free or is given back: so another leads within the lease
 * and two retry periods after a leader died. client-go looks up to 2.2 periods apart and knows no such moment, which
 * makes up to 4.4.
 */
const lookJitter = 0.5;

interface Settings {
  readonly client: Client;
  readonly lease: NamespacedName;
  readonly identity: string;
  readonly deployment: NamespacedName | undefined;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly releaseOnStop: boolean;
  readonly onLeader: LeaderElectionOptions['onLeader'];
  readonly onError: LeaderElectionOptions['onError'];
  readonly clock: Clock;
  readonly random: Random;
}

/** A Lease that the server has confirmed to be ours, and when we asked for that. */
interface Holding {
  readonly lease: Lease;
  readonly sent: Instant;
}

class LeaseElection implements LeaderElection {
  readonly #settings: Settings;
  #observation: Observation | undefined;
  #leader: string | undefined;
  /** Whom the Lease goes with, by the last one that was seen. */
  #owners: Lease['metadata']['ownerReferences'];
  #isCompeting = false;
  /** The last term that was won. */
  #term: TermClock | undefined;
  /** Settles when the last term has given the Lease back, or did not have to. */
  #givenBack: Promise<void> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get leader(): string | undefined {
    return this.#leader;
  }

  async win(signal: AbortSignal): Promise<Term> {
    if (this.#isCompeting || this.#term?.isCurrent()) throw new TypeError('this election competes or leads already');
    this.#isCompeting = true;
    try {
      return this.#begin(await this.#compete(signal));
    } finally {
      this.#isCompeting = false;
    }
  }

  /** Looks again and again, and tries to take the Lease when it can be had. */
  async #compete(signal: AbortSignal): Promise<Holding> {
    const { client, lease, clock, random, retryPeriodMs } = this.#settings;
    await this.#givenBack; // or what is still on its way would give back the term that we win now
    using releases = new ReleaseWatch(client, lease, signal);
    let wasEarly = false;
    while (true) {
      signal.throwIfAborted();
      const holding = await this.#tryToTake(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#report(error);
        return undefined;
      });
      if (holding) return holding;
      const untilLookMs = jitter(random, retryPeriodMs, lookJitter);
      const waitMs = Math.min(untilLookMs, this.#untilFreeMs());
      // One that nobody holds could not be taken just now: whatever the reason, that is no reason to hurry. Nor is a
      // watch that says again what the look before did not find: it may lag behind.
      if (this.#leader === undefined || wasEarly) {
        wasEarly = false;
        await sleep(clock, waitMs, signal);
      } else wasEarly = await releases.wait(clock, waitMs);
    }
  }

  /** Until the Lease that we saw can be had; those who saw it at other times come at other times. */
  #untilFreeMs(): number {
    const { clock } = this.#settings;
    const waitMs = this.#observation ? freeAt(this.#observation, this.#settings) - clock.monotonic() : 0;
    return waitMs > 0 ? waitMs : Number.POSITIVE_INFINITY;
  }

  /** Looks, and takes the Lease if no other can be leading. */
  async #tryToTake(signal: AbortSignal): Promise<Holding | undefined> {
    const { client, lease: key, identity, deployment, leaseDurationMs, clock } = this.#settings;
    const found = await client.find(Lease, key, { ...this.#limits(), signal });
    if (found) this.#observe(found);
    // Should the Lease be deleted under a leader, those who saw it still wait for as long as it promised.
    const candidate = { identity, leaseDurationMs, monotonicMs: clock.monotonic() };
    if (this.#observation && isHeldByOther(this.#observation, candidate)) return undefined;
    let holding: Holding;
    try {
      holding = await this.#write(found, signal);
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return undefined; // another was faster
      throw error;
    }
    return found || deployment === undefined ? holding : await this.#outwait(holding, signal);
  }

  /** Pods of a Deployment that was deleted may still lead, and learn with their next renewal that their Lease is gone. */
  async #outwait({ lease }: Holding, signal: AbortSignal): Promise<Holding> {
    const { clock, retryPeriodMs, renewDeadlineMs, releaseOnStop } = this.#settings;
    try {
      await sleep(clock, Math.min(2 * retryPeriodMs, renewDeadlineMs), signal);
      return await this.#renew(lease, signal);
    } catch (error) {
      if (signal.aborted && releaseOnStop) await this.#release(lease);
      throw error;
    }
  }

  /** Writes our claim over what we know, and only over that. */
  async #write(known: Lease | undefined, signal: AbortSignal): Promise<Holding> {
    const { client, lease: key, identity, leaseDurationMs, clock } = this.#settings;
    const sent = instantOf(clock);
    const spec = claimedSpec(known?.spec, { identity, leaseDurationMs, wallMs: sent.wallMs });
    const options = { ...this.#limits(), signal };
    const { namespace = '', name } = parseKey(key);
    const lease = known
      ? await client.update(Lease, { ...known, spec }, options)
      : await client.create(Lease, { metadata: { name, namespace, ...(await this.#owned(options)) }, spec }, options);
    this.#observe(lease);
    return { lease, sent };
  }

  /**
   * A Lease goes with its Deployment. If that is gone while its pods still end, the one that they make once more names it
   * all the same: so the garbage collector takes that one, too.
   */
  async #owned(options: CallOptions): Promise<Pick<Lease['metadata'], 'ownerReferences'>> {
    const { client, deployment } = this.#settings;
    if (deployment === undefined) return {};
    const owner = await owningDeployment(client, deployment, options);
    return { ownerReferences: owner ? [owner] : this.#owners };
  }

  #begin({ lease, sent }: Holding): Term {
    const { clock, renewDeadlineMs, identity } = this.#settings;
    const time = new TermClock(clock, renewDeadlineMs, sent, () => {
      if (this.#leader === identity) this.#announce(undefined);
    });
    this.#term = time;
    const holder = { lease };
    const renewing = this.#keepRenewing(time, holder);
    let ended: Promise<void> | undefined;
    const end = (): Promise<void> => {
      const isToBeReleased = time.isCurrent() && this.#settings.releaseOnStop;
      // Known before the term ends, since whoever hears of that may compete at once.
      this.#givenBack = renewing
        .then(() => (isToBeReleased ? this.#release(holder.lease) : undefined))
        .catch((error: unknown) => this.#report(error));
      time.end('it was given up');
      return this.#givenBack;
    };
    return {
      signal: time.signal,
      isCurrent: () => time.isCurrent(),
      assertCurrent: () => {
        if (!time.isCurrent()) throw time.signal.reason as LeadershipLostError;
      },
      [Symbol.asyncDispose]: async () => {
        ended ??= end();
        await ended;
      },
    };
  }

  /** Renews until the term ends, one way or the other. Never rejects. */
  async #keepRenewing(time: TermClock, holder: { lease: Lease }): Promise<void> {
    const { clock, retryPeriodMs } = this.#settings;
    while (time.isCurrent()) {
      try {
        await sleep(clock, retryPeriodMs, time.signal);
        if (!time.isCurrent()) return;
        const { lease, sent } = await this.#renew(holder.lease, time.signal);
        holder.lease = lease;
        time.renew(sent);
      } catch (error) {
        if (time.signal.aborted) return;
        if (error instanceof LeadershipLostError) time.end(error.message);
        this.#report(error);
      }
    }
  }

  async #renew(held: Lease, signal: AbortSignal): Promise<Holding> {
    const { client, lease: key, identity } = this.#settings;
    try {
      return await this.#write(held, signal);
    } catch (error) {
      if (isNotFound(error)) throw new LeadershipLostError('the lease was deleted');
      if (!isConflict(error)) throw error;
    }
    // Someone wrote it. That may be an earlier renewal of ours whose answer was lost, or a person who added a label.
    const found = await client.get(Lease, key, { ...this.#limits(), signal });
    this.#observe(found);
    if (found.spec.holderIdentity === identity) return this.#write(found, signal);
    throw new LeadershipLostError(`${found.spec.holderIdentity || 'somebody'} took the lease`);
  }

  /** Gives the Lease back, if it is still ours. */
  async #release(held: Lease): Promise<void> {
    const { client, clock, lease: key, identity } = this.#settings;
    const write = (lease: Lease) =>
      client.update(Lease, { ...lease, spec: releasedSpec(lease.spec, clock.now()) }, this.#limits());
    try {
      this.#observe(await write(held));
    } catch (error) {
      if (!isConflict(error)) throw error;
      // The renewal that the end of the term interrupted may have arrived.
      const found = await client.get(Lease, key, this.#limits());
      this.#observe(found.spec.holderIdentity === identity ? await write(found) : found);
    }
  }

  /** One slow answer must not cost the whole term. */
  #limits(): { readonly timeoutMs: number } {
    return { timeoutMs: Math.max(1000, this.#settings.renewDeadlineMs / 2) };
  }

  #observe({ spec, metadata }: Lease): void {
    this.#owners = metadata.ownerReferences;
    if (!this.#observation || !equalJson(this.#observation.spec, spec)) {
      this.#observation = { spec, seenAt: this.#settings.clock.monotonic() };
    }
    this.#announce(spec.holderIdentity || undefined);
  }

  #announce(leader: string | undefined): void {
    if (leader === this.#leader) return;
    this.#leader = leader;
    callObserver(
      () => this.#settings.onLeader?.(leader),
      (error) => this.#report(error),
    );
  }

  #report(error: unknown): void {
    const reported = error instanceof Error ? error : new Error(String(error));
    callObserver(() => this.#settings.onError(reported));
  }
}
