/** The pods of a StatefulSet and the claims that they use: identity, storage, and which revision they are made from. */
import { type ControllerRevision, StatefulSet } from '@keelson/core/apps/v1';
import type { NewPersistentVolumeClaim, NewPod, Pod, Volume } from '@keelson/core/v1';
import { templateIn } from '../history/revision-hash.ts';
import { podFromTemplate } from '../pod-from-template.ts';
import { claimName, firstOrdinal, ordinalOf, podName } from './ordinals.ts';

const revisionLabel = 'controller-revision-hash';
const nameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

export interface Revisions {
  /** The one that pods had before the update that is going on, or have still. */
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

export const revisionOf = ({ metadata }: Pick<Pod, 'metadata'>): string => metadata.labels?.[revisionLabel] ?? '';

/** Below the partition, a pod that is missing comes back as it was. */
export function revisionFor(set: StatefulSet, { current, update }: Revisions, ordinal: number): ControllerRevision {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const kept = rollingUpdate
    ? (rollingUpdate.partition ?? 0)
    : type === 'RollingUpdate'
      ? (set.status.currentReplicas ?? 0)
      : 0;
  return ordinal < firstOrdinal(set) + kept ? current : update;
}

type NamedPod = NewPod & { readonly metadata: { readonly name: string; readonly namespace: string } };

export function newPod(set: StatefulSet, revision: ControllerRevision, ordinal: number): NamedPod {
  const { metadata, spec } = podFromTemplate(StatefulSet, set, templateIn(revision.data));
  const name = podName(set, ordinal);
  const { serviceName } = set.spec;
  return {
    metadata: {
      ...metadata,
      name,
      namespace: set.metadata.namespace,
      labels: { ...metadata.labels, ...identityLabels(set, ordinal), [revisionLabel]: revision.metadata.name },
    },
    spec: {
      ...spec,
      containers: spec?.containers ?? [],
      hostname: name,
      ...(serviceName ? { subdomain: serviceName } : {}),
      volumes: volumesOf(set, ordinal, spec?.volumes),
    },
  };
}

const identityLabels = (set: StatefulSet, ordinal: number) => ({
  [nameLabel]: podName(set, ordinal),
  [indexLabel]: String(ordinal),
});

/** The claims' volumes, in place of those of the same name, and then the others. */
function volumesOf(set: StatefulSet, ordinal: number, others: readonly Volume[] = []): readonly Volume[] {
  const names = claimTemplates(set).map(({ metadata }) => metadata?.name ?? '');
  return [
    ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: claimName(set, name, ordinal) } })),
    ...others.filter(({ name }) => !names.includes(name)),
  ];
}

const claimTemplates = ({ spec }: StatefulSet) => spec.volumeClaimTemplates ?? [];

export const claimNames = (set: StatefulSet, ordinal: number): readonly string[] =>
  claimTemplates(set).map(({ metadata }) => claimName(set, metadata?.name ?? '', ordinal));

export function newClaims(
  set: StatefulSet,
  ordinal: number,
): readonly (NewPersistentVolumeClaim & { readonly metadata: { readonly name: string } })[] {
  const { namespace } = set.metadata;
  return claimTemplates(set).map(({ metadata, spec }) => ({
    metadata: {
      ...metadata,
      name: claimName(set, metadata?.name ?? '', ordinal),
      namespace,
      labels: { ...metadata?.labels, ...set.spec.selector.matchLabels },
    },
    ...(spec ? { spec } : {}),
  }));
}

/** The pod with its identity and its claims' volumes put right; `undefined` when they are. */
export function repaired(set: StatefulSet, pod: Pod): Pod | undefined {
  const ordinal = ordinalOf(pod);
  const { labels = {} } = pod.metadata;
  const hasIdentity = labels[nameLabel] === pod.metadata.name;
  const hasStorage = claimTemplates(set).every(({ metadata }) =>
    pod.spec.volumes?.some(
      ({ name, persistentVolumeClaim }) =>
        name === metadata?.name && persistentVolumeClaim?.claimName === claimName(set, name, ordinal),
    ),
  );
  if (hasIdentity && hasStorage) return undefined;
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...labels, ...identityLabels(set, ordinal) } },
    spec: hasStorage ? pod.spec : { ...pod.spec, volumes: volumesOf(set, ordinal, pod.spec.volumes) },
  };
}
