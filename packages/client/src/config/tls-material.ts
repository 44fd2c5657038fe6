/** Certificates and keys that a configuration names: fit for use, or a ConfigError with the field, the file and why. */
import type { Material, TlsConfig } from './cluster-config.ts';
import { ConfigError } from './config-error.ts';
import { authorityProblem, pairProblem } from './pem.ts';

export { expiryOf } from './pem.ts';

/** A certificate and its key, as PEM texts. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export function checkedAuthority(source: string, material: Material, pem: string): string {
  const problem = authorityProblem(pem);
  if (problem !== undefined) throw refusal(source, 'certificate-authority', material, problem);
  return pem;
}

export function checkedPair(
  source: string,
  materials: NonNullable<TlsConfig['clientCertificate']>,
  pair: KeyPair,
): KeyPair {
  const problem = pairProblem(pair.certificate, pair.key);
  if (problem) throw refusal(source, `client-${problem.of}`, materials[problem.of], problem.reason);
  return pair;
}

function refusal(source: string, field: string, material: Material, reason: string): ConfigError {
  if (material.type === 'file') return new ConfigError({ file: source, field }, `${material.path} ${reason}`);
  return new ConfigError({ file: source, field: `${field}-data` }, reason);
}
