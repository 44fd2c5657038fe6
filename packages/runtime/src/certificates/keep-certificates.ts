/**
 * Certificates that look after themselves: an authority and what it issued, in a Secret that all replicas share.
 *
 * Promises: replicas agree, since each write names what it follows (a create, or the version that was read) and the loser
 * reads again. Each API server is told of a new authority before anything that it issued is served: what
 * is served changes only when all objects have named that authority for a while, or when there is nothing left to
 * lose. What was served stays trusted until it ends. Nothing that has ended is handed out. A Secret that is gone is
 * written again; what is wrong in it is made anew. What fails is tried again, and told once.
 * Does not: know of HTTP.
 */
import { X509Certificate } from 'node:crypto';
import { type Client, createInformer, owningDeployment } from '@keelson/client';
import {
  anySignal,
  type Clock,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  jitter,
  type Kind,
  metadataOf,
  type NamespacedName,
  type ObjectOf,
  parseKey,
  type Random,
  resourceNameOf,
  sleep,
} from '@keelson/core';
import { Secret } from '@keelson/core/v1';
import type { Logger } from '../log/logger.ts';
import { type CertificateLifetimes, dueAt, isOurs, lateAt, type Renewal, renewal } from './renewal.ts';
import type { CertificateHealth, ServingCertificates } from './serving-certificates.ts';
import { SharedTime } from './shared-time.ts';
import {
  bundleText,
  type Certificates,
  certificatesIn,
  dataOf,
  endOf,
  type Issued,
  storedCertificates,
  trustworthy,
} from './stored-certificates.ts';
import { bundlesTold, type Told, type TrustingObject, tell } from './trusting-objects.ts';

export interface KeepCertificatesOptions {
  readonly client: Client;
  /** The Secret that replicas share, as `namespace/name`. */
  readonly secret: NamespacedName;
  /** The Deployment of the replicas, as `namespace/name`: a Secret that is made goes with it. @default none */
  readonly deployment?: NamespacedName | undefined;
  /** Names and addresses by which the server is called, such as `web-webhook.web-system.svc`. */
  readonly hosts: readonly string[];
  /** The objects of the operator's own that name the server and have to trust it. */
  readonly trustedBy: readonly TrustingObject[];
  /** How long an authority lasts. @default one year */
  readonly authorityMs?: number | undefined;
  /** How long a serving certificate lasts. @default 90 days */
  readonly servingMs?: number | undefined;
  /** How long all API servers take to learn of a new authority. @default one minute */
  readonly settleMs?: number | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

const dayMs = 24 * 3_600_000;
/** How often it looks though nothing has happened: the wall clock may have jumped. */
const lookMs = 600_000;
const firstRetryMs = 1000;
const longestRetryMs = 60_000;
/** After it wrote: those who undo it at once are not answered at once. */
const restMs = 1000;
const mostRaces = 10;

/**
 * Begins to look after certificates; disposing ends it.
 *
 * @example
 * await using certificates = keepCertificates({
 *   client,
 *   secret: 'web-system/web-webhook-certificate',
 *   hosts: ['web-webhook.web-system.svc'],
 *   trustedBy: [{ kind: ValidatingWebhookConfiguration, name: 'web-validating' }],
 *   logger, clock, random,
 * });
 * using _ = certificates.subscribe(() => serveWith(certificates.current));
 */
export function keepCertificates(options: KeepCertificatesOptions): ServingCertificates {
  const keeper = new CertificateKeeper(options);
  keeper.start();
  return keeper;
}

type StoredSecret = ObjectOf<typeof Secret>;

/** What an attempt to tell all objects came to. */
interface Spread {
  readonly caBundle: string;
  /** Since when all objects say so, by the monotonic clock; absent while one of them could not be told. */
  readonly since: number | undefined;
}

class CertificateKeeper implements ServingCertificates {
  readonly #options: KeepCertificatesOptions;
  readonly #client: Client;
  readonly #lifetimes: CertificateLifetimes;
  readonly #settleMs: number;
  readonly #time: SharedTime;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  #ended: Promise<unknown> = Promise.resolve();
  #held: Certificates | undefined;
  /** Whom the Secret goes with, by the last one that was seen. */
  #owners: StoredSecret['metadata']['ownerReferences'];
  #served: Issued | undefined;
  #spread: Spread | undefined;
  #wasTold = false;
  #remarks: readonly string[] = [];
  #failure: string | undefined;
  #isAsked = false;
  #wake = () => {};

  constructor(options: KeepCertificatesOptions) {
    const { authorityMs = 365 * dayMs, servingMs = 90 * dayMs, settleMs = 60_000 } = options;
    this.#options = options;
    this.#client = options.client.with({ signal: this.#stop.signal });
    this.#lifetimes = { authorityMs, servingMs };
    this.#settleMs = settleMs;
    this.#time = new SharedTime(this.#client, parseKey(options.secret).namespace ?? '', options.clock);
  }

  start(): void {
    this.#ended = Promise.all([this.#keepLooking(), ...this.#watches()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the operator stops'));
    await this.#ended;
  }

  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  get current(): Issued | undefined {
    // Time has passed it, or the clock has jumped: by a timer alone that would be noticed too late.
    if (this.#served !== undefined && !this.#isValid(this.#served)) {
      this.#change(undefined);
      this.#ask();
    }
    return this.#served;
  }

  get health(): CertificateHealth {
    const { current } = this;
    const { secret } = this.#options;
    const waiting =
      current === undefined
        ? `there is no valid certificate in Secret ${secret} yet`
        : 'no API server was told yet whom to trust';
    const isWell = current !== undefined && this.#wasTold;
    return {
      problem: isWell ? undefined : (this.#failure ?? waiting),
      remarks: isWell && this.#failure !== undefined ? [...this.#remarks, this.#failure] : this.#remarks,
      expiresAt: current && endOf(new X509Certificate(current.certificate)),
    };
  }

  #isValid({ certificate }: Issued): boolean {
    return this.#time.now() < endOf(new X509Certificate(certificate));
  }

  #change(served: Issued | undefined): void {
    this.#served = served;
    for (const listener of this.#listeners) listener();
  }

  /** Has it look now, or again when it looks already. */
  #ask(): void {
    this.#isAsked = true;
    this.#wake();
  }

  /** Changes are only a reason to look; what is looked at is read anew. */
  #watches(): readonly Promise<void>[] {
    const { secret, trustedBy, clock, random, logger } = this.#options;
    const { namespace, name } = parseKey(secret);
    const watched: readonly (readonly [Kind, string, string | undefined])[] = [
      [Secret, name, namespace],
      ...trustedBy.map((each) => [each.kind, each.name, undefined] as const),
    ];
    return watched.map(([kind, object, within]) => {
      const onError = (error: Error) => logger.debug(`${kind.kind} ${object} cannot be watched`, { error });
      const options = { namespace: within, fields: `metadata.name=${object}`, clock, random, onError };
      const informer = createInformer(this.#client, metadataOf(kind), options);
      informer.subscribe(() => this.#ask());
      return informer.start(this.#stop.signal);
    });
  }

  async #keepLooking(): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      this.#isAsked = false;
      const end = await this.#look().catch((error: unknown) => {
        if (!signal.aborted) this.#failed(error as Error);
        return 'failed' as const;
      });
      failures = end === 'failed' ? failures + 1 : 0;
      // What it is asked meanwhile counts, but neither failures nor fights with others are to be quick.
      const retryMs = jitter(random, Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1)), 0.1);
      await sleep(clock, { failed: retryMs, wrote: restMs, idle: 0 }[end], signal).catch(() => {});
      if (end !== 'failed') await this.#asked(this.#nextLookMs());
    }
  }

  /** Waits that long, or until it is asked. */
  async #asked(ms: number): Promise<void> {
    if (this.#isAsked) return;
    const early = new AbortController();
    this.#wake = () => early.abort();
    using either = anySignal([this.#stop.signal, early.signal]);
    await sleep(this.#options.clock, ms, either.signal).catch(() => {});
    this.#wake = () => {};
  }

  /** One look: agree on what the Secret holds, tell all objects, serve. */
  async #look(): Promise<'wrote' | 'idle' | 'failed'> {
    const { held, wrote } = await this.#agree();
    this.#held = held;
    // The first one is served at once: without it nobody is answered, trusted or not.
    this.#serve();
    const told = await this.#tellAll(held);
    this.#serve();
    return told === 'idle' && wrote ? 'wrote' : told;
  }

  async #agree(): Promise<{ readonly held: Certificates; readonly wrote: boolean }> {
    const { secret: key, logger } = this.#options;
    for (let races = 0; ; races += 1) {
      const secret = await this.#client.find(Secret, key);
      if (secret !== undefined) this.#owners = secret.metadata.ownerReferences;
      if ((await this.#renewed(secret)).changes.length > 0) await this.#time.compare();
      const { certificates, changes } = await this.#renewed(secret);
      if (changes.length === 0) return { held: certificates, wrote: false };
      try {
        await this.#write(secret, certificates);
        logger.info('Webhook certificates were written', { secret: key, changes });
        return { held: certificates, wrote: true };
      } catch (error) {
        // Another replica, or somebody else, was quicker: what there is now counts.
        const isRace = isConflict(error) || isAlreadyExists(error) || (secret !== undefined && isNotFound(error));
        if (!isRace || races >= mostRaces) throw error;
      }
    }
  }

  async #renewed(secret: StoredSecret | undefined): Promise<Renewal> {
    const { hosts, random } = this.#options;
    const now = this.#time.now();
    const stored = secret && storedCertificates(secret.data ?? {}, now);
    const held = this.#held && storedCertificates(dataOf(this.#held), now);
    return renewal({
      stored,
      held,
      served: this.current,
      trusted: stored === undefined && held === undefined ? await this.#trustedAlready(now) : [],
      hosts,
      hasSettled: (authority) => this.#hasSettled(authority),
      lifetimes: this.#lifetimes,
      now,
      random,
    });
  }

  async #write(secret: StoredSecret | undefined, certificates: Certificates): Promise<void> {
    if (secret !== undefined) {
      await this.#client.update(Secret, { ...secret, data: { ...secret.data, ...dataOf(certificates) } });
      return;
    }
    const { namespace, name } = parseKey(this.#options.secret);
    const labels = { 'app.kubernetes.io/managed-by': 'keelson' };
    const ownerReferences = await this.#ownersToBe();
    const metadata = { name, namespace, labels, ownerReferences };
    await this.#client.create(Secret, { metadata, type: 'kubernetes.io/tls', data: dataOf(certificates) });
  }

  /**
   * It goes with its Deployment. If that is gone while its pods still end, the one that they write once more names it all
   * the same: so the garbage collector takes that one, too.
   */
  async #ownersToBe(): Promise<StoredSecret['metadata']['ownerReferences']> {
    const { deployment } = this.#options;
    if (deployment === undefined) return undefined;
    const owner = await owningDeployment(this.#client, deployment);
    return owner ? [owner] : this.#owners;
  }

  /** What API servers trust already, though nobody knows its key any more: another replica may still serve with it. */
  async #trustedAlready(now: number): Promise<readonly string[]> {
    const told = await Promise.all(this.#options.trustedBy.map((each) => bundlesTold(this.#client, each)));
    const texts = new Set(told.flat().map((base64) => Buffer.from(base64, 'base64').toString()));
    const all = new Set([...texts].flatMap(certificatesIn));
    return trustworthy([...all], now).filter(isOurs);
  }

  /** What cannot be told is tried again; the others are none the worse for it. */
  async #tellAll({ bundle }: Certificates): Promise<'wrote' | 'idle' | 'failed'> {
    const { trustedBy, clock } = this.#options;
    const caBundle = Buffer.from(bundleText(bundle)).toString('base64');
    const ends = await Promise.all(
      trustedBy.map(async (object) => ({
        what: `${resourceNameOf(object.kind)} ${object.name}`,
        told: await this.#tell(object, caBundle).catch((error: unknown) => error as Error),
      })),
    );
    this.#stop.signal.throwIfAborted();
    const failures = ends.flatMap(({ told }) => (told instanceof Error ? [told] : []));
    const wrote = ends.some(({ told }) => told === 'written');
    const isNews = wrote || this.#spread?.caBundle !== caBundle || this.#spread.since === undefined;
    if (failures.length > 0) this.#spread = { caBundle, since: undefined };
    else if (isNews) this.#spread = { caBundle, since: clock.monotonic() };
    if (failures[0] !== undefined && failures.length === ends.length) throw failures[0];
    this.#wasTold = true;
    this.#remark([...ends.flatMap(({ what, told }) => remarkOn(what, told) ?? []), ...this.#time.remarks]);
    if (failures.length > 0) return 'failed';
    return wrote ? 'wrote' : 'idle';
  }

  async #tell(object: TrustingObject, caBundle: string) {
    for (let races = 0; ; races += 1) {
      try {
        return await tell(this.#client, object, caBundle);
      } catch (error) {
        if (!isConflict(error) || races >= mostRaces) throw error;
      }
    }
  }

  #hasSettled(authority: string): boolean {
    if (this.#spread?.since === undefined) return false;
    const told = certificatesIn(Buffer.from(this.#spread.caBundle, 'base64').toString());
    return told.includes(authority) && this.#options.clock.monotonic() >= this.#spread.since + this.#settleMs;
  }

  /** Serves what all agreed on, as soon as that is trusted. */
  #serve(): void {
    const next = this.#held?.serving;
    const served = this.#served;
    if (next === undefined || !this.#isValid(next) || served?.certificate === next.certificate) return;
    const isTrusted = served === undefined || served.issuer === next.issuer || this.#hasSettled(next.issuer);
    if (isTrusted || this.#time.now() >= lateAt(served.certificate)) this.#change(next);
  }

  #nextLookMs(): number {
    const { clock } = this.#options;
    const held = this.#held;
    if (held === undefined) return lookMs;
    const { certificate } = held.serving;
    const times = [dueAt(held.authority.certificate), dueAt(certificate), lateAt(certificate)].map(
      (at) => at - this.#time.now(),
    );
    const waitsForTrust =
      held.serving.issuer !== held.authority.certificate || this.#served?.certificate !== held.serving.certificate;
    if (waitsForTrust && this.#spread?.since !== undefined)
      times.push(this.#spread.since + this.#settleMs - clock.monotonic());
    return Math.max(0, Math.min(lookMs, ...times.filter((ms) => ms > 0)));
  }

  #failed(error: Error): void {
    const { secret, logger } = this.#options;
    const failure = `the certificates in Secret ${secret} cannot be looked after: ${reasonOf(error)}`;
    if (failure === this.#failure) return;
    this.#failure = failure;
    logger.warn('Webhook certificates cannot be looked after; trying again', { problem: reasonOf(error), error });
  }

  #remark(remarks: readonly string[]): void {
    const { logger } = this.#options;
    for (const each of remarks) if (!this.#remarks.includes(each)) logger.warn(each);
    this.#remarks = remarks;
    this.#failure = undefined;
  }
}

/** What failed, and what to do where the server does not say. */
const reasonOf = (error: Error): string =>
  isForbidden(error) ? `${error.message}; apply the roles that "keelson generate" writes` : error.message;

function remarkOn(what: string, told: Error | Told): string | undefined {
  if (told instanceof Error) return `${what} cannot be told whom to trust, so calls by it may fail: ${reasonOf(told)}`;
  if (told === 'absent')
    return `${what} is not there, so nothing is called by it; apply what "keelson generate" writes`;
  if (told === 'calls-none') return `${what} calls no webhook; apply what "keelson generate" writes for this version`;
  return undefined;
}
