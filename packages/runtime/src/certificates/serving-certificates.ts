/**
 * What a webhook server shows to those who call it, wherever that comes from.
 *
 * `keepCertificates` makes it and looks after it; `certificatesFromFiles` reads what somebody else renews. A server uses
 * either in the same way:
 *
 * - It takes `current` when it begins to listen, and again whenever `subscribe` calls (`server.setSecureContext`).
 * - It refuses a connection while `current` is undefined, and asks for it with each new one (`server.on('connection')`):
 *   the clock may have passed the end of a certificate since the last call. So nothing is served with an expired one.
 * - It is ready when `health.problem` is undefined.
 */
import { X509Certificate } from 'node:crypto';
import { type Clock, timestamp } from '@keelson/core';
import type { Identity } from '@keelson/core/x509';
import type { Check } from '../serving/check.ts';

/** The certificate of a server and its key, which change while the server runs. */
export interface ServingCertificates extends AsyncDisposable {
  /** What to show now, the same value until it changes; `undefined` while there is nothing that is valid. */
  readonly current: Identity | undefined;
  readonly health: CertificateHealth;
  /** Calls `listener` after each change of `current`. */
  subscribe(listener: () => void): Disposable;
}

/** How it stands with a certificate, for probes and metrics. */
export interface CertificateHealth {
  /** Why calls fail, and what to do; absent when they do not. */
  readonly problem: string | undefined;
  /** What is wrong beside that, and what to do. */
  readonly remarks: readonly string[];
  /** When what is shown ends: wall time in milliseconds. */
  readonly expiresAt: number | undefined;
}

/** One that never changes. */
export function givenCertificates(identity: Identity, clock: Clock): ServingCertificates {
  const endsAt = new X509Certificate(identity.certificate).validToDate.getTime();
  const isValid = () => clock.now() < endsAt;
  return {
    get current() {
      return isValid() ? identity : undefined;
    },
    get health() {
      const problem = isValid() ? undefined : `it expired at ${timestamp(endsAt)}; start again with another`;
      return { problem, remarks: [], expiresAt: isValid() ? endsAt : undefined };
    },
    subscribe: () => ({ [Symbol.dispose]() {} }),
    async [Symbol.asyncDispose]() {},
  };
}

const dayMs = 24 * 3600 * 1000;

/** Whole days until then. */
export const daysLeft = (expiresAt: number, now: number): number => Math.floor((expiresAt - now) / dayMs);

/** What `/readyz` says of a certificate. */
export function certificateCheck({ problem, remarks, expiresAt }: CertificateHealth, now: number): Check {
  const days = expiresAt === undefined ? [] : [`${daysLeft(expiresAt, now)} days left`];
  const word = remarks.length > 0 ? 'degraded' : '';
  return { name: 'webhook-certificate', problem, note: { word, details: [...days, ...remarks].join('; ') } };
}
