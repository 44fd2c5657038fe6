/**
 * What a change of a Memcached does to its servers: nothing (Live), or a restart of each (Roll), and because of which
 * fields. Pure, from the pod template that was applied and the one that is wanted.
 *
 * Templates are compared as the API server stores them: an amount of memory has many spellings, some of what is left out
 * is filled in, and what is empty or zero is kept only where it says something. What no field of the spec leads to is the operator's own: an upgrade of it, or the hand of another.
 */
import { createHash } from 'node:crypto';
import {
  appliedEntryOf,
  equalJson,
  type FieldSet,
  isObject,
  type KubernetesObject,
  parseQuantity,
  project,
} from '@keelson/core';
import type { Affinity, Container, PodSpec, PodTemplateSpec, TopologySpreadConstraint } from '@keelson/core/v1';

/** The template as this manager has applied it, or `undefined` if it never did. */
export function appliedTemplate(workload: KubernetesObject, manager: string): PodTemplateSpec | undefined {
  const fields = appliedEntryOf(workload, manager)?.fieldsV1;
  if (fields === undefined) return undefined;
  const { spec } = project(workload, fields as FieldSet) as { readonly spec?: { readonly template?: PodTemplateSpec } };
  return spec?.template;
}

/** The name of a template: the same for equal ones, and another for others. */
export const revisionOf = (template: PodTemplateSpec): string =>
  createHash('sha256')
    .update(JSON.stringify(plain(template, '')))
    .digest('hex')
    .slice(0, 10);

/**
 * Because of which fields of the spec servers would be restarted, in the order in which they are documented. `undefined`
 * if they would not; an empty list if no field of the spec leads there.
 */
export function rollingFields(before: PodTemplateSpec, after: PodTemplateSpec): readonly string[] | undefined {
  const [old, next] = [partsOf(before), partsOf(after)];
  const asKept = (parts: typeof next, part: string) => plain(parts[part], part.split('.').at(-1) ?? '');
  const differing = Object.keys(next).filter((part) => !equalJson(asKept(old, part), asKept(next, part)));
  if (differing.length === 0 && revisionOf(before) === revisionOf(after)) return undefined;
  const fields = differing.filter((part) => part !== others);
  // What a pod asks for follows from its memory, unless something else about it has changed, too.
  return fields.filter((field) => field !== 'spec.pod.resources' || !fields.includes('spec.memory'));
}

const others = 'others';

/** A template by the fields of the spec that lead to its parts. */
function partsOf({ metadata, spec }: PodTemplateSpec): Readonly<Record<string, unknown>> {
  const { containers = [], affinity, topologySpreadConstraints: spread = [], ...pod }: Partial<PodSpec> = spec ?? {};
  const [server, ...sidecars] = containers as readonly [Container?, ...Container[]];
  const { image, command = [], resources, volumeMounts, ...rest } = server ?? {};
  const { nodeSelector, tolerations, priorityClassName, imagePullSecrets, serviceAccountName, volumes, ...own } = pod;
  const isMemory = (arg: string) => arg.startsWith('--memory-limit=');
  return {
    'spec.image': image,
    'spec.memory': command.filter(isMemory),
    'spec.config': command.filter((arg) => !isMemory(arg)),
    'spec.availability.antiAffinity': onOneNode(affinity, true),
    'spec.availability.zoneSpread': spread.filter(isOverZones),
    'spec.pod.labels': metadata?.labels,
    'spec.pod.annotations': metadata?.annotations,
    'spec.pod.nodeSelector': nodeSelector,
    'spec.pod.tolerations': tolerations,
    'spec.pod.affinity': onOneNode(affinity, false),
    'spec.pod.topologySpreadConstraints': spread.filter((each) => !isOverZones(each)),
    'spec.pod.priorityClassName': priorityClassName,
    'spec.pod.resources': resources,
    'spec.pod.imagePullSecrets': imagePullSecrets,
    'spec.pod.serviceAccountName': serviceAccountName,
    'spec.pod.volumes': volumes,
    'spec.pod.volumeMounts': volumeMounts,
    [others]: { ...own, rest, sidecars },
  };
}

/** What keeps servers on nodes of their own, or all else. */
function onOneNode(affinity: Affinity | undefined, wanted: boolean): unknown {
  const {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: soft = [],
      requiredDuringSchedulingIgnoredDuringExecution: hard = [],
    } = {},
    ...rest
  } = affinity ?? {};
  const isMeant = (topologyKey: string) => (topologyKey === 'kubernetes.io/hostname') === wanted;
  return {
    soft: soft.filter(({ podAffinityTerm }) => isMeant(podAffinityTerm.topologyKey)),
    hard: hard.filter(({ topologyKey }) => isMeant(topologyKey)),
    ...(wanted ? {} : rest),
  };
}

const isOverZones = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): boolean =>
  topologyKey === 'topology.kubernetes.io/zone' && whenUnsatisfiable === 'ScheduleAnyway';

/** A value as the API server keeps it: members in order, amounts in one spelling, with what it fills in. */
function plain(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((each) => plain(each, name));
  if (!isObject(value)) return value ?? undefined;
  const members = Object.entries({ ...filledIn[name], ...value })
    .map(([key, each]) => [key, isAmount(name, key) ? amount(each) : plain(each, key)] as const)
    .filter(([key, each]) => each !== undefined && (each || saysMuch.has(key) || ofAnyKeys.has(name)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return members.length === 0 && !saysMuch.has(name) ? undefined : Object.fromEntries(members);
}

/** Maps by keys of the user's, whose values are kept even if they are empty. */
const ofAnyKeys: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'nodeSelector',
  'matchLabels',
  'volumeAttributes',
]);

/** Fields that mean something else empty, zero or false than left out, and are kept so. */
const saysMuch: ReadonlySet<string> = new Set([
  'affinity',
  'nodeAffinity',
  'podAffinity',
  'podAntiAffinity',
  'labelSelector',
  'namespaceSelector',
  'tolerationSeconds',
  'emptyDir',
  'projected',
  'defaultMode',
  'mode',
  'optional',
]);

/** What the API server adds to what was applied, where it keeps a value as a whole. */
const filledIn: Readonly<Record<string, object>> = {
  projected: { defaultMode: 0o644 },
  serviceAccountToken: { expirationSeconds: 3600 },
  fieldRef: { apiVersion: 'v1' },
  resourceFieldRef: { divisor: '0' },
};

const isAmount = (name: string, key: string): boolean =>
  name === 'requests' || name === 'limits' || key === 'sizeLimit' || key === 'divisor';

function amount(value: unknown): unknown {
  try {
    let { digits, exponent } = parseQuantity(String(value));
    for (; digits !== 0n && digits % 10n === 0n; exponent += 1) digits /= 10n;
    return digits === 0n ? '0' : `${digits}e${exponent}`;
  } catch {
    return value;
  }
}
