/**
 * Texts from outside on their way into errors and warnings: cut, and without our secrets. Whoever puts one into an error
 * takes it from here.
 */
import { isObject, type Status } from '@keelson/core';

/** Takes our secrets out of a text; absent where the transport has none. */
export type Mask = ((text: string) => string) | undefined;

/** Enough of an unexpected text to recognise it. */
const maxQuotedLength = 300;
/** Of which that is taken: white space is not counted. */
export const maxReadLength = 16 * 1024;
/** A longer secret is known by any part of it. */
const maxShortSecret = 16;
/** Of a text that the server itself wrote for people. */
const maxTextLength = 8 * 1024;
/** What a real Status holds has three levels, and as many causes as an object has wrong fields. */
const maxDepth = 8;
const maxParts = 1000;

/** What is shown of an unexpected text: the beginning, in one line. */
export function shown(text: string, mask: Mask): string {
  // What is cut off before it is masked may be half a secret, so that the last characters go too.
  const read = text.length <= maxReadLength ? text : text.slice(0, maxReadLength - maxShortSecret);
  return cut(masked(read, mask).replace(/\s+/g, ' ').trim(), maxQuotedLength);
}

/** A text that was written for people, as it is if it is not very long. */
export function shownWhole(text: string, mask: Mask): string {
  return cut(masked(text, mask), maxTextLength);
}

/** What a server says about a failure, as far as it has the form of a Status, so that whoever asks it need not look. */
export function statusIn(value: unknown, mask: Mask): Partial<Status> {
  const { code, message, reason, details, ...rest } = fieldsOf(safe(value, mask));
  const { causes, ...more } = fieldsOf(details);
  return {
    ...rest,
    ...(typeof code === 'number' && { code }),
    ...(typeof message === 'string' && { message }),
    ...(typeof reason === 'string' && { reason }),
    ...(details !== undefined && {
      details: { ...more, ...(Array.isArray(causes) && { causes: causes.map(fieldsOf) }) },
    }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** JSON that describes a failure, with every text in it cut and masked; what is too deep or too much is left off. */
function safe(value: unknown, mask: Mask, depth = 0): unknown {
  if (typeof value === 'string') return shownWhole(value, mask);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return undefined;
  if (Array.isArray(value)) return value.slice(0, maxParts).map((item) => safe(item, mask, depth + 1));
  const members = Object.entries(value).slice(0, maxParts);
  return Object.fromEntries(members.map(([name, each]) => [shown(name, mask), safe(each, mask, depth + 1)]));
}

function masked(text: string, mask: Mask): string {
  return mask ? mask(text) : text;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
