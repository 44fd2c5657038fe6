/** Shorthands in which the cases write schemas. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';

export type Fields = Readonly<Record<string, JSONSchemaProps>>;

export function object(properties: Fields, rest: JSONSchemaProps = {}): JSONSchemaProps {
  return { type: 'object', properties, ...rest };
}

/** The schema of a whole object with a spec. */
export function spec(properties: Fields, rest: JSONSchemaProps = {}): JSONSchemaProps {
  return object({ spec: object(properties, rest) });
}

export const string: JSONSchemaProps = { type: 'string' };
export const integer: JSONSchemaProps = { type: 'integer' };
export const intOrString: JSONSchemaProps = { 'x-kubernetes-int-or-string': true };
export const anything: JSONSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true };
export const openObject: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
export const resource: JSONSchemaProps = { ...openObject, 'x-kubernetes-embedded-resource': true };

export function list(items: JSONSchemaProps, rest: JSONSchemaProps = {}): JSONSchemaProps {
  return { type: 'array', items, ...rest };
}

export function map(values: JSONSchemaProps, rest: JSONSchemaProps = {}): JSONSchemaProps {
  return { type: 'object', additionalProperties: values, ...rest };
}

export function listMap(items: JSONSchemaProps, keys: readonly string[], rest: JSONSchemaProps = {}): JSONSchemaProps {
  return list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, ...rest });
}

export const set: JSONSchemaProps = { 'x-kubernetes-list-type': 'set' };

export function rules(...expressions: readonly string[]): JSONSchemaProps {
  return { 'x-kubernetes-validations': expressions.map((rule) => ({ rule })) };
}
