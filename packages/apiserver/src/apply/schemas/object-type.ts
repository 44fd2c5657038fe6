/** A kind as one endpoint of the server sees it: what applying and ownership need to know beside the objects. */
import type { FieldSet } from '@keelson/core';
import type { JsonObject } from '../../object.ts';
import type { TypeSchema } from './type-schema.ts';

export interface ObjectType {
  /** The version that the request speaks, such as `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: TypeSchema;
  /**
   * The object before it exists: of a built-in kind what its empty Go struct prints, of a custom resource apiVersion
   * and kind. Its shape decides which containers a creator owns.
   */
  readonly empty: JsonObject;
  /** Fields that this endpoint does not keep, and that its users therefore never own (`builtInResetFields`). */
  readonly reset?: FieldSet | undefined;
  /**
   * The same kind in another version, for entries that were written in it. Entries of a version for which this gives
   * `undefined` are dropped, as those of a version that is no longer served. Without it, only `apiVersion` is known.
   */
  readonly inVersion?: ((apiVersion: string) => VersionedType | undefined) | undefined;
}

export interface VersionedType {
  readonly type: ObjectType;
  /** An object of the request's version as one of this version, and back. */
  readonly convert: (object: JsonObject) => JsonObject;
  readonly convertBack: (object: JsonObject) => JsonObject;
}

/** `undefined` for a version that is not served. */
export function typeInVersion(type: ObjectType, apiVersion: string): VersionedType | undefined {
  if (apiVersion === type.apiVersion) return { type, convert: same, convertBack: same };
  return type.inVersion?.(apiVersion);
}

function same(object: JsonObject): JsonObject {
  return object;
}
