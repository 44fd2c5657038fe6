/**
 * What a Secret with certificates should hold next. Values in, values out; only the keys are new each time.
 *
 * Promises: what is served stays trusted, since an authority leaves the bundle only when it has ended; a certificate of
 * another authority than before is issued only when that authority has settled, or when there is nothing left to lose.
 */
import { X509Certificate } from 'node:crypto';
import { isIPv6, SocketAddress } from 'node:net';
import type { Random } from '@keelson/core';
import { createAuthority, type Identity, type Lifetime, openAuthority } from '@keelson/core/x509';
import { type Certificates, endOf, type Issued, type StoredCertificates, startOf } from './stored-certificates.ts';

/** How long what is made lasts. Each is renewed after two thirds of its life. */
export interface CertificateLifetimes {
  readonly authorityMs: number;
  readonly servingMs: number;
}

export interface RenewalInput {
  /** What the Secret holds; absent when there is none. */
  readonly stored: StoredCertificates | undefined;
  /** What it held when it was last in order, for when it is gone. */
  readonly held: StoredCertificates | undefined;
  /** What this process shows to its callers, as long as that has not ended. */
  readonly served: Issued | undefined;
  /** Authorities that servers trust already, for when nothing else is known. */
  readonly trusted: readonly string[];
  /** Names and addresses by which the server is called. */
  readonly hosts: readonly string[];
  /** Whether those who call have learnt to trust this authority. */
  readonly hasSettled: (authority: string) => boolean;
  readonly lifetimes: CertificateLifetimes;
  readonly now: number;
  readonly random: Random;
}

export interface Renewal {
  readonly certificates: Certificates;
  /** What changes, for a log; nothing when the Secret is as it should be. */
  readonly changes: readonly string[];
}

/** Clocks of others may be behind by this much, unless a life is short. */
const skewMs = 3_600_000;

/** Two thirds of a life are over: renew. */
export const dueAt = (certificate: string): number => within(certificate, 2 / 3);
/** Nine tenths are over: what should be waited for is waited for no longer. */
export const lateAt = (certificate: string): number => within(certificate, 9 / 10);

function within(certificate: string, part: number): number {
  const x509 = new X509Certificate(certificate);
  return startOf(x509) + (endOf(x509) - startOf(x509)) * part;
}

export function renewal(input: RenewalInput): Renewal {
  const { stored, held, served, now, random, lifetimes } = input;
  const changes: string[] =
    stored === undefined ? ['the Secret'] : stored.problems.map((problem) => `since ${problem}`);
  const source = stored ?? held;
  let bundle = source?.bundle ?? input.trusted;
  if (served !== undefined && !bundle.includes(served.issuer)) {
    bundle = [...bundle, served.issuer];
    changes.push('what is served stays trusted');
  }

  let authority = source?.authority;
  if (authority === undefined || now >= dueAt(authority.certificate)) {
    authority = newAuthority(lifetimes.authorityMs, now, random);
    bundle = [authority.certificate, ...bundle];
    changes.push('a new authority');
  }

  let serving = source?.serving ?? served;
  if (serving === undefined || (isOld(serving, authority, input) && mayReplace(serving, authority, input))) {
    serving = issue(authority, serving?.certificate, input);
    changes.push('a new serving certificate');
  }
  return { certificates: { bundle, authority, serving }, changes };
}

function newAuthority(lifeMs: number, now: number, random: Random): Identity {
  // A name of its own, so that nobody who builds a chain takes one authority for another.
  const name = `${authorityName}${random.uuid().slice(0, 8)}`;
  const { certificate, key } = createAuthority(random, { name, lifetime: lifetimeFrom(now, lifeMs) });
  return { certificate: new X509Certificate(certificate).toString(), key };
}

const authorityName = 'keelson-webhook-ca-';

/** Whether an authority was made here; others that stand beside it are not ours to keep. */
export const isOurs = (certificate: string): boolean =>
  new X509Certificate(certificate).subject.startsWith(`CN=${authorityName}`);

const lifetimeFrom = (now: number, lifeMs: number): Lifetime => ({
  startsAt: now - Math.min(skewMs, lifeMs / 10),
  endsAt: now + lifeMs,
});

/** Whether something newer is wanted. */
const isOld = ({ certificate, issuer }: Issued, authority: Identity, { hosts, now }: RenewalInput): boolean =>
  now >= dueAt(certificate) ||
  issuer !== authority.certificate ||
  hosts.some((host) => !hostsIn(certificate).includes(inOneForm(host)));

const mayReplace = (serving: Issued, { certificate }: Identity, { hasSettled, now }: RenewalInput): boolean =>
  serving.issuer === certificate || hasSettled(certificate) || now >= lateAt(serving.certificate);

/** Replicas of two versions may be called by different names, and share one certificate: it has the names of both. */
function issue(
  authority: Identity,
  before: string | undefined,
  { hosts, lifetimes, now, random }: RenewalInput,
): Issued {
  const all = [...new Set([...hosts.map(inOneForm), ...(before === undefined ? [] : hostsIn(before))])];
  const { startsAt, endsAt } = lifetimeFrom(now, lifetimes.servingMs);
  const authorityEnd = endOf(new X509Certificate(authority.certificate));
  const lifetime = { startsAt, endsAt: Math.min(endsAt, authorityEnd) };
  const { certificate, key } = openAuthority(authority, random).issueServer('keelson-webhook', all, lifetime);
  return { certificate: new X509Certificate(certificate).toString(), key, issuer: authority.certificate };
}

const hostsIn = (certificate: string): readonly string[] =>
  (new X509Certificate(certificate).subjectAltName ?? '')
    .split(', ')
    .map((each) => inOneForm(each.replace(/^(DNS|IP Address):/, '')))
    .filter((each) => each !== '');

/** An IPv6 address can be written in many, and a certificate is shown with another than people use. */
function inOneForm(host: string): string {
  return isIPv6(host) ? new SocketAddress({ address: host, family: 'ipv6' }).address : host;
}
