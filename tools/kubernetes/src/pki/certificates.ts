/**
 * Certificates of a cluster: its authorities and what they issue.
 *
 * @peculiar/x509 rather than the openssl program: it is a dependency of the repository anyway, and whether and
 * which openssl a machine has is one question less.
 */
import { generateKeyPair as generateKeyPairWithCallback, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { Clock, Random } from '@keelson/core';

const generateKeyPair = promisify(generateKeyPairWithCallback);

/** Certificate and key as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends KeyPair {
  /** A certificate for programs that present themselves: `groups` become organizations, as Kubernetes reads them. */
  issueClient(user: string, groups?: readonly string[]): Promise<KeyPair>;
  /** A certificate for servers, good for clients too: etcd's peers and kubelets are both. */
  issueServer(name: string, hosts: readonly string[], groups?: readonly string[]): Promise<KeyPair>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

/** Loaded late: it takes a quarter of a second, for which `status` and `env` need not wait. */
async function loadX509() {
  await import('reflect-metadata'); // first: the other's dependency injection asks for it while loading
  return await import('@peculiar/x509');
}

export async function createAuthority(name: string, clock: Clock, random: Random): Promise<Authority> {
  const {
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectAlternativeNameExtension,
    X509CertificateGenerator,
  } = await loadX509();
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const issuer = [{ CN: [name] }];
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(random),
    name: issuer,
    ...validity(clock),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
    ],
  });

  const issue = async (subject: string, groups: readonly string[], hosts: readonly string[]): Promise<KeyPair> => {
    const own = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const usages =
      hosts.length > 0 ? [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth] : [ExtendedKeyUsage.clientAuth];
    const issued = await X509CertificateGenerator.create({
      serialNumber: serialNumber(random),
      issuer: certificate.subject,
      subject: [...groups.map((group) => ({ O: [group] })), { CN: [subject] }],
      ...validity(clock),
      signingAlgorithm: algorithm,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension(usages),
        ...(hosts.length > 0 ? [new SubjectAlternativeNameExtension(hosts.map(alternativeName))] : []),
      ],
    });
    return { certificate: issued.toString('pem'), key: await privateKeyPem(own.privateKey) };
  };

  return {
    certificate: certificate.toString('pem'),
    key: await privateKeyPem(keys.privateKey),
    issueClient: (user, groups = []) => issue(user, groups, []),
    issueServer: (server, hosts, groups = []) => issue(server, groups, hosts),
  };
}

/** The pair that signs service account tokens; RSA, as in nearly every cluster, so that tokens say RS256. */
export async function createTokenSigner(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  return await generateKeyPair('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** From an hour ago, in case the machine's clock is set back, and for ten years: the cluster goes away before. */
function validity(clock: Clock) {
  return { notBefore: new Date(clock.now() - 3_600_000), notAfter: new Date(clock.now() + 3650 * dayMs) };
}

function serialNumber(random: Random): string {
  return `0${random.uuid().replaceAll('-', '').slice(1)}`; // the leading zero keeps it positive
}

function alternativeName(host: string) {
  return { type: isIP(host) ? ('ip' as const) : ('dns' as const), value: host };
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
