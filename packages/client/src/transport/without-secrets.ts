/**
 * Takes secrets out of what a program says about its failure.
 *
 * Programs quote what they were given whole, or only the part that matters to them: the value of `--password=value`, one
 * field of a JSON text, one line of a key. So every piece of a secret is masked, rather too much than too little. What
 * the program made or fetched itself we cannot know, so whatever looks like a token is masked, and whatever it calls a
 * password, a token, a key or a secret. Undefined: there is too much to look for, so show nothing.
 */
const mask = '[secret]';
/** Shorter pieces are masked only as words of their own: as parts of others they would make the text unreadable. */
const minLengthInWords = 4;
const maxPatternLength = 64 * 1024;
/** Escapes of JSON and shells, and what stands between the parts of arguments, addresses, JSON and lists. */
const separators = /\\[nrt]|[\s=:;,&?@|"'`(){}[\]<>/\\]+/;
const longWords = /[\w+/=-]{20,}/g;
/** `password: x`, `"token":"x"`, `Bearer x`, `secret is x`: the last group is what it calls so. */
const named =
  /((?:passw\w{0,20}|passphrase|pwd|token|secret|credentials?|key|authorization|bearer|basic)["'`]?(?:\s*[:=]\s*|\s+is\s+|\s+(?=["'`])|(?<=bearer|basic)\s+)(?:(?:bearer|basic)\s+)?["'`]?)([^\s"'`,;<>]+)/gi;

export function withoutSecrets(text: string, secrets: readonly string[]): string | undefined {
  const pieces = [...new Set(secrets.flatMap(piecesOf))].filter((piece) => piece !== '');
  // The longest first, as the first alternative that fits is taken.
  const pattern = pieces
    .sort((a, b) => b.length - a.length)
    .map(asPattern)
    .join('|');
  if (pattern.length > maxPatternLength) return undefined;
  const rest = pattern === '' ? text : text.replace(new RegExp(pattern, 'giu'), mask);
  return rest.replace(named, `$1${mask}`).replace(longWords, (word) => (isTokenLike(word) ? mask : word));
}

/** With capitals, small letters and digits, or letters and digits in turn: encoded or made up, no word of a language. */
function isTokenLike(word: string): boolean {
  if (/[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word)) return true;
  return (word.match(/[a-z]\d|\d[a-z]/gi)?.length ?? 0) >= 4;
}

function piecesOf(secret: string): string[] {
  const afterFirst = (mark: string) => (secret.includes(mark) ? secret.slice(secret.indexOf(mark) + 1) : '');
  const wholes = [secret, secret.trim(), afterFirst('='), afterFirst(':')];
  const inAddress = wholes.map((whole) => new URLSearchParams([['', whole]]).toString().slice(1));
  return [...wholes, ...inAddress, ...secret.split(separators)];
}

function asPattern(piece: string): string {
  const literally = piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return piece.length < minLengthInWords ? `(?<![\\p{L}\\p{N}])${literally}(?![\\p{L}\\p{N}])` : literally;
}
