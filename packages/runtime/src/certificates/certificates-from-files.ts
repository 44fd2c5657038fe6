/**
 * A serving certificate in files that somebody else renews: cert-manager by a mounted Secret, or OLM.
 *
 * Promises: what replaces the files is used within ten seconds, unless the two do not fit together or have ended; then
 * the pair before is served on, for as long as it is valid itself.
 * Does not: tell API servers whom to trust. Whoever makes the files does that.
 */
import { X509Certificate } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, timestamp } from '@keelson/core';
import type { Identity } from '@keelson/core/x509';
import {
  type CertificateFiles,
  type CertificatePair,
  readCertificate,
  renewCertificate,
} from '../serving/renewed-certificate.ts';
import type { ServingCertificates } from './serving-certificates.ts';
import { endOf, fits } from './stored-certificates.ts';

export interface CertificatesFromFilesOptions {
  readonly onError: (error: Error) => void;
  readonly clock: Clock;
}

/** Rejects when there is no pair in the files that can be used. */
export async function certificatesFromFiles(
  files: CertificateFiles,
  { onError, clock }: CertificatesFromFilesOptions,
): Promise<ServingCertificates> {
  const listeners = new Set<() => void>();
  const usable = ({ cert, key }: CertificatePair): Identity => {
    const identity = { certificate: cert.toString(), key: key.toString() };
    if (!fits(identity.certificate, identity.key)) throw new Error(`${files.keyFile} does not fit ${files.certFile}`);
    if (end(identity) <= clock.now()) throw new Error(expired(identity));
    return identity;
  };
  const expired = (identity: Identity) => `${files.certFile} expired at ${timestamp(end(identity))}`;
  const current = await readCertificate(files);
  let identity = usable(current);
  const renewed = renewCertificate({
    what: 'webhook',
    current,
    read: () => readCertificate(files),
    use(pair) {
      identity = usable(pair);
      for (const listener of listeners) listener();
    },
    onError,
    clock,
  });
  const isValid = () => clock.now() < end(identity);
  return {
    get current() {
      return isValid() ? identity : undefined;
    },
    get health() {
      const next = 'see to it that whoever renews it does so';
      const problem = isValid() ? undefined : `${expired(identity)}; ${next}`;
      return { problem, remarks: [], expiresAt: isValid() ? end(identity) : undefined };
    },
    subscribe(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async [Symbol.asyncDispose]() {
      renewed[Symbol.dispose]();
    },
  };
}

const end = ({ certificate }: Identity): number => endOf(new X509Certificate(certificate));

/** Where OLM, and cert-manager in a project of Kubebuilder, put the files into a pod. */
const usualFiles: readonly CertificateFiles[] = [
  ['/tmp/k8s-webhook-server/serving-certs', 'tls'],
  ['/apiserver.local.config/certificates', 'apiserver'],
].map(([folder = '', name]) => ({ certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) }));

/**
 * The files that somebody put there for this pod, if there are any. Not to be asked elsewhere: on other machines they may
 * be left from anything.
 */
export async function usualCertificateFiles(places = usualFiles): Promise<CertificateFiles | undefined> {
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  for (const files of places) {
    if ((await isThere(files.certFile)) && (await isThere(files.keyFile))) return files;
  }
  return undefined;
}
