/** The date of what is made, so that it can be made again: `SOURCE_DATE_EPOCH`, and 1970 without it. */
import { UsageError } from '../command-error.ts';

export function epochOf(text = '0'): number {
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw new UsageError(`SOURCE_DATE_EPOCH must be seconds since 1970, not "${text}"`);
}
