/** Mail addresses as Go's `mail.ParseAddress` reads them: `a@b`, `Name <a@b>`, with comments and quoted parts. */
import { parseIp } from './ip.ts';

/** Whether a text is one mail address. */
export function isEmail(text: string): boolean {
  const reader = new Reader(text);
  return reader.address() && reader.skipComments() && reader.isAtEnd();
}

const atext = /^[!#-'*+\-./0-9=?A-Z^-~\u0080-\u{10ffff}]+/u;
const quoted = /^"((?:[\t !#-[\]-~\u0080-\u{10ffff}]|\\[\t -~\u0080-\u{10ffff}])*)"/u;

class Reader {
  #rest: string;
  constructor(text: string) {
    this.#rest = text;
  }

  isAtEnd(): boolean {
    return this.#rest === '';
  }

  /** An address alone, or one in angle brackets after a name. Groups (`name: a@b;`) hold one address, or none is. */
  address(inGroup = false): boolean {
    this.#skipSpace();
    if (this.#tryAddrSpec()) {
      this.#skipSpace();
      return !this.#rest.startsWith('(') || this.skipComments();
    }
    if (!this.#rest.startsWith('<') && !this.#phrase()) return false;
    this.#skipSpace();
    if (!inGroup && this.#consume(':')) return this.#groupOfOne();
    return this.#consume('<') && this.#tryAddrSpec() && this.#consume('>');
  }

  #groupOfOne(): boolean {
    return this.address(true) && this.skipComments() && this.#consume(';') && this.skipComments();
  }

  #tryAddrSpec(): boolean {
    const before = this.#rest;
    if (this.#addrSpec()) return true;
    this.#rest = before;
    return false;
  }

  #addrSpec(): boolean {
    this.#skipSpace();
    const local = this.#rest.startsWith('"') ? this.#take(quoted) : this.#dotAtom();
    if (local === undefined || local === '""' || !this.#consume('@')) return false;
    this.#skipSpace();
    if (!this.#rest.startsWith('[')) return this.#dotAtom() !== undefined;
    const literal = this.#take(/^\[[!-Z^-~\u0080-\u{10ffff}]*\]/u);
    return literal !== undefined && parseIp(literal.slice(1, -1)) !== undefined;
  }

  #dotAtom(): string | undefined {
    const atom = this.#take(atext);
    return atom === undefined || /^\.|\.\.|\.$/.test(atom) ? undefined : atom;
  }

  #phrase(): boolean {
    let words = 0;
    for (;;) {
      if (words > 0 && !this.skipComments()) return false;
      this.#skipSpace();
      if (this.#take(this.#rest.startsWith('"') ? quoted : atext) === undefined) return words > 0;
      words++;
    }
  }

  skipComments(): boolean {
    this.#skipSpace();
    while (this.#consume('(')) {
      let depth = 1;
      while (depth > 0) {
        const part = this.#take(/^\\[\s\S]|^[\s\S]/u);
        if (part === undefined) return false;
        if (part === '(') depth++;
        if (part === ')') depth--;
      }
      this.#skipSpace();
    }
    return true;
  }

  #skipSpace(): void {
    this.#rest = this.#rest.replace(/^[ \t]+/, '');
  }

  #consume(char: string): boolean {
    if (!this.#rest.startsWith(char)) return false;
    this.#rest = this.#rest.slice(1);
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.#rest)?.[0];
    if (found !== undefined) this.#rest = this.#rest.slice(found.length);
    return found;
  }
}
