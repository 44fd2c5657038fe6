/**
 * `defineKind`: one value that is a kind to clients and controllers, and from which the CRD and the types follow.
 *
 * Promises: what the API server would refuse, or would accept and not enforce, is refused here with its path, the
 * reason and a way out.
 */
import type { Scope } from '@keelson/core';
import { conversionOf } from './conversion-of.ts';
import type { KindDefinition, VersionDefinition } from './definition.ts';
import { namesOf } from './names.ts';
import type {
  DefinedKind,
  DefinedObject,
  NewDefinedObject,
  SpecReadOf,
  SpecWrittenOf,
  StatusReadOf,
  StatusWrittenOf,
  VersionConversion,
} from './object-types.ts';

/** Makes a field that versions do not have an error; an inferred type would let it pass. */
type NoOtherFields<Versions> = {
  readonly [Version in keyof Versions]: {
    readonly [Field in Exclude<keyof Versions[Version], keyof VersionDefinition>]: never;
  };
};

/**
 * Defines a kind: a value that clients and controllers take like `Deployment`, from which `crdOf` makes the CRD and
 * `ObjectOf` and `InputOf` the types. Throws a `TypeError` that names everything at once which the API server would
 * refuse, or would accept and not enforce.
 *
 * Hovering a field of an object shows its type; the text of `.describe()` is data, which TypeScript cannot show there.
 * It stands in the CRD, where `kubectl explain` reads it.
 *
 * @example
 * export const Memcached = defineKind({
 *   group: 'cache.example.com',
 *   kind: 'Memcached',
 *   hub: 'v1alpha1',
 *   versions: {
 *     v1alpha1: {
 *       storage: true,
 *       spec: z.object({ size: z.int32().min(1).max(5).default(1).describe('How many servers to run.') }),
 *       status: z.object({ conditions: conditions('Available') }),
 *     },
 *   },
 * });
 * export type Memcached = ObjectOf<typeof Memcached>;
 */
export function defineKind<
  const Group extends string,
  const Name extends string,
  const Versions extends Readonly<Record<string, VersionDefinition>>,
  const Hub extends keyof Versions & string,
  const S extends Scope = 'Namespaced',
>(
  definition: Omit<KindDefinition, 'versions' | 'conversions'> & {
    readonly group: Group;
    readonly kind: Name;
    readonly hub: Hub;
    readonly scope?: S;
    readonly versions: Versions & NoOtherFields<Versions>;
    readonly conversions?: {
      readonly [Version in Exclude<keyof Versions, Hub>]?: VersionConversion<Versions[Version], Versions[Hub]>;
    };
  },
): DefinedKind<
  DefinedObject<`${Group}/${Hub}`, Name, S, SpecReadOf<Versions[Hub]>, StatusReadOf<Versions[Hub]>>,
  NewDefinedObject<`${Group}/${Hub}`, Name, SpecWrittenOf<Versions[Hub]>>,
  StatusWrittenOf<Versions[Hub]>
> & { readonly group: Group; readonly version: Hub; readonly kind: Name; readonly scope: S } {
  const conversion = conversionOf(definition); // throws what cannot be
  return {
    group: definition.group,
    version: definition.hub,
    kind: definition.kind,
    resource: namesOf(definition).plural,
    scope: (definition.scope ?? 'Namespaced') as S,
    ...(conversion !== undefined && { conversion }),
    definition,
  };
}
