/** JSON objects: what is neither null, nor a list, nor a plain value. */

/** An object of JSON, of which only the names of members are known to be texts. */
export type JsonObject = { readonly [name: string]: unknown };

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
