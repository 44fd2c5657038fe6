/**
 * What a Secret holds of certificates, and what of it is of use.
 *
 * `ca.crt` has every authority that is trusted, the one that issues first; `ca.key` is that one's key; `tls.crt` and
 * `tls.key` are what is served. Anybody may have written there, so each part is judged by itself, and the sentences about
 * what is wrong never show what was found.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { timestamp } from '@keelson/core';
import type { Identity } from '@keelson/core/x509';

/** The values of a Secret: base64 by name. */
export type SecretData = Readonly<Record<string, string>>;

/** A complete set: what a Secret shall hold. All certificates are PEM. */
export interface Certificates {
  /** Every authority that is trusted, `authority` among them. */
  readonly bundle: readonly string[];
  /** The one that issues. */
  readonly authority: Identity;
  /** What is served. */
  readonly serving: Issued;
}

/** What is served, and which authority issued it. */
export interface Issued extends Identity {
  readonly issuer: string;
}

/** What of a Secret is of use at that time. */
export interface StoredCertificates {
  readonly bundle: readonly string[];
  readonly authority: Identity | undefined;
  readonly serving: Issued | undefined;
  /** What is not, each as a sentence without its end. */
  readonly problems: readonly string[];
}

export function dataOf({ bundle, authority, serving }: Certificates): SecretData {
  const values = {
    'ca.crt': bundleText(bundle),
    'ca.key': authority.key,
    'tls.crt': serving.certificate,
    'tls.key': serving.key,
  };
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}

/** Many certificates as one text. */
export const bundleText = (bundle: readonly string[]): string => bundle.join('');

/** The certificates in a text, as far as they can be read, each in the one form that Node prints. */
export function certificatesIn(text: string): readonly string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return [...new Set(blocks.flatMap((block) => parsed(block)?.toString() ?? []))];
}

export function storedCertificates(data: SecretData, now: number): StoredCertificates {
  const problems: string[] = [];
  const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString();
  const readable = certificatesIn(text('ca.crt'));
  if (readable.length === 0) problems.push('ca.crt holds no certificate');
  const bundle = trustworthy(readable, now);
  if (bundle.length === 0 && readable.length > 0) problems.push('ca.crt holds no authority that is valid now');
  const authorityKey = text('ca.key');
  const authority = bundle.find((each) => fits(each, authorityKey));
  if (authority === undefined)
    problems.push(authorityKey === '' ? 'ca.key is missing' : 'ca.key fits nothing in ca.crt');
  const serving = servingIn(text('tls.crt'), text('tls.key'), bundle, now);
  if (typeof serving === 'string') problems.push(serving);
  return {
    bundle,
    authority: authority === undefined ? undefined : { certificate: authority, key: authorityKey },
    serving: typeof serving === 'string' ? undefined : serving,
    problems,
  };
}

/** The authorities among these that have not ended; one whose time has yet to come will be needed then. */
export const trustworthy = (certificates: readonly string[], now: number): readonly string[] =>
  certificates.filter((each) => {
    const x509 = parsed(each);
    return x509?.ca === true && endOf(x509) > now;
  });

/** What can be served, or why it cannot. */
function servingIn(certificate: string, key: string, bundle: readonly string[], now: number): Issued | string {
  const x509 = parsed(certificate);
  if (x509 === undefined) return certificate === '' ? 'tls.crt is missing' : 'tls.crt holds no certificate';
  if (key === '') return 'tls.key is missing';
  if (!fits(certificate, key)) return 'tls.key does not fit tls.crt';
  if (endOf(x509) <= now) return `tls.crt expired at ${timestamp(endOf(x509))}`;
  if (startOf(x509) > now) return `tls.crt is not valid before ${timestamp(startOf(x509))}`;
  const issuer = bundle.find((each) => isIssuedBy(x509, new X509Certificate(each)));
  if (issuer === undefined) return 'tls.crt is issued by no authority in ca.crt that is valid now';
  return { certificate: x509.toString(), key, issuer };
}

const isIssuedBy = (x509: X509Certificate, ca: X509Certificate): boolean =>
  x509.checkIssued(ca) && x509.verify(ca.publicKey);

export const startOf = (x509: X509Certificate): number => x509.validFromDate.getTime();
export const endOf = (x509: X509Certificate): number => x509.validToDate.getTime();

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

export function fits(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
