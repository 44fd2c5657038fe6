/** The part of Kubernetes' OpenAPI v3 documents that the generator reads. */

export interface OpenApiDocument {
  readonly paths?: { readonly [path: string]: PathItem };
  readonly components?: { readonly schemas?: { readonly [name: string]: Schema } };
}

/** Operations by HTTP method; `parameters` stands among them. */
export interface PathItem {
  readonly [method: string]: Operation | readonly unknown[];
}

export interface Operation {
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  /** Several for types that every group serves, such as DeleteOptions. */
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

/** Documents by their path in the index, such as `apis/apps/v1`. */
export type Documents = ReadonlyMap<string, OpenApiDocument>;
