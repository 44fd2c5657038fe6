/**
 * Admitters that must be waited for: policies, and webhooks over the network.
 *
 * Promises: they change an object one after the other, in the order of the list, and once more when one of them says that
 * others must see what it did; the plugins look at it again in between. Then they judge it, as it will be stored.
 * While they are waited for, other writes go on: an object that has changed meanwhile is read again and the admitters are
 * asked again, so that what is stored is what they saw.
 */
import type { ApiObject } from '../object.ts';
import type { Write } from '../resource/write.ts';
import type { Attributes, Operation } from './attributes.ts';

/** What one admitter made of an object. */
interface Mutated {
  readonly object: ApiObject | undefined;
  /** It has changed what others, who may be asked twice, have seen before. */
  readonly mustRepeat: boolean;
}

/** One admitter at work on one write; the second call, if there is one, comes after all others had their first. */
export type Mutation = (attributes: Attributes, isRepeated: boolean) => Promise<Mutated>;

export interface LateAdmitter {
  /** Whether it may want to see such a write; one that no admitter wants is done without waiting. */
  handles(write: Write, operation: Operation): boolean;
  /** Begins with a write. A mutation rejects with a `StatusError` to refuse; of a deletion there is no object to change. */
  readonly mutation?: (() => Mutation) | undefined;
  /** Sees the object as it will be stored; rejects with a `StatusError` to refuse. */
  readonly validate?: ((attributes: Attributes) => Promise<void>) | undefined;
}

/** What writes ask: all admitters together. */
export interface LateAdmission {
  handles(write: Write, operation: Operation): boolean;
  mutate(attributes: Attributes & { readonly object: ApiObject }): Promise<ApiObject>;
  mutate(attributes: Attributes): Promise<ApiObject | undefined>;
  validate(attributes: Attributes): Promise<void>;
}

/** `plugins` is what looks at a changed object again before admitters are asked twice. */
export function lateAdmission(
  admitters: readonly LateAdmitter[],
  plugins: (attributes: Attributes, object: ApiObject) => ApiObject,
): LateAdmission {
  async function mutate(attributes: Attributes): Promise<ApiObject | undefined> {
    const mutations = admitters.flatMap(({ mutation }) => (mutation === undefined ? [] : [mutation()]));
    let { object } = attributes;
    let mustRepeat = false;
    const round = async (isRepeated: boolean) => {
      for (const mutation of mutations) {
        const mutated = await mutation({ ...attributes, object }, isRepeated);
        object = mutated.object;
        mustRepeat ||= mutated.mustRepeat;
      }
    };
    await round(false);
    if (!mustRepeat) return object;
    if (object !== undefined) object = plugins(attributes, object);
    await round(true);
    return object;
  }
  return {
    handles: (write, operation) => admitters.some((admitter) => admitter.handles(write, operation)),
    mutate: mutate as LateAdmission['mutate'],
    async validate(attributes) {
      for (const admitter of admitters) await admitter.validate?.(attributes);
    },
  };
}
