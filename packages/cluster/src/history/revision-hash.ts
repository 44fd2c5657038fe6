/**
 * The content of a ControllerRevision and its hash, byte by byte as Kubernetes writes and hashes them: the same template
 * has the same revision there and here.
 */

import type { PodTemplateSpec } from '@keelson/core/v1';
import { safeEncoded } from '../safe-encoded.ts';

/** A strategic merge patch that puts a template back. Its members are sorted, as Go sorts those of a map. */
export function templatePatch(template: PodTemplateSpec): Readonly<Record<string, unknown>> {
  return sorted({ spec: { template: { ...template, $patch: 'replace' } } }) as Readonly<Record<string, unknown>>;
}

/** The template that a revision holds. */
export function templateIn(data: unknown): PodTemplateSpec {
  const { spec = {} } = (data ?? {}) as { spec?: { template?: PodTemplateSpec & { readonly $patch?: string } } };
  const { $patch: _, ...template } = spec.template ?? {};
  return template;
}

/** What Go makes of the data; two revisions are the same when these texts are. */
export function revisionText(data: unknown): string {
  return JSON.stringify(sorted(data)).replaceAll(/[<>&\u2028\u2029]/g, escaped);
}

export function revisionHash(data: unknown, collisionCount: number): string {
  let hash = 0x811c9dc5; // FNV-1, 32 bits
  for (const byte of Buffer.from(`${revisionText(data)}${collisionCount}`)) {
    hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  }
  return safeEncoded(String(hash));
}

/** Go writes what could end a script as an escape. */
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]),
  );
}
