/**
 * An authority, and the certificates that it issues: for servers, and for users.
 *
 * Written out by hand: Node can sign but not issue, and loading a library for two certificates takes longer than
 * starting a server. Without a lifetime, nothing expires and the keys live and die with the process; an authority with
 * one can be kept, and opened again by who has its key.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import type { Random } from '../random.ts';
import { bits, boolean, explicit, implicit, integer, objectId, octets, sequence, set, time, utf8 } from './der.ts';

/** A certificate and its key, as PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** From when until when a certificate is valid: wall time in milliseconds, in which whole seconds count. */
export interface Lifetime {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Issues certificates. Its own one and its key make it an `Identity` that can be kept. */
export interface Authority extends Identity {
  /** Its own one, as PEM: who trusts it trusts all that it issues. */
  readonly certificate: string;
  /** For a server of that name that is reached by these names and addresses. @default as long as any clock can tell */
  issueServer(name: string, hosts: readonly string[], lifetime?: Lifetime): Identity;
  /** For a client that is this user in these groups. */
  issueClient(user: string, groups: readonly string[]): Identity;
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));
const commonName = '2.5.4.3';
const organization = '2.5.4.10';

/** Wide enough for any clock, a virtual one too. */
const anyTime: Lifetime = { startsAt: Date.UTC(2020, 0), endsAt: Date.UTC(2050, 0) - 1000 };

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
  readonly lifetime: Lifetime;
  readonly extensions: readonly Buffer[];
}

const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

function certificate(
  { subject, issuer, key, issuerKey, lifetime, extensions }: Content,
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
    sequence(time(lifetime.startsAt), time(lifetime.endsAt)),
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

function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return implicit(7, Buffer.from(host.split('.').map(Number)));
  return isIPv6(host) ? implicit(7, ipv6Bytes(host)) : implicit(2, Buffer.from(host));
}

/** Sixteen; the zone of an address means something on its own machine only. */
function ipv6Bytes(address: string): Buffer {
  // A URL has it as groups of hexadecimal digits, whatever form it came in.
  const { hostname } = new URL(`https://[${address.replace(/%.*/, '')}]`);
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

const pkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** What an authority is called, and how long it lasts. */
export interface AuthorityOptions {
  /** Its common name. @default 'keelson' */
  readonly name?: string | undefined;
  /** @default as long as any clock can tell */
  readonly lifetime?: Lifetime | undefined;
}

/** A new authority, with a new key. */
export function createAuthority(
  random: Random,
  { name: called = 'keelson', lifetime = anyTime }: AuthorityOptions = {},
): Authority {
  const { publicKey, privateKey } = newKey();
  const subject: Name = [[commonName, called]];
  const extensions = [
    extension('2.5.29.19', true, sequence(boolean(true))),
    // Certificates, revocation lists and signatures.
    extension('2.5.29.15', true, bits(Buffer.from([0x86]), 1)),
  ];
  const content = { subject, issuer: subject, key: publicKey, issuerKey: publicKey, lifetime, extensions };
  return openAuthority({ certificate: certificate(content, privateKey, random), key: pkcs8(privateKey) }, random);
}

/**
 * An authority that was kept. Throws a RangeError unless it is one that `createAuthority` made and the key is its own;
 * the error says nothing of the key.
 */
export function openAuthority({ certificate: pemText, key: keyText }: Identity, random: Random): Authority {
  const ca = new X509Certificate(pemText);
  const privateKey = createPrivateKey(keyText);
  const called = /^CN=(.*)$/.exec(ca.subject)?.[1];
  if (!ca.ca || called === undefined) throw new RangeError(`"${ca.subject}" is no authority of ours`);
  if (!ca.checkPrivateKey(privateKey)) throw new RangeError(`the key is not that of the authority "${called}"`);
  const issuer: Name = [[commonName, called]];
  const issuerKey = createPublicKey(privateKey);
  const issue = (subject: Name, usage: string, hosts: readonly string[], lifetime = anyTime): Identity => {
    const own = newKey();
    const extensions = [
      extension('2.5.29.19', true, sequence()),
      extension('2.5.29.15', true, bits(Buffer.from([0x80]), 7)),
      extension('2.5.29.37', false, sequence(objectId(usage))),
      ...(hosts.length > 0 ? [extension('2.5.29.17', false, sequence(...hosts.map(alternativeName)))] : []),
    ];
    const content = { subject, issuer, key: own.publicKey, issuerKey, lifetime, extensions };
    return { certificate: certificate(content, privateKey, random), key: pkcs8(own.privateKey) };
  };
  return {
    certificate: pemText,
    key: keyText,
    issueServer: (server, hosts, lifetime) => issue([[commonName, server]], '1.3.6.1.5.5.7.3.1', hosts, lifetime),
    issueClient: (user, groups) =>
      issue([...groups.map((group) => [organization, group] as const), [commonName, user]], '1.3.6.1.5.5.7.3.2', []),
  };
}
