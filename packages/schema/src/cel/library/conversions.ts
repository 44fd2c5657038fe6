/** Sizes, and conversions between types. */
import { parseDuration } from '../../formats/duration.ts';
import { parseTime } from '../../formats/time.ts';
import { goFloat } from '../../wording/go-text.ts';
import { perCharacter, type Sized, scaled } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { typeName } from '../language/runtime-type.ts';
import { CelError, Duration, sizeOf, Timestamp, TypeValue, Uint, type Value } from '../language/values.ts';
import { timestampOf } from './operators.ts';

const size = (value: Value): Value => BigInt(sizeOf(value));
const same = (value: Value): Value => value;
const text = (value: Value): string => value as string;

const sizes: Library = ['bytes', 'list<A>', 'map<A, B>', 'string'].flatMap((type) => [
  overload(`size(${type}): int`, size),
  overload(`${type}.size(): int`, size),
]);

const walk = (args: readonly Value[]): number => Math.ceil(sizeOf(args[0] ?? null) * perCharacter);

function conversionError(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

function toInt(value: number): Value {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return new CelError('integer overflow');
  return BigInt(Math.trunc(value));
}

function toUint(value: number): Value {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return new CelError('unsigned integer overflow');
  return new Uint(BigInt(Math.trunc(value)));
}

function parseNumber(value: string, pattern: RegExp, type: string): bigint | undefined {
  if (!pattern.test(value)) return undefined;
  const [, sign = '', digits = ''] = /^([+-]?)0*(\d*)$/.exec(value) ?? [];
  // More digits than 64 bits have: not worth reading, which takes long.
  if (digits.length > 20) return undefined;
  const parsed = BigInt(`${sign === '-' && digits !== '' ? '-' : ''}${digits || 0}`);
  return (type === 'int' ? BigInt.asIntN(64, parsed) : BigInt.asUintN(64, parsed)) === parsed ? parsed : undefined;
}

function parseDoubleText(value: string): Value {
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) return Number(value);
  if (/^[+-]?(?:inf|infinity)$/i.test(value))
    return value.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^nan$/i.test(value) ? Number.NaN : conversionError('string', 'double');
}

function parseBool(value: string): Value {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(value)) return true;
  return /^(?:0|f|F|false|FALSE|False)$/.test(value) ? false : conversionError('string', 'bool');
}

function parseTimestamp(value: string): Value {
  const time = parseTime(value);
  return 'problem' in time
    ? conversionError('string', 'google.protobuf.Timestamp')
    : timestampOf(new Timestamp(time).total);
}

function showDuration({ nanos }: Duration): string {
  const sign = nanos < 0n ? '-' : '';
  const [whole, rest] = [
    (nanos < 0n ? -nanos : nanos) / 1_000_000_000n,
    (nanos < 0n ? -nanos : nanos) % 1_000_000_000n,
  ];
  const fraction = rest === 0n ? '' : `.${rest.toString().padStart(9, '0').replace(/0+$/, '')}`;
  return `${sign}${whole}${fraction}s`;
}

/** RFC 3339 with as many digits as are needed. */
function showTimestamp({ seconds, nanos }: Timestamp): string {
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction}Z`;
}

function decode(value: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** Also as a text in messages. */
export function showValue(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return goFloat(value);
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Duration) return showDuration(value);
  return value instanceof Timestamp ? showTimestamp(value) : undefined;
}

const shown = (value: Value): Value => showValue(value) ?? conversionError(typeName(value), 'string');

/** `size`, `type`, and a function for each type. */
export const conversions: Library = [
  ...sizes,
  overload('type(A): type<A>', (value) => new TypeValue(typeName(value))),
  overload('bool(bool): bool', same),
  overload('bool(string): bool', (value) => parseBool(text(value))),
  overload('bytes(bytes): bytes', same),
  overload('bytes(string): bytes', (value) => Buffer.from(text(value)), {
    cost: walk,
    estimate: ({ size: each }: Sized) => ({
      cost: scaled(each, perCharacter),
      size: { min: each.min, max: each.max * 4 },
    }),
  }),
  overload('double(double): double', same),
  overload('double(int): double', (value) => Number(value)),
  overload('double(string): double', (value) => parseDoubleText(text(value))),
  overload('double(uint): double', (value) => Number((value as Uint).value)),
  overload('duration(duration): duration', same),
  // Declared, and never able to.
  overload('duration(int): duration', () => conversionError('int', 'google.protobuf.Duration')),
  overload('duration(string): duration', (value) => {
    const nanos = parseDuration(text(value));
    return nanos === undefined ? conversionError('string', 'google.protobuf.Duration') : new Duration(nanos);
  }),
  overload('dyn(A): dyn', same, { id: 'dyn' }),
  overload('int(int): int', same),
  overload('int(double): int', (value) => toInt(value as number)),
  overload('int(duration): int', (value) => (value as Duration).nanos),
  overload(
    'int(string): int',
    (value) => parseNumber(text(value), /^[+-]?\d+$/, 'int') ?? conversionError('string', 'int'),
  ),
  overload('int(timestamp): int', (value) => BigInt((value as Timestamp).seconds)),
  overload('int(uint): int', (value) =>
    (value as Uint).value < 2n ** 63n ? (value as Uint).value : new CelError('integer overflow'),
  ),
  overload('string(string): string', same),
  ...['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].map((type) =>
    overload(`string(${type}): string`, shown),
  ),
  overload('string(bytes): string', (value) => decode(value as Uint8Array), {
    cost: walk,
    estimate: ({ size: each }: Sized) => ({
      cost: scaled(each, perCharacter),
      size: { min: Math.floor(each.min / 4), max: each.max },
    }),
  }),
  overload('timestamp(timestamp): timestamp', same),
  overload('timestamp(int): timestamp', (value) => timestampOf((value as bigint) * 1_000_000_000n)),
  overload('timestamp(string): timestamp', (value) => parseTimestamp(text(value))),
  overload('uint(uint): uint', same),
  overload('uint(double): uint', (value) => toUint(value as number)),
  overload('uint(int): uint', (value) =>
    (value as bigint) >= 0n ? new Uint(value as bigint) : new CelError('unsigned integer overflow'),
  ),
  overload('uint(string): uint', (value) => {
    const parsed = parseNumber(text(value), /^\d+$/, 'uint');
    return parsed === undefined ? conversionError('string', 'uint') : new Uint(parsed);
  }),
];
