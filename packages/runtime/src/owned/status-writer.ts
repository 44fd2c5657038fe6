/** The status of the reconciled object: stamped, and written only when it says something new. */
import type { Client } from '@keelson/client';
import {
  apiVersionOf,
  type Clock,
  type Condition,
  type ConditionInput,
  isNotFound,
  type Kind,
  type KubernetesObject,
  keyOf,
  setCondition,
} from '@keelson/core';
import type { Caches } from '../cache/caches.ts';
import type { Storms } from '../storms/storms.ts';
import type { NoOpApplies } from './no-op-apply.ts';

export interface StatusWriterOptions {
  readonly client: Client;
  readonly caches: Caches;
  readonly applied: NoOpApplies;
  readonly clock: Clock;
  readonly kind: Kind;
  /** The object as this reconcile sees it: its generation is the one that was observed. */
  readonly object: KubernetesObject;
  /** Hears of each write: what was known before, and what came of it. */
  readonly onWritten: (before: KubernetesObject, after: KubernetesObject) => void;
  readonly storms: Storms;
}

/** The API server refuses a longer message. */
const longestMessage = 32_768;

interface AuthoredStatus {
  readonly conditions?: readonly ConditionInput[] | undefined;
}

interface StoredStatus {
  readonly conditions?: readonly Condition[] | undefined;
}

/** Writes the status of one object. It is untyped here; the declaration types it where a controller is defined. */
export interface ObjectStatus {
  /** Makes this the whole status. */
  apply(authored: object): Promise<KubernetesObject>;
  /** Whether applying it would change anything. */
  isNews(authored: object): boolean;
}

export function createStatusWriter(options: StatusWriterOptions): ObjectStatus {
  const { client, caches, applied, clock, kind, object, onWritten, storms } = options;
  const key = keyOf(object);
  const describe = (authored: object) => {
    assertStatus(authored, kind);
    const live = caches.store(kind).get(key) ?? object;
    const { name, namespace, uid } = object.metadata;
    const wanted = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name, ...(namespace !== undefined && { namespace }), uid },
      status: stamped(authored as AuthoredStatus, live, object.metadata.generation, clock.now()),
    };
    return { live, wanted };
  };
  return {
    isNews(authored) {
      const { live, wanted } = describe(authored);
      return !applied.wouldChangeNothing(live, wanted, 'status');
    },
    async apply(authored) {
      const { live, wanted } = describe(authored);
      if (applied.wouldChangeNothing(live, wanted, 'status')) return live;
      const fields = () => applied.differences(live, wanted, 'status');
      await storms.beforeWrite(key, {
        target: 'the status',
        wanted: authored,
        isDescription: false,
        live,
        fields,
        askManagers: async () => applied.othersAt(await client.get(kind, key), fields()),
      });
      const result = await client.applySubresource(kind, 'status', wanted, { force: true }).catch(async (error) => {
        if (isNotFound(error) && (await hasNoStatus(options))) throw new TypeError(noStatus(kind), { cause: error });
        throw error;
      });
      onWritten(live, result);
      applied.remember(result, wanted, 'status');
      storms.written(key, 'the status', authored, result);
      return result;
    },
  };
}

/** Whether the object is there although its status is not: the server refuses both in the same words. */
async function hasNoStatus({ client, kind, object }: StatusWriterOptions): Promise<boolean> {
  const found = await client.find(kind, keyOf(object));
  return found?.metadata.uid === object.metadata.uid;
}

const noStatus = ({ kind }: Kind): string =>
  `the server keeps no status of ${kind}: the CustomResourceDefinition that is installed there has no status subresource; install the one of this operator`;

/** Types say so, unless somebody got around them: a promise would take the whole status away. */
function assertStatus(authored: unknown, { kind }: Kind): void {
  if (typeof authored === 'object' && authored !== null && !(authored instanceof Promise)) return;
  const given = authored instanceof Promise ? 'a promise' : String(authored);
  throw new TypeError(`the status of ${kind} must be an object, and is ${given}`);
}

/** Adds what authors never supply: the observed generation, and when each condition last changed its status. */
function stamped(
  authored: AuthoredStatus,
  live: KubernetesObject,
  generation: number | undefined,
  wallMs: number,
): object {
  const previous = (live as KubernetesObject & { readonly status?: StoredStatus }).status?.conditions ?? [];
  const { conditions, ...rest } = authored;
  return {
    ...rest,
    ...(conditions !== undefined && {
      conditions: conditions.flatMap((input) => {
        const before = previous.filter(({ type }) => type === input.type);
        const message = input.message.slice(0, longestMessage);
        return setCondition(before, { ...input, message }, { generation, wallMs });
      }),
    }),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}
