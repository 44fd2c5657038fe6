/** The types of `request` and `namespaceObject`, which expressions are checked by; the values are plain JSON. */
import { bool, dyn, int, list, map, string, struct, type Type, timestamp } from '../language/types.ts';

type Fields = ReadonlyMap<string, Type>;

const fields = (types: Readonly<Record<string, Type>>): Fields => new Map(Object.entries(types));
const texts = list(string);

const structs: ReadonlyMap<string, Fields> = new Map([
  ['kubernetes.GroupVersionKind', fields({ group: string, version: string, kind: string })],
  ['kubernetes.GroupVersionResource', fields({ group: string, version: string, resource: string })],
  ['kubernetes.UserInfo', fields({ username: string, uid: string, groups: texts, extra: map(string, texts) })],
  [
    'kubernetes.AdmissionRequest',
    fields({
      kind: struct('kubernetes.GroupVersionKind'),
      resource: struct('kubernetes.GroupVersionResource'),
      subResource: string,
      requestKind: struct('kubernetes.GroupVersionKind'),
      requestResource: struct('kubernetes.GroupVersionResource'),
      requestSubResource: string,
      name: string,
      namespace: string,
      operation: string,
      userInfo: struct('kubernetes.UserInfo'),
      dryRun: bool,
      options: dyn,
    }),
  ],
  ['kubernetes.NamespaceSpec', fields({ finalizers: texts })],
  [
    'kubernetes.NamespaceCondition',
    fields({ status: string, type: string, lastTransitionTime: timestamp, message: string, reason: string }),
  ],
  ['kubernetes.NamespaceStatus', fields({ conditions: list(struct('kubernetes.NamespaceCondition')), phase: string })],
  [
    'kubernetes.NamespaceMetadata',
    fields({
      name: string,
      generateName: string,
      namespace: string,
      labels: map(string, string),
      annotations: map(string, string),
      UID: string,
      creationTimestamp: timestamp,
      deletionGracePeriodSeconds: int,
      deletionTimestamp: timestamp,
      generation: int,
      resourceVersion: string,
      finalizers: texts,
    }),
  ],
  [
    'kubernetes.Namespace',
    fields({
      metadata: struct('kubernetes.NamespaceMetadata'),
      spec: struct('kubernetes.NamespaceSpec'),
      status: struct('kubernetes.NamespaceStatus'),
    }),
  ],
]);

/** The type of `request`. */
export const requestType = struct('kubernetes.AdmissionRequest');
/** The type of `namespaceObject`. */
export const namespaceType = struct('kubernetes.Namespace');

/** Undefined for types of others. */
export function requestFieldType(name: string): Fields | undefined {
  return structs.get(name);
}
