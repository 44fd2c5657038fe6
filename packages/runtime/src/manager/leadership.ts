/**
 * Leadership: of several replicas one works, and the others stand by with complete caches.
 *
 * Promises: `work` runs only during a term, with the term's guard to put before every write; it has come to rest before
 * the Lease is given back or competed for again. A lost term is not the end: the replica joins the election again, or
 * gives up when it was told to. What is reported is client-go's: `leader_election_master_status`, and Events about the
 * Lease.
 */
import { type Client, createLeaderElection, type EventRecorder, type EventSubject, type Term } from '@keelson/client';
import { type Clock, isForbidden, type NamespacedName, parseKey, type Random } from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import type { Logger } from '../log/logger.ts';
import type { LeaderMetrics } from '../metrics/metrics.ts';

/** How replicas elect the one that works. */
export interface LeadershipOptions {
  /** The Lease, as `namespace/name`. @default the operator's name, in the namespace of the pod or of the context */
  readonly lease?: NamespacedName | undefined;
  /** Who this replica is; no two may have the same. @default the operator's name and a random part */
  readonly identity?: string | undefined;
  /** How long the others wait before they take the Lease of a leader that is gone. @default 15_000 */
  readonly leaseDurationMs?: number | undefined;
  /** How long this replica leads without a renewal. @default 10_000 */
  readonly renewDeadlineMs?: number | undefined;
  /** How often it renews, or looks. @default 2_000 */
  readonly retryPeriodMs?: number | undefined;
  /** What follows a lost lease: the next election, or the end of the manager with an error. @default 'rejoin' */
  readonly onLost?: 'rejoin' | 'exit' | undefined;
}

export interface LeadershipParts {
  readonly options: LeadershipOptions & { readonly lease: NamespacedName; readonly identity: string };
  /** Whose pods the replicas are: the Lease goes with it. */
  readonly deployment: NamespacedName | undefined;
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly metrics: LeaderMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/** Where this replica stands, for `/readyz`. */
export interface Standing {
  /** Such as `leading` or `standing by for replica-b`. */
  readonly standing: string;
  /** Why this replica can never lead. */
  readonly problem: string | undefined;
}

export class Leadership {
  readonly #parts: LeadershipParts;
  #standing = 'standing by';
  #refusedAt: number | undefined;
  #refusal: string | undefined;

  constructor(parts: LeadershipParts) {
    this.#parts = parts;
  }

  get standing(): Standing {
    const { clock, options } = this.#parts;
    const { retryPeriodMs = 2000 } = options;
    const isRefused = this.#refusedAt !== undefined && clock.monotonic() - this.#refusedAt < 3 * retryPeriodMs;
    return { standing: this.#standing, problem: isRefused ? this.#refusal : undefined };
  }

  /** Competes and works, term after term, until `signal` is aborted. */
  async run(signal: AbortSignal, work: (term: Term) => Promise<void>): Promise<void> {
    const { options, deployment, client, metrics, logger, clock, random } = this.#parts;
    const { name } = parseKey(options.lease);
    const election = createLeaderElection({
      ...options,
      deployment,
      client,
      clock,
      random,
      onLeader: (leader) => this.#heard(leader),
      onError: (error) => this.#failed(error),
    });
    metrics.leads(name, false);
    while (!signal.aborted) {
      logger.info('Trying to become the leader.', { lease: options.lease, identity: options.identity });
      const term = await election.win(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return undefined;
      });
      if (term === undefined) return;
      logger.info('Became the leader.', { lease: options.lease, identity: options.identity });
      metrics.leads(name, true);
      term.signal.addEventListener('abort', () => metrics.leads(name, false), { once: true });
      const subject = this.#subject();
      void this.#recordEvent(subject, 'became leader');
      try {
        await work(term);
      } finally {
        const wasLost = !term.isCurrent();
        await term[Symbol.asyncDispose]();
        await this.#recordEvent(subject, 'stopped leading');
        if (wasLost) logger.warn('Leadership was lost', { error: term.signal.reason as unknown });
      }
      if (!signal.aborted && options.onLost === 'exit') throw term.signal.reason as Error;
    }
  }

  #heard(leader: string | undefined): void {
    const { options, logger } = this.#parts;
    this.#refusedAt = undefined;
    if (leader === options.identity) this.#standing = 'leading';
    else this.#standing = leader === undefined ? 'standing by' : `standing by for ${leader}`;
    if (leader !== undefined && leader !== options.identity) logger.info('Another replica leads', { leader });
  }

  #failed(error: Error): void {
    const { clock, logger, options } = this.#parts;
    const { namespace } = parseKey(options.lease);
    if (isForbidden(error)) {
      this.#refusedAt = clock.monotonic();
      this.#refusal = `forbidden; missing rule: apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "watch", "create", "update"] in namespace ${namespace}`;
    }
    logger.warn('The lease could not be read or renewed; trying again', { error });
  }

  /** The Lease, as an Event needs it. */
  async #subject(): Promise<EventSubject | undefined> {
    const { client, options } = this.#parts;
    return client.find(Lease, options.lease).catch(() => undefined);
  }

  async #recordEvent(subject: Promise<EventSubject | undefined>, what: string): Promise<void> {
    const { recorder, options } = this.#parts;
    const lease = await subject;
    if (lease === undefined) return;
    recorder.event(lease, { type: 'Normal', reason: 'LeaderElection', message: `${options.identity} ${what}` });
  }
}
