/**
 * An authority of a process's own, and the certificates that it issues: for servers, and for users.
 *
 * Written out by hand: Node can sign but not issue, and loading a library for two certificates takes longer than
 * starting a server. The keys live and die with the process.
 * Does not: expire. What has to be trusted for long, or by others, comes from elsewhere.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { Random } from '../random.ts';
import { bits, boolean, explicit, implicit, integer, objectId, octets, sequence, set, utcTime, utf8 } from './der.ts';

/** A certificate and its key, as PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** Issues certificates. */
export interface Authority {
  /** Its own one, as PEM: who trusts it trusts all that it issues. */
  readonly certificate: string;
  /** For a server of that name that is reached by these names and addresses. */
  issueServer(name: string, hosts: readonly string[]): Identity;
  /** For a client that is this user in these groups. */
  issueClient(user: string, groups: readonly string[]): Identity;
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));
const commonName = '2.5.4.3';
const organization = '2.5.4.10';

/** Wide enough for any clock, a virtual one too. */
const validity = sequence(utcTime('200101000000Z'), utcTime('491231235959Z'));

type Name = readonly (readonly [string, string])[];

const name = (parts: Name): Buffer =>
  sequence(...parts.map(([type, value]) => set(sequence(objectId(type), utf8(value)))));

const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
  sequence(objectId(id), ...(critical ? [boolean(true)] : []), octets(value));

interface Content {
  readonly subject: Name;
  readonly issuer: Name;
  readonly key: KeyObject;
  readonly issuerKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

function certificate(
  { subject, issuer, key, issuerKey, extensions }: Content,
  signingKey: KeyObject,
  random: Random,
): string {
  const serial = Buffer.from(random.uuid().replaceAll('-', ''), 'hex');
  serial[0] = (serial[0] ?? 0) & 0x7f || 1;
  const content = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    name(issuer),
    validity,
    name(subject),
    key.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        ...extensions,
        extension('2.5.29.14', false, octets(keyId(key))),
        extension('2.5.29.35', false, sequence(implicit(0, keyId(issuerKey)))),
      ),
    ),
  );
  return pem('CERTIFICATE', sequence(content, ecdsaWithSha256, bits(sign('sha256', content, signingKey))));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const alternativeName = (host: string): Buffer =>
  isIPv4(host) ? implicit(7, Buffer.from(host.split('.').map(Number))) : implicit(2, Buffer.from(host));

/** A new authority, with a new key. */
export function createAuthority(random: Random): Authority {
  const keys = newKey();
  const issuer: Name = [[commonName, 'keelson']];
  const ca = certificate(
    {
      subject: issuer,
      issuer,
      key: keys.publicKey,
      issuerKey: keys.publicKey,
      extensions: [
        extension('2.5.29.19', true, sequence(boolean(true))),
        // Certificates, revocation lists and signatures.
        extension('2.5.29.15', true, bits(Buffer.from([0x86]), 1)),
      ],
    },
    keys.privateKey,
    random,
  );
  const issue = (subject: Name, usage: string, hosts: readonly string[]): Identity => {
    const own = newKey();
    const extensions = [
      extension('2.5.29.19', true, sequence()),
      extension('2.5.29.15', true, bits(Buffer.from([0x80]), 7)),
      extension('2.5.29.37', false, sequence(objectId(usage))),
      ...(hosts.length > 0 ? [extension('2.5.29.17', false, sequence(...hosts.map(alternativeName)))] : []),
    ];
    return {
      certificate: certificate(
        { subject, issuer, key: own.publicKey, issuerKey: keys.publicKey, extensions },
        keys.privateKey,
        random,
      ),
      key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
  };
  return {
    certificate: ca,
    issueServer: (server, hosts) => issue([[commonName, server]], '1.3.6.1.5.5.7.3.1', hosts),
    issueClient: (user, groups) =>
      issue([...groups.map((group) => [organization, group] as const), [commonName, user]], '1.3.6.1.5.5.7.3.2', []),
  };
}
