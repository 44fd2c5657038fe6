/** The `fieldPath` of a rule: a simple JSON path to a field that the schema names, such as `.spec['x-y']`. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { isSchema } from './schema-node.ts';

const escapes: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** As problems write it, and the schema there; or what is wrong with it. */
export function fieldPath(
  path: string,
  root: JSONSchemaProps,
  allowsBrackets = true,
): { readonly field: string; readonly schema: JSONSchemaProps } | { readonly problem: string } {
  let schema = root;
  let field = '';
  let rest = path;
  while (rest !== '') {
    const part = /^(?:\.([^.[\]']*)|\[('(?:\\.|[^'\\])*'|[^.[\]]*)\]?)/.exec(rest);
    if (part === null) return { problem: `expected [ or . but got: ${/^[^.[\]]*/.exec(rest)?.[0] || rest[0]}` };
    const [found, dotted, bracketed] = part;
    rest = rest.slice(found.length);
    if (dotted === undefined && !allowsBrackets) return { problem: 'array notation is not allowed' };
    const name = dotted ?? unquoted(bracketed ?? '');
    if (typeof name !== 'string') return name;
    if (dotted === undefined && !found.endsWith(']')) return { problem: 'unexpected end of JSON path' };
    if (dotted === '' && rest === '') return { problem: 'unexpected end of JSON path' };
    const { properties, additionalProperties } = schema;
    if (properties !== undefined && Object.keys(properties).length > 0) {
      const named = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (named === undefined) return { problem: 'does not refer to a valid field' };
      field = field === '' ? name : `${field}.${name}`;
      schema = named;
    } else if (isSchema(additionalProperties)) {
      field = `${field}[${name}]`;
      schema = additionalProperties;
    } else {
      return { problem: 'does not refer to a valid field' };
    }
  }
  return { field, schema };
}

function unquoted(text: string): string | { readonly problem: string } {
  if (text.length < 2 || !text.startsWith("'") || !text.endsWith("'")) {
    return { problem: `expected single quoted string but got ${text}` };
  }
  let wrong: string | undefined;
  const plain = text.slice(1, -1).replace(/\\(.)/g, (whole, char: string) => {
    if (char !== '\\' && char !== "'" && escapes[char] === undefined) wrong = whole;
    return escapes[char] ?? char;
  });
  return wrong === undefined ? plain : { problem: `invalid string literal: invalid escape char ${wrong}` };
}
