/**
 * What merging needs to know of a type: which parts of a value have owners of their own.
 *
 * A type allows a scalar, a list, a map, or several of them (where nothing is known of a part). Types are compiled once
 * and shared; a type may contain itself.
 */

export type Scalar = 'string' | 'numeric' | 'boolean' | 'untyped';

export interface TypeSchema {
  readonly scalar?: Scalar | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

export interface ListType {
  /** An atomic list has one owner; the items of a set (by value) and of a map (by keys) have one each. */
  readonly relationship: 'atomic' | 'set' | 'map';
  /** The fields that identify an item; empty unless the relationship is `map`. */
  readonly keys: readonly string[];
  readonly items: TypeSchema;
}

export interface MapType {
  readonly relationship: 'granular' | 'atomic';
  readonly fields: ReadonlyMap<string, Field>;
  /** The type of members that `fields` does not name; `undefined` where there may be none. */
  readonly additional: TypeSchema | undefined;
}

export interface Field {
  readonly type: TypeSchema;
  /** The value that an absent key of a list item stands for, such as a port's protocol. */
  readonly default: unknown;
}

/** Values that have one owner as a whole, whatever they are. */
export const untypedAtomic: TypeSchema = recursive((self) => ({
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], items: self },
  map: { relationship: 'atomic', fields: new Map(), additional: self },
}));

/** Values of which nothing is known: members of maps have owners of their own, lists are atomic. */
export const deducedSchema: TypeSchema = recursive((self) => ({
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], items: untypedAtomic },
  map: { relationship: 'granular', fields: new Map(), additional: self },
}));

/** Whether nothing is known of a value: it fits, whatever it is, and however deep. */
export const isUntyped = (type: TypeSchema | undefined): boolean =>
  type === undefined || type === deducedSchema || type === untypedAtomic;

/** `build` gets the type that it is about to describe, to refer to but not yet to look into. */
function recursive(build: (self: TypeSchema) => TypeSchema): TypeSchema {
  const self: TypeSchema = {};
  return Object.assign(self, build(self));
}
