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
import type { Identity } from '@keelson/core/x509';

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
