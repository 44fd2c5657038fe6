/** Why a webhook's certificate is not trusted, as Go's crypto/x509 says it. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { timestamp } from '@keelson/core';
import type { PostRequest } from './https-post.ts';

const wrongName = 'ERR_TLS_CERT_ALTNAME_INVALID';
const unknownAuthority = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);
const outOfTime = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

export const isCertificateError = (code: string): boolean =>
  code === wrongName || unknownAuthority.has(code) || outOfTime.has(code);

export async function certificateProblem(error: NodeJS.ErrnoException, wanted: PostRequest): Promise<string> {
  const { code = '' } = error;
  const { hostname } = new URL(wanted.url);
  const shown = await certificateOf(wanted);
  if (shown === undefined) return 'certificate signed by unknown authority';
  if (code === wrongName) return nameProblem(hostname, shown);
  if (outOfTime.has(code)) return timeProblem(shown, wanted.now);
  return `certificate signed by unknown authority${candidate(shown, wanted.authority)}`;
}

/** Asked for once more, by somebody who only looks at it. */
function certificateOf({ url, signal }: PostRequest): Promise<X509Certificate | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const name = isIP(hostname) === 0 ? { servername: hostname } : {};
    const socket = connect({ host: hostname, port: Number(port || 443), rejectUnauthorized: false, ...name });
    const end = (certificate: X509Certificate | undefined) => {
      resolve(certificate);
      socket.destroy();
    };
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate()));
    socket.once('error', () => end(undefined));
    signal.addEventListener('abort', () => end(undefined), { once: true });
  });
}

/** `IP Address:10.1.2.3, DNS:other.example.com`. */
function alternativeNames({ subjectAltName = '' }: X509Certificate): { names: string[]; addresses: string[] } {
  const parts = subjectAltName === '' ? [] : subjectAltName.split(', ');
  const after = (prefix: string) =>
    parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
  return { names: after('DNS:'), addresses: after('IP Address:') };
}

function nameProblem(host: string, certificate: X509Certificate): string {
  const { names, addresses } = alternativeNames(certificate);
  if (isIP(host) !== 0) {
    if (addresses.length === 0) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
    return `certificate is valid for ${addresses.join(', ')}, not ${host}`;
  }
  if (names.length === 0) return `certificate is not valid for any names, but wanted to match ${host}`;
  return `certificate is valid for ${names.join(', ')}, not ${host}`;
}

function timeProblem({ validFromDate, validToDate }: X509Certificate, now: number): string {
  const isEarly = now < validFromDate.getTime();
  const limit = timestamp((isEarly ? validFromDate : validToDate).getTime());
  return `certificate has expired or is not yet valid: current time ${timestamp(now)} is ${isEarly ? 'before' : 'after'} ${limit}`;
}

/** None, where there is no certificate between the lines that announce one: such a block is passed over. */
function readable(text: string): readonly X509Certificate[] {
  try {
    return [new X509Certificate(text)];
  } catch {
    return [];
  }
}

/** An authority that has the right name and not the right key. */
function candidate({ issuer }: X509Certificate, authority = ''): string {
  const certificates = authority.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  for (const { subject, publicKey } of certificates.flatMap(readable)) {
    if (subject !== issuer) continue;
    const name = /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
    const why =
      publicKey.asymmetricKeyType === 'rsa' ? 'crypto/rsa: verification error' : 'x509: ECDSA verification failure';
    return ` (possibly because of ${JSON.stringify(why)} while trying to verify candidate authority certificate ${JSON.stringify(name)})`;
  }
  return '';
}
