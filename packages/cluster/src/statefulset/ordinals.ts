/** Who is who in a StatefulSet: its pods and their claims are named by ordinals. */
import type { StatefulSet } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';

export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;
export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;

export const podName = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;
export const claimName = ({ metadata }: StatefulSet, template: string, ordinal: number): string =>
  `${template}-${metadata.name}-${ordinal}`;

/** The ordinal that a pod's name ends in; -1 when it has none that fits in 32 bits. */
export function ordinalOf({ metadata }: Pick<Pod, 'metadata'>): number {
  const [, , digits] = parsed(metadata.name);
  const ordinal = Number(digits ?? -1);
  return ordinal < 2 ** 31 ? ordinal : -1;
}

/** Whether a pod bears the set's name, with any ordinal. */
export const isMember = (set: StatefulSet, { metadata }: Pod): boolean =>
  parsed(metadata.name)[1] === set.metadata.name;

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const first = firstOrdinal(set);
  return ordinal >= first && ordinal < first + replicasOf(set);
}

const parsed = (name: string): readonly (string | undefined)[] => /^(.*)-(\d+)$/s.exec(name) ?? [];
