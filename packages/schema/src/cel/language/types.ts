/** Types of CEL, and how the API server writes them. */

/** A type. */
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

/** true and false. */
export const bool: Type = { kind: 'bool' };
/** Bytes. */
export const bytes: Type = { kind: 'bytes' };
/** Numbers of 64 bits with a fraction. */
export const double: Type = { kind: 'double' };
/** Spans of time. */
export const duration: Type = { kind: 'duration' };
/** Any type, known at run time. */
export const dyn: Type = { kind: 'dyn' };
/** The type of what has an issue already. */
export const errorType: Type = { kind: 'error' };
/** Whole numbers of 64 bits. */
export const int: Type = { kind: 'int' };
/** null. */
export const nullType: Type = { kind: 'null' };
/** Texts. */
export const string: Type = { kind: 'string' };
/** Points in time. */
export const timestamp: Type = { kind: 'timestamp' };
/** Whole numbers of 64 bits without a sign. */
export const uint: Type = { kind: 'uint' };

/** Lists of one type. */
export const list = (item: Type): Type => ({ kind: 'list', params: [item] });
/** Maps from one type to another. */
export const map = (key: Type, value: Type): Type => ({ kind: 'map', params: [key, value] });
/** A type that is found while checking. */
export const param = (name: string): Type => ({ kind: 'param', name });
/** A type of a library. */
export const opaque = (name: string, ...params: readonly Type[]): Type => ({ kind: 'opaque', name, params });
/** A type with fields. */
export const struct = (name: string): Type => ({ kind: 'struct', name });
/** Values that may be absent. */
export const optional = (value: Type): Type => opaque('optional_type', value);
/** The type of a type. */
export const typeOf = (type: Type): Type => ({ kind: 'type', params: [type] });

/** The types inside of a type. */
export function paramsOf(type: Type): readonly Type[] {
  return 'params' in type ? type.params : [];
}

/** The name of a type, or its kind. */
export function nameOf(type: Type): string {
  return 'name' in type ? type.name : type.kind;
}

/** What an optional holds. */
export function optionalValue(type: Type): Type | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.params[0] : undefined;
}

/** Whether two types are one. */
export function isSameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || nameOf(a) !== nameOf(b)) return false;
  const [left, right] = [paramsOf(a), paramsOf(b)];
  return left.length === right.length && left.every((each, i) => isSameType(each, right[i] ?? errorType));
}

/** A type as the server writes it. */
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
