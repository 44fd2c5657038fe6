/**
 * What `JSON.parse` does not tell: members that occur twice, and why a text is not JSON, in the words of Go's decoder.
 */

import { isObject, setMember } from '../object.ts';

/** Go's description of the first thing that is wrong. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/** The paths of members that an object has more than once, such as `spec.replicas`; throws when the text is not JSON. */
export function duplicateMembers(text: string): readonly string[] {
  const scanner = new Scanner(text);
  scanner.document();
  return scanner.duplicates;
}

/** The value, with members that occur twice merged into one where they are objects, as Go's decoder merges them. */
export function mergedMembers(text: string): unknown {
  return new Scanner(text).value('');
}

/** The first number of a JSON text that is too large for any number; `JSON.parse` makes an infinite one of it. */
export function overflowingNumber(text: string): string | undefined {
  if (!/\d[eE]\+?\d{3}|\d{309}/.test(text)) return undefined;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (!token.startsWith('"') && !Number.isFinite(Number(token))) return token;
  }
  return undefined;
}

/** Whether a value, which is not deep, has an infinite number somewhere. */
export function hasOverflow(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasOverflow);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

class Scanner {
  readonly duplicates: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.value('');
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

  value(path: string): unknown {
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(path);
      case '[':
        return this.#array(path);
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

  #object(path: string): Record<string, unknown> {
    this.#at += 1;
    const members: Record<string, unknown> = {};
    this.#space();
    if (this.#text[this.#at] === '}') {
      this.#at += 1;
      return members;
    }
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string');
      const name = this.#string();
      const inner = path === '' ? name : `${path}.${name}`;
      const isTwice = Object.hasOwn(members, name);
      if (isTwice) this.duplicates.push(inner);
      this.#space();
      if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key');
      this.#at += 1;
      const value = this.value(inner);
      const before = isTwice ? members[name] : undefined;
      if (isObject(before) && isObject(value)) {
        // In place: it is ours, and there may be a hundred thousand of them.
        for (const key of Object.keys(value)) setMember(before as Record<string, unknown>, key, value[key]);
      } else setMember(members, name, value);
      this.#space();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== '}') throw this.#unexpected('after object key:value pair');
      this.#at += 1;
      if (next === '}') return members;
    }
  }

  #array(path: string): readonly unknown[] {
    this.#at += 1;
    const items: unknown[] = [];
    this.#space();
    if (this.#text[this.#at] === ']') {
      this.#at += 1;
      return items;
    }
    for (let index = 0; ; index += 1) {
      items.push(this.value(`${path}[${index}]`));
      this.#space();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== ']') throw this.#unexpected('after array element');
      this.#at += 1;
      if (next === ']') return items;
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
