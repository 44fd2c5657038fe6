/**
 * The hash of a pod template, which names its ReplicaSet and labels its pods.
 *
 * Promises: equal templates have equal hashes, whatever the order of their members; the collision count changes the hash.
 * Its value is opaque: Kubernetes hashes a dump of a Go structure, so the same template has another hash there.
 */
import type { PodTemplateSpec } from '@keelson/core/v1';
import { safeEncoded } from '../safe-encoded.ts';

export function templateHash(template: PodTemplateSpec, collisionCount = 0): string {
  const text = canonical(template) + (collisionCount > 0 ? `#${collisionCount}` : '');
  let hash = 0x811c9dc5; // FNV-1a, 32 bits
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return safeEncoded(String(hash));
}

/** JSON with sorted members, and without those that say nothing. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined && member !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join()}}`;
}
