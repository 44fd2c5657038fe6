/** Whether certificates and keys can be used, and if not, why, in words that quote nothing. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

const certificates = /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (TRUSTED |X509 )?CERTIFICATE-----/g;

/** Authorities to trust, one after the other. */
export function authorityProblem(pem: string): string | undefined {
  const found = pem.match(certificates) ?? [];
  if (found.length === 0) return 'holds no certificate in PEM form';
  const bad = found.findIndex((each) => certificateOf(each) === undefined);
  if (bad === -1) return undefined;
  return found.length === 1 ? 'holds a broken certificate' : `holds a broken certificate, number ${bad + 1} in it`;
}

/** A client's certificate and the key that belongs to it. */
export function pairProblem(
  certificate: string,
  key: string,
): { readonly of: 'certificate' | 'key'; readonly reason: string } | undefined {
  const problem = authorityProblem(certificate);
  if (problem !== undefined) return { of: 'certificate', reason: problem };
  const read = keyOf(key);
  if (typeof read === 'string') return { of: 'key', reason: read };
  const isPair = certificateOf(certificate)?.checkPrivateKey(read);
  return isPair ? undefined : { of: 'key', reason: 'is not the key of the certificate; were the two mixed up?' };
}

/** Wall time at which the certificate ends. */
export function expiryOf(certificate: string): number | undefined {
  const parsed = certificateOf(certificate);
  return parsed && Date.parse(parsed.validTo);
}

function certificateOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyOf(pem: string): KeyObject | string {
  try {
    return createPrivateKey(pem);
  } catch {
    if (pem.includes('ENCRYPTED')) return 'is encrypted; a key without a passphrase is needed';
    return pem.includes('PRIVATE KEY-----') ? 'holds a broken private key' : 'holds no private key in PEM form';
  }
}
