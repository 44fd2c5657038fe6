/** On which nodes the pods of a DaemonSet belong, and which pods it makes for them. Pure. */
import { type ControllerRevision, DaemonSet } from '@keelson/core/apps/v1';
import type { NewPod, Node, Pod, PodSpec, Taint, Toleration } from '@keelson/core/v1';
import { podFromTemplate } from '../pod-from-template.ts';
import { matchesAffinity, tolerates } from '../scheduler/fit.ts';

export const hashLabel = 'controller-revision-hash';
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';
const nameField = 'metadata.name';

/** Troubles of a node through which these pods stay, since they may be what mends it. */
const endured: readonly (readonly [string, 'NoExecute' | 'NoSchedule'])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];

function tolerationsOf({ tolerations = [], hostNetwork }: PodSpec): readonly Toleration[] {
  const all = hostNetwork ? [...endured, ['network-unavailable', 'NoSchedule'] as const] : endured;
  const own = all.map(([name, effect]) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists' as const, effect }));
  const isSame = (a: Toleration, b: Toleration) =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && !a.value;
  const replaced = tolerations.map((each) => own.find((other) => isSame(each, other)) ?? each);
  return [...replaced, ...own.filter((each) => !tolerations.some((other) => isSame(other, each)))];
}

export interface Eligibility {
  /** A pod should be made there. */
  readonly shouldRun: boolean;
  /** One that is there may stay. */
  readonly mayStay: boolean;
}

export function eligibilityOf({ spec }: DaemonSet, node: Node): Eligibility {
  const pod = spec.template.spec ?? { containers: [] };
  const isNamed = !pod.nodeName || pod.nodeName === node.metadata.name;
  if (!isNamed || !matchesAffinity(pod, node)) return { shouldRun: false, mayStay: false };
  const tolerations = tolerationsOf(pod);
  const refuses = (effects: readonly string[]) =>
    (node.spec.taints ?? []).some(
      (taint: Taint) => effects.includes(taint.effect) && !tolerations.some((each) => tolerates(each, taint)),
    );
  return { shouldRun: !refuses(['NoExecute', 'NoSchedule']), mayStay: !refuses(['NoExecute']) };
}

/** A pod for one node: the scheduler binds it, as it binds all others, to the only node that it fits. */
export function newPod(set: DaemonSet, revision: ControllerRevision, node: string): NewPod {
  const { metadata, spec } = podFromTemplate(DaemonSet, set, set.spec.template);
  const generation = set.metadata.annotations?.[generationAnnotation];
  const { affinity } = spec ?? {};
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [hashLabel]: hashOf(revision),
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
      },
    },
    spec: {
      ...spec,
      containers: spec?.containers ?? [],
      affinity: {
        ...affinity,
        nodeAffinity: {
          ...affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: {
            ...required,
            nodeSelectorTerms: [{ matchFields: [{ key: nameField, operator: 'In', values: [node] }] }],
          },
        },
      },
      tolerations: tolerationsOf(spec ?? { containers: [] }),
    },
  };
}

export const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[hashLabel] ?? metadata.name;

/** Made from the template that the set has now, by its hash or by its number. */
export function isUpdated({ metadata }: Pod, set: DaemonSet, hash: string): boolean {
  const generation = set.metadata.annotations?.[generationAnnotation];
  const { [hashLabel]: own, [generationLabel]: number } = metadata.labels ?? {};
  return own === hash || (generation !== undefined && number === generation);
}

/** Where a pod runs, or will. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const { values = [] } = fields.find(({ key, operator }) => key === nameField && operator === 'In') ?? {};
  return values.length === 1 ? values[0] : undefined;
}
