/**
 * How deep a body may be nested.
 *
 * Kubernetes reads ten thousand levels. The steps of this server walk a value by calling themselves, and the stack has an
 * end, so that it takes a thousand: what is deeper is refused clearly, before anything is done.
 */
import { notImplemented } from '../status.ts';
import { JsonSyntaxError } from './strict-json.ts';

export const maxDepth = 1000;
const readableDepth = 10_000;

/** `text` is what was parsed. Whatever parses is looked at before any step that would walk it to its end. */
export function assertDepth(value: unknown, text: string): void {
  // Two characters at least make a level.
  if (text.length > 2 * maxDepth && isDeeper(value, maxDepth)) throw tooDeep(text);
}

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}

/** Whether a text that may not be JSON at all opens more than it closes by so much. */
export function opensDeeper(text: string): boolean {
  return text.length > 2 * maxDepth && depthOf(text, maxDepth).depth > maxDepth;
}

export function tooDeep(text = ''): Error {
  const { depth, at } = depthOf(text, readableDepth);
  return depth > readableDepth
    ? new JsonSyntaxError(`invalid character '${text[at]}' exceeded max depth`)
    : notImplemented(`an object nested deeper than ${maxDepth} levels`);
}

/** The depth of a JSON text as far as `limit` and one more, and where that is reached. */
function depthOf(text: string, limit: number): { readonly depth: number; readonly at: number } {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      deepest = Math.max(deepest, depth);
      if (depth > limit) return { depth, at };
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return { depth: deepest, at: -1 };
}
