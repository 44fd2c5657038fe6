/** One field of a schedule: lists of numbers, names, ranges and steps, as `github.com/robfig/cron` reads them. */
import { CronError } from './cron-error.ts';

export interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Names for numbers, of three letters in any case; the first one stands for `min`. */
  readonly names?: readonly string[];
}

export interface Field {
  readonly values: ReadonlySet<number>;
  /** It says `*` or `?` without a step: any value will do, which matters for the two fields of days. */
  readonly isAny: boolean;
}

export function parseField(text: string, bounds: Bounds): Field {
  const ranges = text.split(',').filter((range) => range !== '');
  const parsed = ranges.map((range) => parseRange(range, bounds));
  return { values: new Set(parsed.flatMap(({ values }) => values)), isAny: parsed.some(({ isAny }) => isAny) };
}

function parseRange(text: string, { min, max, names = [] }: Bounds): { values: readonly number[]; isAny: boolean } {
  const [range = '', stepText, ...slashes] = text.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  const isStar = low === '*' || low === '?';
  const number = (part: string) => {
    const named = names.indexOf(part.toLowerCase());
    return named === -1 ? wholeNumber(part) : BigInt(min + named);
  };
  const start = isStar ? BigInt(min) : number(low);
  if (!isStar && hyphens.length > 0) throw new CronError(`too many hyphens: ${text}`);
  let end = isStar ? BigInt(max) : high === undefined ? start : number(high);
  if (slashes.length > 0) throw new CronError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1n : wholeNumber(stepText);
  // `5/10` means `5-59/10`.
  if (stepText !== undefined && high === undefined) end = BigInt(max);
  if (start < min) throw new CronError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new CronError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new CronError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0n) throw new CronError(`step of range should be a positive number: ${text}`);
  const values: number[] = [];
  for (let value = start; value <= end; value += step) values.push(Number(value));
  return { values, isAny: isStar && step === 1n };
}

function wholeNumber(text: string): bigint {
  const fail = (why: string) =>
    new CronError(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[-+]?\d+$/.test(text)) throw fail('invalid syntax');
  const value = BigInt(text.replace(/^\+/, ''));
  if (value !== BigInt.asIntN(64, value)) throw fail('value out of range');
  if (value < 0n) throw new CronError(`negative number (${value}) not allowed: ${text}`);
  return value;
}
