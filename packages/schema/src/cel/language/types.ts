/** Types of CEL, and how the API server writes them. */

export type Type =
  | { readonly kind: Simple }
  | { readonly kind: 'list'; readonly params: readonly [Type] }
  | { readonly kind: 'map'; readonly params: readonly [Type, Type] }
  | { readonly kind: 'type'; readonly params: readonly Type[] }
  /** A type with fields; `name` identifies it. */
  | { readonly kind: 'struct'; readonly name: string }
  /** A type of a library, such as `optional_type` or `net.IP`. */
  | { readonly kind: 'opaque'; readonly name: string; readonly params: readonly Type[] }
  /** A type that is not known yet. */
  | { readonly kind: 'param'; readonly name: string };

type Simple =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'null'
  | 'string'
  | 'timestamp'
  | 'uint';

export const bool: Type = { kind: 'bool' };
export const bytes: Type = { kind: 'bytes' };
export const double: Type = { kind: 'double' };
export const duration: Type = { kind: 'duration' };
export const dyn: Type = { kind: 'dyn' };
export const errorType: Type = { kind: 'error' };
export const int: Type = { kind: 'int' };
export const nullType: Type = { kind: 'null' };
export const string: Type = { kind: 'string' };
export const timestamp: Type = { kind: 'timestamp' };
export const uint: Type = { kind: 'uint' };

export const list = (item: Type): Type => ({ kind: 'list', params: [item] });
export const map = (key: Type, value: Type): Type => ({ kind: 'map', params: [key, value] });
export const param = (name: string): Type => ({ kind: 'param', name });
export const opaque = (name: string, ...params: readonly Type[]): Type => ({ kind: 'opaque', name, params });
export const struct = (name: string): Type => ({ kind: 'struct', name });
export const optional = (value: Type): Type => opaque('optional_type', value);
export const typeOf = (type: Type): Type => ({ kind: 'type', params: [type] });

export function paramsOf(type: Type): readonly Type[] {
  return 'params' in type ? type.params : [];
}

export function nameOf(type: Type): string {
  return 'name' in type ? type.name : type.kind;
}

/** What an optional holds. */
export function optionalValue(type: Type): Type | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.params[0] : undefined;
}

export function isSameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || nameOf(a) !== nameOf(b)) return false;
  const [left, right] = [paramsOf(a), paramsOf(b)];
  return left.length === right.length && left.every((each, i) => isSameType(each, right[i] ?? errorType));
}

export function showType(type: Type): string {
  const params = paramsOf(type);
  if (type.kind === 'error') return '!error!';
  return params.length === 0 ? nameOf(type) : `${nameOf(type)}(${params.map(showType).join(', ')})`;
}

/** `(int, string)`, or `string.(int)` for a method. */
export function showSignature(args: readonly Type[], isMethod: boolean): string {
  const shown = args.map(showType);
  return isMethod ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
}

/** A type as library declarations write it: `map<string, A>`, `optional<int>`, `net.IP`; capitals stand for any type. */
export function parseType(text: string): Type {
  const [, name = '', inner] = /^([\w.]+)(?:<(.*)>)?$/.exec(text.trim()) ?? [];
  const params = inner === undefined ? [] : splitParams(inner).map(parseType);
  const [first = dyn, second = dyn] = params;
  if (name === 'list') return list(first);
  if (name === 'map') return map(first, second);
  if (name === 'optional') return optional(first);
  if (name === 'type') return typeOf(first);
  if (/^[A-Z]$/.test(name)) return param(name);
  if (name.startsWith('kubernetes.')) return struct(name);
  return name.includes('.') ? opaque(name) : ({ kind: name } as Type);
}

/** At the commas that stand in no brackets. */
export function splitParams(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const [i, char] of [...text].entries()) {
    if (char === '<') depth++;
    if (char === '>') depth--;
    if (char !== ',' || depth > 0) continue;
    parts.push(text.slice(from, i));
    from = i + 1;
  }
  return text.trim() === '' ? [] : [...parts, text.slice(from)];
}
