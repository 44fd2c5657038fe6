/**
 * Takes our own secrets out of texts that come from outside: a proxy whose error page quotes our request quotes the
 * token with it, and the text of an error ends up in logs and conditions.
 *
 * Promises: whatever has twelve characters in a row of a secret is masked, so it does not matter where a text cuts it or
 * breaks the line, nor whether letters are small or large; as it is, in base64 at any offset, and as addresses, JSON and
 * HTML write it. A shorter secret is masked as a whole. Secrets that change are known by the last eight values of each.
 * Does not: know what was encrypted, or encoded in a way that leaves no twelve characters as they were.
 */

const mask = '[secret]';
const gramLength = 12;
/** Shorter ones are masked only as words of their own: as parts of others they would make the text unreadable. */
const minLengthInWords = 4;
const maxRecent = 8;

export class SecretMask {
  readonly #fixed: readonly string[];
  /** By what they are: one that changes with each request must not drive out the others. */
  readonly #recent = new Map<string, Set<string>>();
  #index: Index | undefined;

  /** Secrets that stay the same; empty ones are none. */
  constructor(fixed: readonly string[]) {
    this.#fixed = fixed;
  }

  /** A secret that is about to be used, and what it is: `authorization`. */
  learn(what: string, secret: string): void {
    const recent = this.#recent.get(what) ?? new Set();
    if (recent.has(secret)) return;
    this.#recent.set(what, recent.add(secret));
    const [oldest] = recent.size > maxRecent ? recent : [];
    if (oldest !== undefined) recent.delete(oldest);
    this.#index = undefined;
  }

  readonly mask = (text: string): string => {
    this.#index ??= indexOf([...this.#fixed, ...[...this.#recent.values()].flatMap((each) => [...each])]);
    const isSecret = this.#index.find(text);
    if (!isSecret) return text;
    let masked = '';
    for (let at = 0; at < text.length; ) {
      const from = at;
      while (at < text.length && isSecret[at] === isSecret[from]) at += 1;
      masked += isSecret[from] ? mask : text.slice(from, at);
    }
    return masked;
  };
}

interface Index {
  /** A mark for each character that belongs to a secret; nothing where none does. */
  find(text: string): Uint8Array | undefined;
}

/** Built when the first text is looked at: most processes never see one. */
function indexOf(secrets: readonly string[]): Index {
  const grams = new Set<string>();
  const shorts = new Set<string>();
  for (const form of secrets.flatMap(formsOf)) {
    const text = lower(form);
    if (text.length < gramLength) shorts.add(text);
    for (let at = 0; at + gramLength <= text.length; at++) grams.add(text.slice(at, at + gramLength));
  }
  shorts.delete('');
  return {
    find(original) {
      const text = lower(original);
      let marks: Uint8Array | undefined;
      const note = (from: number, to: number) => {
        marks ??= new Uint8Array(text.length);
        marks.fill(1, from, to);
      };
      if (grams.size > 0) {
        for (let at = 0; at + gramLength <= text.length; at++) {
          if (grams.has(text.slice(at, at + gramLength))) note(at, at + gramLength);
        }
      }
      for (const short of shorts) {
        for (let at = text.indexOf(short); at !== -1; at = text.indexOf(short, at + 1)) {
          if (short.length >= minLengthInWords || isWord(text, at, at + short.length)) note(at, at + short.length);
        }
      }
      return marks;
    },
  };
}

/** A text in which as many characters stand as before; a few letters would become two. */
function lower(text: string): string {
  const whole = text.toLowerCase();
  return whole.length === text.length ? whole : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isWord(text: string, from: number, to: number): boolean {
  const isPart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  return !isPart(text[from - 1]) && !isPart(text[to]);
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The ways in which a secret is written. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    secret.trim(),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
    encodeURIComponent(bytes.toString()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    secret.replace(/[&<>"']/g, (sign) => htmlEscapes[sign] ?? sign),
  ];
}

/** What base64 shows of the bytes when so many others stand before them, without the signs that those have a part in. */
function base64At(bytes: Buffer, offset: number): readonly string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const own = text.slice(offset === 0 ? 0 : offset + 1, text.length - ((offset + bytes.length) % 3 === 0 ? 0 : 1));
  // A few signs say little, and would stand in many texts.
  return own.length < 8 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')];
}
