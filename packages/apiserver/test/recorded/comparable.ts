/**
 * Recorded answers beside our results: without what the server's other parts did (system fields, defaults, allocation,
 * admission, decoding into Go structs), which is not applying's or patching's to do.
 */
import type { Json, Recording } from './recording.ts';

/** What admission or allocation fills in, after ownership was decided. */
const admitted = new Set([
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'preemptionPolicy',
  'priority',
  'serviceAccount',
  'serviceAccountName',
  'tolerations',
]);

/** The system's own; a pod's qosClass comes back after every write. */
const system = new Set([
  'qosClass',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'namespace',
  'managedFields',
]);

/** Fields that get a value again when a patch or an apply takes it away, or leaves it out of something new. */
const defaulted = new Set([
  'apiVersion',
  'defaultMode',
  'imagePullPolicy',
  'protocol',
  'replicas',
  'resources',
  'rollingUpdate',
  'targetPort',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'type',
  'withDefault',
]);

export function withoutAdmitted(spec: unknown): Json {
  return Object.fromEntries(Object.entries(spec as Json).filter(([name]) => !admitted.has(name)));
}

/** Our `part` and the server's, made comparable; on a create every field may have got its default. */
export function comparable(
  ours: unknown,
  theirs: unknown,
  resource: Recording['resource'],
  isCreate: boolean,
): [unknown, unknown] {
  const isCustom = resource === 'gadgets' || resource === 'gizmos';
  const decode = (part: unknown) => (isCustom ? (part ?? {}) : normalised(part ?? {}));
  const decoded = decode(ours);
  const isDefault = (name: string) => defaulted.has(name) || (isCreate && !isCustom);
  return [own(decoded), own(withoutDefaults(decode(theirs), decoded, isDefault))];
}

function own(part: unknown): Json {
  return Object.fromEntries(Object.entries(withoutAdmitted(part)).filter(([name]) => !system.has(name)));
}

function withoutDefaults(theirs: unknown, ours: unknown, isDefault: (field: string) => boolean): unknown {
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    return theirs.map((item, index) => withoutDefaults(item, ours[index], isDefault));
  }
  if (typeof theirs !== 'object' || theirs === null || typeof ours !== 'object' || ours === null) return theirs;
  const known = ours as Json;
  return Object.fromEntries(
    Object.entries(theirs)
      .filter(([name]) => Object.hasOwn(known, name) || !isDefault(name))
      .map(([name, value]) => [name, withoutDefaults(value, known[name], isDefault)]),
  );
}

/** What decoding into a Go struct does: nulls, empty lists and maps, and unknown fields are nothing; quantities have one form. */
function normalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== 'object' || value === null) return value === '0.1' ? '100m' : (value ?? undefined);
  const members = Object.entries(value).map(([name, member]) => [name, normalised(member)] as const);
  return Object.fromEntries(members.filter(([name, member]) => member !== undefined && !isNothing(name, member)));
}

const maps = new Set(['annotations', 'data', 'labels', 'nodeSelector']);

function isNothing(name: string, value: unknown): boolean {
  if (name.startsWith('$') || (Array.isArray(value) && value.length === 0)) return true;
  return maps.has(name) && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
