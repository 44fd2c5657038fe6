/**
 * The kind of a body that is not the resource's own: what is posted to `pods/x/eviction` is an Eviction.
 *
 * As a resource, so that bodies of it are read, refused and owned like any other.
 */
import type { ObjectType } from '../apply/index.ts';
import { typeSchemaFromOpenApi } from '../apply/index.ts';
import { decodeGo } from '../decode/go-json.ts';
import { type GoType, goType } from '../decode/go-types.ts';
import { isObject } from '../object.ts';
import { builtInSchemas } from '../openapi/documents.ts';
import { apiVersionOf, type Resource } from '../resource/resource.ts';

export interface BodyKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The name of its Go type in the OpenAPI documents. */
  readonly schema: string;
}

function structOf({ schema }: BodyKind): GoType {
  const found = goType(schema);
  if (found === undefined) throw new Error(`${schema} is no Go struct`);
  return found;
}

/** The resource with bodies of another kind. */
export function withBodyKind(resource: Resource, body: BodyKind): Resource {
  const { group, version, kind } = body;
  const apiVersion = apiVersionOf(body);
  return {
    ...resource,
    group,
    version,
    kind,
    strategy: {
      ...resource.strategy,
      internalGroup: group,
      decode(sent) {
        const { value, unknown } = decodeGo(sent, structOf(body));
        const metadata = isObject(value.metadata) ? value.metadata : {};
        return { object: { ...value, metadata, apiVersion, kind }, unknown };
      },
    },
  };
}

/** The type by which fields of such bodies are owned. */
export function objectTypeOf(body: BodyKind): ObjectType {
  const { kind, schema } = body;
  const apiVersion = apiVersionOf(body);
  return {
    apiVersion,
    kind,
    schema: typeSchemaFromOpenApi(builtInSchemas(), schema),
    empty: { ...decodeGo({}, structOf(body)).value, apiVersion, kind },
  };
}
