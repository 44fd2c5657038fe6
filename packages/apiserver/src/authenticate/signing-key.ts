/**
 * The key that signs the tokens of service accounts: ES256.
 *
 * Promises: the key follows from the randomness that it was given, and a signature from the key and the data (RFC 6979),
 * so that the same seed and the same requests give the same tokens. Node's own signatures are different each time.
 * Does not: resist an attacker who measures; it is for loopback and tests, like the rest of this server.
 */
import { createECDH, createHash, createHmac, createPublicKey, verify } from 'node:crypto';
import type { Random } from '@keelson/core';

export interface SigningKey {
  /** Names the key in the headers of tokens. */
  readonly id: string;
  readonly algorithm: 'ES256';
  /** The public half, as published for those who check tokens. */
  readonly jwk: { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };
  sign(data: string): Buffer;
  isSigned(data: string, signature: Buffer): boolean;
}

const curve = 'prime256v1';
/** How many points the curve P-256 has. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const asBytes = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
const asNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const sha256 = (data: string): Buffer => createHash('sha256').update(data).digest();
const hmac = (key: Buffer, ...parts: readonly Buffer[]): Buffer => {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

/** The coordinates of the point that belongs to a secret number. */
function pointOf(secret: bigint): { readonly x: Buffer; readonly y: Buffer } {
  const exchange = createECDH(curve);
  exchange.setPrivateKey(asBytes(secret));
  const point = exchange.getPublicKey(); // 4, x, y
  return { x: point.subarray(1, 33), y: point.subarray(33) };
}

function inverse(number: bigint): bigint {
  let [a, b, x, y] = [number, order, 1n, 0n];
  while (b > 0n) {
    const quotient = a / b;
    [a, b, x, y] = [b, a - quotient * b, y, x - quotient * y];
  }
  return ((x % order) + order) % order;
}

/** The secret number of one signature: as good as random for whoever lacks the key, and always the same. */
function nonce(secret: bigint, digest: Buffer): bigint {
  const seed = Buffer.concat([asBytes(secret), asBytes(asNumber(digest) % order)]);
  let value: Buffer = Buffer.alloc(32, 1);
  let key: Buffer = Buffer.alloc(32, 0);
  for (const round of [0, 1]) {
    key = hmac(key, value, Buffer.from([round]), seed);
    value = hmac(key, value);
  }
  for (;;) {
    value = hmac(key, value);
    const candidate = asNumber(value);
    if (candidate > 0n && candidate < order) return candidate;
    key = hmac(key, value, Buffer.from([0]));
    value = hmac(key, value);
  }
}

/** The signature as two numbers of 32 bytes; exported for its table. */
export function signature(secret: bigint, data: string): Buffer {
  const digest = sha256(data);
  const k = nonce(secret, digest);
  const r = asNumber(pointOf(k).x) % order;
  const s = (inverse(k) * (asNumber(digest) + r * secret)) % order;
  return Buffer.concat([asBytes(r), asBytes(s)]);
}

export function createSigningKey(random: Random): SigningKey {
  const secret = (asNumber(sha256(`${random.uuid()}${random.uuid()}`)) % (order - 1n)) + 1n;
  const { x, y } = pointOf(secret);
  const jwk = { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') } as const;
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return {
    id: createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('base64url'),
    algorithm: 'ES256',
    jwk,
    sign: (data) => signature(secret, data),
    isSigned: (data, signed) =>
      signed.length === 64 && verify('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' }, signed),
  };
}
