/** Semantic versions, such as `1.2.3-rc.1`. */
import { goQuote } from '../../wording/go-text.ts';
import { one, perCharacter, type Sized, scaled } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { struct } from '../language/types.ts';
import { CelError, OpaqueValue, sizeOf, type Value } from '../language/values.ts';

class Semver extends OpaqueValue {
  readonly type = struct('kubernetes.Semver');
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly (bigint | string)[];
  constructor(numbers: readonly bigint[], prerelease: readonly (bigint | string)[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Semver && order(this, other) === 0;
  }
}

function uint64(digits: string): bigint | CelError {
  const value = digits.length > 20 ? 2n ** 64n : BigInt(digits);
  return value < 2n ** 64n ? value : new CelError(`strconv.ParseUint: parsing ${goQuote(digits)}: value out of range`);
}

function parse(text: string): Semver | CelError {
  if (text === '') return new CelError('Version string empty');
  const [major = '', minor, ...rest] = text.split('.');
  if (minor === undefined || rest.length === 0) return new CelError('No Major.Minor.Patch elements found');
  const [, patch = '', pre, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest.join('.')) ?? [];
  const numbers: bigint[] = [];
  for (const [name, part] of Object.entries({ Major: major, Minor: minor, Patch: patch })) {
    if (!/^\d+$/.test(part))
      return new CelError(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(part)}`);
    if (/^0\d/.test(part)) return new CelError(`${name} number must not contain leading zeroes ${goQuote(part)}`);
    const number = uint64(part);
    if (number instanceof CelError) return number;
    numbers.push(number);
  }
  const prerelease: (bigint | string)[] = [];
  for (const part of pre?.split('.') ?? []) {
    if (part === '') return new CelError('Prerelease is empty');
    if (/^0\d+$/.test(part))
      return new CelError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`);
    if (!/^[0-9A-Za-z-]+$/.test(part)) return new CelError(`Invalid character(s) found in prerelease ${goQuote(part)}`);
    const value = /^\d+$/.test(part) ? uint64(part) : part;
    if (value instanceof CelError) return value;
    prerelease.push(value);
  }
  for (const part of build?.split('.') ?? []) {
    if (part === '') return new CelError('Build meta data is empty');
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new CelError(`Invalid character(s) found in build meta data ${goQuote(part)}`);
  }
  return new Semver(numbers, prerelease);
}

/** `v1.02` is taken for `1.2.0`. */
function normalized(text: string): string | CelError {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join('.')] : [])].map(
    (part) => (part.length > 1 ? part.replace(/^0+/, '').replace(/^(?!\d)/, '0') : part),
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  return [...parts, '0', '0'].slice(0, 3).join('.');
}

function read(text: Value, normalizes: Value = false): Semver | CelError {
  const plain = normalizes === true ? normalized(text as string) : (text as string);
  return plain instanceof CelError ? plain : parse(plain);
}

function order(a: Value, b: Value): number {
  const [left, right] = [a as Semver, b as Semver];
  for (const [i, number] of left.numbers.entries()) {
    const other = right.numbers[i] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  // A version comes after its prereleases.
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return Math.sign(right.prerelease.length - left.prerelease.length);
  }
  for (const [i, part] of left.prerelease.entries()) {
    const other = right.prerelease[i];
    if (other === undefined) return 1;
    if (part === other) continue;
    if (typeof part !== typeof other) return typeof part === 'bigint' ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return left.prerelease.length < right.prerelease.length ? -1 : 0;
}

const reading = {
  cost: (args: readonly Value[]) => Math.ceil(sizeOf(args[0] ?? null) * perCharacter),
  estimate: (text: Sized) => ({ cost: scaled(text.size, perCharacter) }),
};
const nominal = { cost: () => 1, estimate: () => ({ cost: one }) };
const part = (index: number) => (value: Value) => (value as Semver).numbers[index] ?? 0n;
const s = 'kubernetes.Semver';

/** `semver` and its methods. */
export const semvers: Library = [
  overload(`semver(string): ${s}`, read, reading),
  overload(`semver(string, bool): ${s}`, read, reading),
  overload('isSemver(string): bool', (text) => !(read(text) instanceof CelError), reading),
  overload(
    'isSemver(string, bool): bool',
    (text, normalizes) => !(read(text, normalizes) instanceof CelError),
    reading,
  ),
  overload(`${s}.isGreaterThan(${s}): bool`, (a, b) => order(a, b) > 0, nominal),
  overload(`${s}.isLessThan(${s}): bool`, (a, b) => order(a, b) < 0, nominal),
  overload(`${s}.compareTo(${s}): int`, (a, b) => BigInt(order(a, b)), nominal),
  overload(`${s}.major(): int`, part(0), nominal),
  overload(`${s}.minor(): int`, part(1), nominal),
  overload(`${s}.patch(): int`, part(2), nominal),
];
