/** Internet addresses, and ranges of them. */
import { parseIp } from '../../formats/ip.ts';
import { exactly, one, perCharacter, plus, type Sized, scaled } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { opaque } from '../language/types.ts';
import { CelError, noSuchOverload, OpaqueValue, sizeOf, type Value } from '../language/values.ts';

class Ip extends OpaqueValue {
  readonly type = opaque('net.IP');
  readonly bytes: readonly number[];
  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Ip && `${other.bytes}` === `${this.bytes}`;
  }

  get text(): string {
    if (this.bytes.length === 4) return this.bytes.join('.');
    const groups = Array.from({ length: 8 }, (_, i) => ((this.bytes[2 * i] ?? 0) << 8) | (this.bytes[2 * i + 1] ?? 0));
    const zeros = longestZeros(groups);
    const hex = groups.map((group) => group.toString(16));
    if (zeros.length < 2) return hex.join(':');
    return `${hex.slice(0, zeros.start).join(':')}::${hex.slice(zeros.start + zeros.length).join(':')}`;
  }
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

class Cidr extends OpaqueValue {
  readonly type = opaque('net.CIDR');
  readonly ip: Ip;
  readonly bits: number;
  constructor(ip: Ip, bits: number) {
    super();
    this.ip = ip;
    this.bits = bits;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Cidr && other.bits === this.bits && other.ip.equals(this.ip);
  }

  contains(ip: Ip): boolean {
    return ip.bytes.length === this.ip.bytes.length && `${masked(ip, this.bits)}` === `${masked(this.ip, this.bits)}`;
  }
}

function masked({ bytes }: Ip, bits: number): readonly number[] {
  return bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * i))) & 0xff);
}

// Zones, and IPv4 in the clothes of IPv6, are refused.
function readIp(text: string): Ip | CelError {
  const bytes = parseIp(text);
  if (bytes === undefined)
    return new CelError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  const isMapped =
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return isMapped ? new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`) : new Ip(bytes);
}

function readCidr(text: string): Cidr | CelError {
  const slash = text.lastIndexOf('/');
  const ip = readIp(text.slice(0, Math.max(0, slash)));
  const bits = text.slice(slash + 1);
  const isLength = /^(?:0|[1-9]\d*)$/.test(bits);
  if (slash < 0 || ip instanceof CelError || !isLength || Number(bits) > ip.bytes.length * 8) {
    return new CelError(
      `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): invalid CIDR`,
    );
  }
  return new Cidr(ip, Number(bits));
}

const bytesOf = (value: Value): readonly number[] => (value as Ip).bytes;
const isV4 = (bytes: readonly number[]): boolean => bytes.length === 4;

const kinds: Readonly<Record<string, (bytes: readonly number[]) => boolean>> = {
  isUnspecified: (bytes) => bytes.every((byte) => byte === 0),
  isLoopback: (bytes) =>
    isV4(bytes) ? bytes[0] === 127 : bytes[15] === 1 && bytes.slice(0, 15).every((byte) => byte === 0),
  isLinkLocalMulticast: (bytes) =>
    isV4(bytes)
      ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
      : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 2,
  isLinkLocalUnicast: (bytes) =>
    isV4(bytes) ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80,
  isGlobalUnicast: (bytes) =>
    !bytes.every((byte) => byte === 0) &&
    !(isV4(bytes) && bytes.every((byte) => byte === 255)) &&
    !['isLoopback', 'isLinkLocalUnicast'].some((kind) => kinds[kind]?.(bytes)) &&
    !(isV4(bytes) ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff),
};

const read = (factor = 1) => ({
  cost: (args: readonly Value[]) => Math.ceil(sizeOf(args[0] ?? null) * factor * perCharacter),
  estimate: (text: Sized) => ({ cost: scaled(text.size, factor * perCharacter) }),
});
const nominal = { cost: () => 1, estimate: () => ({ cost: one }) };

/** Two addresses are compared, after a text was read if there is one. */
const within = (extra: number, isText: boolean) => {
  const bytes = { min: 4, max: 16 };
  const base = plus(
    scaled(plus(bytes, bytes), perCharacter),
    extra > 0 ? plus(scaled(bytes, perCharacter), exactly(extra)) : exactly(0),
  );
  return {
    cost: (args: readonly Value[]) => 2 + extra + (isText ? Math.ceil(sizeOf(args[1] ?? null) * perCharacter) : 0),
    estimate: (_: Sized, other: Sized) => ({ cost: isText ? plus(base, scaled(other.size, perCharacter)) : base }),
  };
};

// A text that cannot be read is told to be of a wrong type.
function containsIp(cidr: Value, ip: Value): Value {
  const found = typeof ip === 'string' ? readIp(ip) : (ip as Ip);
  return found instanceof CelError ? noSuchOverload() : (cidr as Cidr).contains(found);
}

function containsCidr(cidr: Value, other: Value): Value {
  const found = typeof other === 'string' ? readCidr(other) : (other as Cidr);
  if (found instanceof CelError) return noSuchOverload();
  return (cidr as Cidr).contains(found.ip) && (cidr as Cidr).bits <= found.bits;
}

/** `ip`, `cidr` and their methods. */
export const addresses: Library = [
  overload('ip(string): net.IP', (value) => readIp(value as string), read()),
  overload('isIP(string): bool', (value) => !(readIp(value as string) instanceof CelError), read()),
  overload(
    "'ip.isCanonical'(string): bool",
    (value) => {
      const ip = readIp(value as string);
      return ip instanceof CelError ? ip : ip.text === value;
    },
    read(2),
  ),
  overload('net.IP.family(): int', (value) => (isV4(bytesOf(value)) ? 4n : 6n), nominal),
  ...Object.entries(kinds).map(([name, holds]) =>
    overload(`net.IP.${name}(): bool`, (value) => holds(bytesOf(value)), nominal),
  ),
  overload('string(net.IP): string', (value) => (value as Ip).text),
  overload('cidr(string): net.CIDR', (value) => readCidr(value as string), read()),
  overload('isCIDR(string): bool', (value) => !(readCidr(value as string) instanceof CelError), read()),
  overload('net.CIDR.containsIP(string): bool', containsIp, within(0, true)),
  overload('net.CIDR.containsIP(net.IP): bool', containsIp, within(0, false)),
  overload('net.CIDR.containsCIDR(string): bool', containsCidr, within(1, true)),
  overload('net.CIDR.containsCIDR(net.CIDR): bool', containsCidr, within(1, false)),
  overload('net.CIDR.ip(): net.IP', (value) => (value as Cidr).ip, nominal),
  overload('net.CIDR.prefixLength(): int', (value) => BigInt((value as Cidr).bits), nominal),
  overload(
    'net.CIDR.masked(): net.CIDR',
    (value) => {
      const { ip, bits } = value as Cidr;
      return new Cidr(new Ip(masked(ip, bits)), bits);
    },
    nominal,
  ),
  overload('string(net.CIDR): string', (value) => `${(value as Cidr).ip.text}/${(value as Cidr).bits}`),
];
