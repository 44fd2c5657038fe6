/**
 * What `JSON.parse` does not tell: members that occur twice, that a text is too deep, and why it is not JSON, in the words
 * of Go's decoder.
 */

import { isObject, setMember } from '../object.ts';

/** Go's description of the first thing that is wrong. */
export class JsonSyntaxError extends Error {
  override readonly name: string = 'JsonSyntaxError';
}

/** As deep as Go's decoder reads. */
export const maxDepth = 10_000;

/** The text may be JSON, and is not read to its end. */
export class TooDeepError extends JsonSyntaxError {
  override readonly name = 'TooDeepError';
  constructor(character: string) {
    super(`invalid character '${character}' exceeded max depth`);
  }
}

/** The paths of members that an object has more than once, such as `spec.replicas`; throws when the text is not JSON. */
export function duplicateMembers(text: string): readonly string[] {
  const scanner = new Scanner(text);
  scanner.document();
  return scanner.duplicates;
}

/** The value, with members that occur twice merged into one where they are objects, as Go's decoder merges them. */
export function mergedMembers(text: string): unknown {
  return new Scanner(text).value();
}

/** The first number of a JSON text that is too large for any number; `JSON.parse` makes an infinite one of it. */
export function overflowingNumber(text: string): string | undefined {
  if (!/\d[eE]\+?\d{3}|\d{309}/.test(text)) return undefined;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (!token.startsWith('"') && !Number.isFinite(Number(token))) return token;
  }
  return undefined;
}

/** Whether a value has an infinite number somewhere. */
export function hasOverflow(value: unknown): boolean {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'number' && !Number.isFinite(next)) return true;
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) open.push(member);
  }
  return false;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** An object or a list that is being read. */
interface Open {
  readonly members: Record<string, unknown> | undefined;
  readonly items: unknown[];
  readonly path: string;
  /** Of the member or item whose turn it is. */
  name: string;
  inner: string;
  isTwice: boolean;
}

/** Containers that are being read stand in a list, so that no depth is too much for the stack. */
class Scanner {
  readonly duplicates: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.value();
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value');
  }

  #space(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #unexpected(where: string): JsonSyntaxError {
    if (this.#at >= this.#text.length) return new JsonSyntaxError('unexpected end of JSON input');
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    const shown =
      character === "'" ? "'\\''" : character === '"' ? `'"'` : `'${JSON.stringify(character).slice(1, -1)}'`;
    return new JsonSyntaxError(`invalid character ${shown} ${where}`);
  }

  value(): unknown {
    const open: Open[] = [];
    for (;;) {
      this.#space();
      const path = open.at(-1)?.inner ?? '';
      const first = this.#text[this.#at];
      let value: unknown;
      if (first === '{' || first === '[') {
        if (open.length === maxDepth) throw new TooDeepError(first);
        const members = first === '{' ? {} : undefined;
        const container: Open = { members, items: [], path, name: '', inner: '', isTwice: false };
        this.#at += 1;
        this.#space();
        if (this.#text[this.#at] !== endOf(container)) {
          open.push(container);
          this.#begin(container);
          continue;
        }
        this.#at += 1;
        value = contentOf(container);
      } else value = this.#scalar(first);
      for (let around = open.at(-1); ; around = open.at(-1)) {
        if (around === undefined) return value;
        add(around, value);
        if (this.#goesOn(around)) break;
        open.pop();
        value = contentOf(around);
      }
    }
  }

  /** Reads as far as the value of the next member or item. */
  #begin(container: Open): void {
    const { members, items, path } = container;
    if (members === undefined) {
      container.inner = `${path}[${items.length}]`;
      return;
    }
    this.#space();
    if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string');
    const name = this.#string();
    container.name = name;
    container.inner = path === '' ? name : `${path}.${name}`;
    container.isTwice = Object.hasOwn(members, name);
    if (container.isTwice) this.duplicates.push(container.inner);
    this.#space();
    if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key');
    this.#at += 1;
  }

  /** Whether another member or item follows, which is begun; else the container has ended. */
  #goesOn(container: Open): boolean {
    this.#space();
    const next = this.#text[this.#at];
    if (next !== ',' && next !== endOf(container)) {
      throw this.#unexpected(container.members === undefined ? 'after array element' : 'after object key:value pair');
    }
    this.#at += 1;
    if (next === ',') this.#begin(container);
    return next === ',';
  }

  #scalar(first: string | undefined): unknown {
    switch (first) {
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        return this.#number();
    }
  }

  #string(): string {
    const begin = this.#at;
    let escaped = false;
    for (this.#at += 1; ; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (Number.isNaN(code) || code < 0x20) throw this.#unexpected('in string literal');
      if (code !== 0x5c) continue;
      escaped = true;
      this.#at += 1;
      const escaping = this.#text[this.#at];
      if (escaping === undefined || !'"\\/bfnrtu'.includes(escaping)) throw this.#unexpected('in string escape code');
      if (escaping !== 'u') continue;
      for (let digit = 0; digit < 4; digit += 1) {
        this.#at += 1;
        if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) {
          throw this.#unexpected('in \\u hexadecimal character escape');
        }
      }
    }
    this.#at += 1;
    return escaped
      ? (JSON.parse(this.#text.slice(begin, this.#at)) as string)
      : this.#text.slice(begin + 1, this.#at - 1);
  }

  #literal<T>(word: string, value: T): T {
    for (let index = 0; index < word.length; index += 1, this.#at += 1) {
      if (this.#text[this.#at] === word[index]) continue;
      throw this.#unexpected(`in literal ${word} (expecting '${word[index]}')`);
    }
    return value;
  }

  #number(): number {
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    number.lastIndex = this.#at;
    const match = number.exec(this.#text);
    if (match === null) {
      if (this.#text[this.#at] === '-') {
        this.#at += 1;
        throw this.#unexpected('in numeric literal');
      }
      throw this.#unexpected('looking for beginning of value');
    }
    this.#at += match[0].length;
    return Number(match[0]);
  }
}

const endOf = ({ members }: Open): string => (members === undefined ? ']' : '}');
const contentOf = ({ members, items }: Open): unknown => members ?? items;

function add({ members, items, name, isTwice }: Open, value: unknown): void {
  if (members === undefined) {
    items.push(value);
    return;
  }
  const before = isTwice ? members[name] : undefined;
  if (isObject(before) && isObject(value)) {
    // In place: it is ours, and there may be a hundred thousand of them.
    for (const key of Object.keys(value)) setMember(before as Record<string, unknown>, key, value[key]);
  } else setMember(members, name, value);
}
