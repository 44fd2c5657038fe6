/**
 * A resource that the server serves: what discovery says of it, and the rules by which its objects live.
 *
 * Built-in kinds and custom resources are both this, so that no verb needs to know which one it has before it.
 */

import type { FieldSet, Random } from '@keelson/core';
import type { Problem } from '@keelson/schema/validation';
import type { ObjectType } from '../apply/index.ts';
import type { ApiObject, JsonObject } from '../object.ts';
import type { PatchSchema } from '../patch/index.ts';

export interface Resource {
  readonly group: string;
  readonly version: string;
  /** The plural in the path. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** Where its objects are; several versions, and the two kinds of Event, share one collection. */
  readonly collection: string;
  readonly strategy: Strategy;
}

export interface Subresource {
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

interface Decoded {
  readonly object: ApiObject;
  /** Paths of members that the type does not have. */
  readonly unknown: readonly string[];
}

/** Reads what is stored, by collection and key. */
export interface ObjectReader {
  readonly find: (collection: string, key: string) => ApiObject | undefined;
  readonly list: (collection: string) => Iterable<ApiObject>;
}

/** What a strategy has beside the object: the other objects, time and chance. */
export interface StrategyContext extends ObjectReader {
  readonly random: Random;
  /** Wall time in milliseconds. */
  readonly now: number;
}

/** How one endpoint of a resource (the object itself, its status, …) changes an object. */
export interface UpdateRules {
  /** Keeps what this endpoint may not change, counts the generation. */
  prepare(object: ApiObject, old: ApiObject, context: StrategyContext): ApiObject;
  /** `warn` gets what is tolerated, for the caller to read. */
  validate(object: ApiObject, old: ApiObject, warn: (text: string) => void): readonly Problem[];
  /** Fields that this endpoint does not keep, and that its users therefore never own. */
  readonly reset: FieldSet | undefined;
}

/** The rules of a kind; the word is Kubernetes' own for it. */
export interface Strategy {
  /** A custom resource: described by a schema that may change at any time. */
  readonly custom: boolean;
  /** The group under which refusals name the kind; for the newer Event it is not its own. */
  readonly internalGroup: string;
  /** Other versions of which a body may be, which say the same things in the same way. */
  readonly olderVersions?: readonly string[];
  /** Reads a decoded body as this kind; throws a `GoJsonError` when a value has the wrong type. */
  decode(body: JsonObject): Decoded;
  default(object: ApiObject): ApiObject;
  /** Drops what a creator may not set, starts the generation, allocates. */
  prepareForCreate(object: ApiObject, context: StrategyContext): ApiObject;
  validate(object: ApiObject): readonly Problem[];
  /** Remarks for the creator that are no refusal. */
  warnings(object: ApiObject): readonly string[];
  /** The object itself is the endpoint ``. */
  updates(endpoint: string): UpdateRules | undefined;
  /** What is wrong with a name or, ending in a dash, with the beginning of one. */
  nameProblems(name: string, prefix: boolean): readonly string[];

  readonly createOnUpdate: boolean;
  /** An update may come without a resourceVersion. */
  readonly unconditionalUpdate: boolean;
  readonly returnsDeleted: boolean;
  /** Seconds that a deleted object stays; `undefined` for kinds that know no grace. */
  grace(object: ApiObject, requested: number | undefined): number | undefined;
  /** The first request to delete does this to the object and nothing else; `undefined` where there is nothing to do. */
  readonly markDeleted: ((object: ApiObject, now: string) => ApiObject | undefined) | undefined;
  /** Whether a deletion that does not say what becomes of dependents leaves them alone. */
  readonly orphansDependents: boolean;
  /** Whether the garbage collector's finalizers may be put on these objects. */
  readonly collectible: boolean;
  /** Whether a deleted object waits for nothing but `metadata.finalizers`; a namespace has others in its spec. */
  isFinalized(object: ApiObject): boolean;

  /** Field selectors, beside metadata.name and metadata.namespace. */
  readonly fields: ReadonlyMap<string, (object: ApiObject) => string>;
  /** What is said of a field selector that the kind does not know. */
  unknownField(label: string): string;
  table(): TableRules;

  /** For server-side apply and managedFields. */
  objectType(endpoint: string): ObjectType;
  /** For strategic merge; custom resources know none. */
  patchSchema(): PatchSchema | undefined;

  /** The schema of a custom resource, for its OpenAPI document. */
  openApiSchema(): JsonObject | undefined;

  /** Names what `fromStorage` gives; another name means that the same stored object may read differently now. */
  readonly readVersion: string;
  toStorage(object: ApiObject): ApiObject;
  /** Of a stored object, whatever its version was; must give the same for the same. */
  fromStorage(object: ApiObject): ApiObject;

  /**
   * Only where a webhook converts: the rules of one request, which has its own conversions. `toStorage`, `fromStorage`
   * and what ownership asks of other versions may then have to be waited for (`converted`).
   */
  readonly forRequest?: (() => Strategy) | undefined;
  /** Converts stored objects at once that will be read; with it there is `forget`. */
  readonly ahead?: ((objects: readonly ApiObject[]) => Promise<void>) | undefined;
  readonly forget?: (() => void) | undefined;

  /** Where a custom resource keeps what its scale shows. */
  readonly scale: ScalePaths | undefined;
}

export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A selector as text, or a LabelSelector. */
  readonly selector: readonly string[] | undefined;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export interface TableRules {
  /** The cells show the object as it is stored, and not as the version that was asked for has it. */
  readonly ofStored?: boolean;
  readonly columns: readonly Column[];
  cells(object: ApiObject, now: number): readonly unknown[];
  conditions?(object: ApiObject): readonly JsonObject[] | undefined;
}

/** The resource with conversions of its own, where it needs some. */
export function forRequest(resource: Resource): Resource {
  const strategy = resource.strategy.forRequest?.();
  return strategy === undefined ? resource : { ...resource, strategy };
}

export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === '' ? version : `${group}/${version}`;

export const keyIn = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`);
