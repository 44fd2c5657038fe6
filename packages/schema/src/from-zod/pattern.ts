/**
 * Regular expressions of JavaScript in the syntax of RE2, which the API server uses.
 *
 * Promises: the result compiles there and accepts the same strings, save for rare white space in `\s` and `.`; what
 * RE2 lacks (look-around, backreferences) is named.
 */

/** A pattern for RE2, or what RE2 lacks for it. */
export type Translation = { readonly pattern: string } | { readonly lacking: string };

class Lacking extends Error {}

/** The same expression in the syntax of RE2. */
export function re2Pattern({ source, flags }: RegExp): Translation {
  try {
    if (/[vy]/.test(flags)) throw new Lacking(`the flag ${/[vy]/.exec(flags)?.[0]}`);
    const inline = [...flags].filter((flag) => 'ims'.includes(flag)).join('');
    return { pattern: (inline === '' ? '' : `(?${inline})`) + translate(source) };
  } catch (error) {
    if (error instanceof Lacking) return { lacking: error.message };
    throw error;
  }
}

/** The pieces that differ between the two syntaxes; everything else stands as it is. */
const piece =
  /\\(?:u\{(?<point>[0-9a-fA-F]+)\}|u(?<unit>[0-9a-fA-F]{4})|[pP]\{(?<property>[^}]*)\}|(?<letter>[\s\S]))|\((?:\?(?<look><?[=!])|\?<(?<group>[^>]*)>)|(?<class>\[\^?\]?)|(?<close>\])|\{(?<counts>\d+(?:,\d*)?)\}/g;

function translate(source: string): string {
  let inClass = false;
  return source.replace(piece, (text, ...rest) => {
    const found = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const code = found.point ?? found.unit;
    if (code !== undefined) return codePoint(Number.parseInt(code, 16));
    if (found.property !== undefined) return property(text, found.property);
    if (found.letter !== undefined) return escaped(found.letter, inClass);
    if (found.class !== undefined) {
      if (inClass) {
        if (text.endsWith(']')) inClass = false;
        return `\\${text}`;
      }
      if (found.class === '[]') throw new Lacking('a class without characters');
      if (found.class === '[^]') return '(?s:.)';
      inClass = true;
      return text;
    }
    if (inClass) {
      if (found.close !== undefined) inClass = false;
      return text;
    }
    if (found.look !== undefined) throw new Lacking('look-around');
    if (found.group !== undefined) return `(?P<${found.group}>`;
    if (found.counts?.split(',').some((count) => Number(count) > 1000)) throw new Lacking('counts above 1000');
    return text;
  });
}

function codePoint(code: number): string {
  if (code >= 0xd800 && code <= 0xdfff) throw new Lacking('halves of surrogate pairs');
  return `\\x{${code.toString(16)}}`;
}

function property(text: string, name: string): string {
  if (!/^[A-Z][a-z]?$/.test(name)) throw new Lacking(`the property ${name}`);
  return text;
}

function escaped(letter: string, inClass: boolean): string {
  if (letter === '0') return '\\x00';
  if (letter === 'b' && inClass) return '\\x08';
  if (/[1-9k]/.test(letter)) throw new Lacking('backreferences');
  if (/[cpPu]/.test(letter)) throw new Lacking(`the escape \\${letter}`);
  if (letter === '/') return '/';
  // Any other letter stands for itself in JavaScript and is an error in RE2.
  return /[dDwWsSbBtnrfvx]|[!-/:-@[-`{-~]/.test(letter) ? `\\${letter}` : letter;
}
