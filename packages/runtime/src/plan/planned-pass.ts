/** What a pass would do: the report of a plan, as values. */
import { isObject, type JsonObject, type KubernetesObject, type NamespacedName } from '@keelson/core';
import { differingPaths } from '../field-diff.ts';

/** Which object something is about. */
export interface PlannedObject {
  /** Empty for the legacy one. */
  readonly group: string;
  readonly kind: string;
  readonly key: NamespacedName;
}

/** One pass over one object, of which nothing was written. */
export interface PlannedPass extends PlannedObject {
  /** The name of its controller. */
  readonly controller: string;
  /** What was done: `reconcile` was called; `finalize` would be, and was not; `nothing` is left to do for it. */
  readonly step: 'reconcile' | 'finalize' | 'nothing';
  /** In the order of their first write. */
  readonly changes: readonly PlannedChange[];
  /** What was looked at and is as it shall be. */
  readonly unchanged: readonly PlannedObject[];
  readonly events: readonly PlannedEvent[];
  /** What it failed with; its changes up to there are those above. */
  readonly error?: Error;
}

/** An object that would be made, changed or deleted. */
export interface PlannedChange extends PlannedObject {
  readonly type: 'create' | 'change' | 'delete';
  readonly before: KubernetesObject | undefined;
  /** As far as it can be known without the server: it adds defaults, and may refuse it. What finalizers keep is deleted and still there. */
  readonly after: KubernetesObject | undefined;
}

/** An Event that would be recorded. */
export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** `Deployment.apps default/web`: the same for the same object. */
export const idOf = ({ group, kind, key }: PlannedObject): string => `${nameOfKind({ group, kind })} ${key}`;

export const nameOfKind = ({ group, kind }: Pick<PlannedObject, 'group' | 'kind'>): string =>
  group === '' ? kind : `${kind}.${group}`;

/** Whether people would call it a change: nothing that the server counts, and nothing that it does not keep. */
export function isChanged(before: KubernetesObject | undefined, after: KubernetesObject | undefined): boolean {
  return differingPaths(authored(before), authored(after)).length > 0;
}

const ofTheServer = new Set(['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink']);

/** An object without what the server alone writes into its metadata. */
export function authored(object: KubernetesObject | undefined): JsonObject | undefined {
  if (object === undefined) return undefined;
  const { apiVersion, kind, metadata, ...content } = object;
  const kept = Object.entries(metadata).filter(([name]) => !ofTheServer.has(name));
  return { apiVersion, kind, metadata: Object.fromEntries(kept), ...content };
}

/** The values of a Secret are not for everybody who reads a plan: only whether they differ. */
export function masked(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): readonly [JsonObject | undefined, JsonObject | undefined] {
  const { apiVersion, kind } = after ?? before ?? {};
  if (kind !== 'Secret' || apiVersion !== 'v1') return [before, after];
  return [hidden(before, after, 'before'), hidden(after, before, 'after')];
}

function hidden(object: JsonObject | undefined, other: JsonObject | undefined, side: string): JsonObject | undefined {
  if (object === undefined) return undefined;
  const hide = (name: string, value: unknown, counterpart: unknown) => {
    if (!isObject(value)) return [];
    const members = Object.entries(value).map(([key, secret]) => {
      const others = isObject(counterpart) ? counterpart[key] : undefined;
      return [key, others === undefined || others === secret ? '***' : `*** (${side})`];
    });
    return [[name, Object.fromEntries(members)]];
  };
  const { metadata } = object;
  const { annotations, ...rest } = (metadata ?? {}) as JsonObject;
  const shown = isObject(annotations)
    ? Object.entries(annotations).filter(([name]) => name !== 'kubectl.kubernetes.io/last-applied-configuration')
    : [];
  return {
    ...object,
    ...Object.fromEntries(['data', 'stringData'].flatMap((name) => hide(name, object[name], other?.[name]))),
    metadata: { ...rest, ...(shown.length > 0 && { annotations: Object.fromEntries(shown) }) },
  };
}
