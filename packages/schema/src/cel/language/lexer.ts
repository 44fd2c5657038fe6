/** Text to tokens. */
import type { Issue, Source } from './source.ts';

/** A word, number, text or sign, and where it stands. */
export interface Token {
  readonly kind: 'operator' | 'identifier' | 'escaped' | 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'end';
  readonly text: string;
  readonly at: number;
}

const escapeSequence = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const strings = [
  String.raw`[rR]"""[\s\S]*?"""`,
  String.raw`[rR]'''[\s\S]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  String.raw`"""(?:${escapeSequence}|[^\\])*?"""`,
  String.raw`'''(?:${escapeSequence}|[^\\])*?'''`,
  String.raw`"(?:${escapeSequence}|[^\\"\n\r])*"`,
  String.raw`'(?:${escapeSequence}|[^\\'\n\r])*'`,
].join('|');

const patterns: readonly (readonly [Token['kind'] | 'space', RegExp])[] = [
  ['space', /[\t \r\n\f]+|\/\/[^\n]*/uy],
  ['float', /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/uy],
  ['uint', /(?:0x[0-9a-fA-F]+|\d+)[uU]/uy],
  ['int', /0x[0-9a-fA-F]+|\d+/uy],
  ['bytes', new RegExp(`[bB](?:${strings})`, 'uy')],
  ['string', new RegExp(strings, 'uy')],
  ['identifier', /[A-Za-z_][A-Za-z0-9_]*/uy],
  ['escaped', /`[A-Za-z0-9_.\-/ ]+`/uy],
  ['operator', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/uy],
];

/** The tokens of an expression; what is none is added to `issues`. */
export function tokenize(source: Source, issues: Issue[]): readonly Token[] {
  const text = source.characters.join('');
  const tokens: Token[] = [];
  let unit = 0;
  let at = 0;
  while (unit < text.length) {
    const [kind, found] = match(text, unit);
    if (kind !== undefined && kind !== 'space') tokens.push({ kind, text: found, at });
    if (kind === undefined) {
      issues.push({ at, message: `Syntax error: token recognition error at: '${shown(found)}'` });
    }
    unit += found.length;
    at += [...found].length;
  }
  return [...tokens, { kind: 'end', text: '<EOF>', at }];
}

function match(text: string, unit: number): readonly [Token['kind'] | 'space' | undefined, string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = unit;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return [kind, found];
  }
  return [undefined, unrecognized(text.slice(unit))];
}

// The server's scanner reports everything up to and with the character at which no token was possible any more.
function unrecognized(rest: string): string {
  const begun = /^[rRbB]{0,2}(["'])(?:\\[\s\S]|(?!\1)[^\\\n\r])*/u.exec(rest)?.[0];
  if (begun !== undefined) {
    const wrong = /\\(?![abfnrtv"'\\?\x60xXuU0-3])/u.exec(begun);
    return wrong === null ? begun : [...rest.slice(0, wrong.index + 2)].join('');
  }
  const [first = '', second = ''] = rest;
  return '=&|'.includes(first) ? first + second : first;
}

function shown(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
