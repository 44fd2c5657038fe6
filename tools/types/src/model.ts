/** What the generator knows about the types before it prints them. */

export interface Model {
  /** Sorted by path. */
  readonly modules: readonly Module[];
}

/** One module for each group version, named by the group's first label; `meta/v1` has the types all groups share. */
export interface Module {
  /** `apps/v1`, or `v1` for the legacy group. */
  readonly path: string;
  /** Sorted by name. */
  readonly declarations: readonly Declaration[];
}

export type Declaration = AliasDeclaration | ObjectDeclaration | KindDeclaration;

interface Named {
  readonly name: string;
  readonly description?: string | undefined;
}

interface AliasDeclaration extends Named {
  readonly type: 'alias';
  readonly to: Type;
}

export interface ObjectDeclaration extends Named {
  readonly type: 'object';
  readonly properties: readonly Property[];
}

/** A kind with an endpoint of its own, or one that a subresource takes or gives. */
export interface KindDeclaration extends Named {
  readonly type: 'kind';
  readonly group: string;
  readonly version: string;
  /** Without `apiVersion`, `kind` and `metadata`, which all kinds have. */
  readonly properties: readonly Property[];
  /** Absent for kinds that only subresources use, such as Scale. */
  readonly resource?: Resource | undefined;
  /** Whether the server keeps what was created. It does not keep reviews, for example. */
  readonly isStored: boolean;
  /** Whether a client may send one. */
  readonly isWritten: boolean;
  /** What the server answers to a create, when that is not the object itself. */
  readonly answer?: Type | undefined;
}

export interface Resource {
  /** The plural in the path. */
  readonly name: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Sorted. */
  readonly subresources: readonly string[];
}

export interface Property {
  readonly name: string;
  readonly description?: string | undefined;
  readonly type: Type;
  readonly isRequired: boolean;
  /** The server fills it in, so that it is always there when read. */
  readonly hasDefault: boolean;
  /** The server sends null for an empty value. */
  readonly isNullable: boolean;
  /** The server accepts it and never sends it. */
  readonly isWriteOnly: boolean;
}

export type Type =
  | { readonly type: 'primitive'; readonly name: 'string' | 'number' | 'boolean' | 'unknown' }
  | { readonly type: 'literals'; readonly values: readonly string[] }
  | { readonly type: 'array'; readonly items: Type }
  | { readonly type: 'map'; readonly values: Type }
  | { readonly type: 'union'; readonly members: readonly Type[] }
  | { readonly type: 'reference'; readonly module: string; readonly name: string };

export const string: Type = { type: 'primitive', name: 'string' };
export const number: Type = { type: 'primitive', name: 'number' };
export const boolean: Type = { type: 'primitive', name: 'boolean' };
export const unknown: Type = { type: 'primitive', name: 'unknown' };
