/** Whom we trust and what we show in a TLS handshake, checked before use; files are looked at again and again. */
import { type Clock, timestamp } from '@keelson/core';
import type { ClusterConfig, Material } from '../config/cluster-config.ts';
import type { KeyPair } from '../config/tls-material.ts';
import type { FreshFiles } from './fresh-file.ts';
import { LastGood } from './last-good.ts';

/** PEM texts for a TLS connection. The same object as long as nothing changes. */
export interface TlsIdentity {
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

export interface TlsSource {
  current(): Promise<TlsIdentity>;
  /** `: it expired at …`, or nothing. */
  whyExpired(tls: TlsIdentity): string;
}

export function tlsSource({ tls, source }: ClusterConfig, files: FreshFiles, clock: Clock): TlsSource {
  const { ca, clientCertificate } = tls;
  const { certificate, key } = clientCertificate ?? {};
  if (!ca && !clientCertificate) {
    const none = { ca: undefined, certificate: undefined, key: undefined };
    return { current: async () => none, whyExpired: () => '' };
  }
  let material: typeof import('../config/tls-material.ts') | undefined;
  const trusted = new LastGood((pem: string) => ca && material?.checkedAuthority(source, ca, pem));
  const own = new LastGood(
    (crt: string, pem: string) =>
      clientCertificate && material?.checkedPair(source, clientCertificate, { certificate: crt, key: pem }),
  );
  const identity = new LastGood((authority: string | undefined, pair: KeyPair | undefined) => ({
    ca: authority,
    certificate: pair?.certificate,
    key: pair?.key,
  }));
  const textOf = (from: Material) => (from.type === 'file' ? files.read(from.path) : from.pem.reveal());
  const isFixed = ![ca, certificate, key].some((each) => each?.type === 'file');
  let fixed: TlsIdentity | undefined;
  return {
    async current() {
      if (fixed) return fixed;
      material ??= await import('../config/tls-material.ts'); // late: node:crypto takes a while to load
      const now = identity.get(
        ca && trusted.get(await textOf(ca)),
        certificate && key && own.get(await textOf(certificate), await textOf(key)),
      );
      if (isFixed) fixed = now;
      return now;
    },
    whyExpired({ certificate: pem }) {
      const expiresAt = pem && material?.expiryOf(pem);
      return expiresAt && expiresAt < clock.now() ? `: it expired at ${timestamp(expiresAt)}` : '';
    },
  };
}
