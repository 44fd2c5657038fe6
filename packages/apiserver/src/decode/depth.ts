/**
 * How deep an object may be nested: ten thousand levels, as in Kubernetes, for all that is written as JSON.
 *
 * The steps that go by a schema call themselves, and their stack has an end. A schema has one too, long before; but a
 * definition has schemas in schemas, and a strategic patch is looked through whatever it says. These take a thousand
 * levels: what is deeper is refused clearly, before anything is done.
 */
import { notImplemented, StatusError } from '../status.ts';
import { duplicateMembers, maxDepth, TooDeepError } from './strict-json.ts';

const maxSchemaDepth = 1000;

/** `text` is JSON. Two characters at least make a level. */
export function assertDepth(text: string): void {
  if (text.length > 2 * maxDepth) duplicateMembers(text);
}

/** For what is walked by steps that call themselves; `what` says what it is. */
export function assertShallow(value: unknown, what: string): void {
  if (isDeeper(value, maxSchemaDepth)) throw notImplemented(`${what} nested deeper than ${maxSchemaDepth} levels`);
}

/**
 * An object is stored with its managedFields, which go deeper than what they are about. Kubernetes stores it all the
 * same, answers with this, and can never read it again; here nothing is stored.
 */
export function assertStorable(object: object): void {
  if (isDeeper(object, maxDepth)) throw new StatusError(500, '', new TooDeepError('{').message);
}

/** Level by level, so that the stack has no part in it. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: object[] = [];
  if (typeof value === 'object' && value !== null) level.push(value);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true;
    const below: object[] = [];
    for (const each of level) {
      const members: readonly unknown[] = Array.isArray(each) ? each : Object.values(each);
      for (const member of members) if (typeof member === 'object' && member !== null) below.push(member);
    }
    level = below;
  }
  return false;
}
