/**
 * Which version of memcached an image has, as far as its name tells, and what servers of that version can do.
 *
 * A tag says a version when it begins with three numbers and the image is called memcached. Others (`latest`, `1.6`, a
 * digest, an image of another name) say nothing, and nothing is refused because of them.
 */
export interface Version {
  /** As people write it. */
  readonly text: string;
  readonly numbers: readonly [major: number, minor: number, patch: number];
}

const named = /(?:^|\/)(?:[^/:@]*-)?memcached(?:-[^/:@]*)?:v?((\d{1,6})\.(\d{1,6})\.(\d{1,6}))(?=$|[-@_+.])/;

/** `memcached:1.6.26-alpine3.19` has 1.6.26. */
export function versionOf(image: string): Version | undefined {
  const [, text, ...numbers] = named.exec(image) ?? [];
  if (text === undefined) return undefined;
  const [major = 0, minor = 0, patch = 0] = numbers.map(Number);
  return { text, numbers: [major, minor, patch] };
}

export function isOlder(version: Version, than: string): boolean {
  const [numbers, others] = [version.numbers, than.split('.').map(Number)];
  const index = numbers.findIndex((each, i) => each !== others[i]);
  return index >= 0 && (numbers[index] ?? 0) < (others[index] ?? 0);
}

interface Gate {
  /** What an argument asks for, in words. */
  readonly what: string;
  readonly since: string;
  /** Which arguments ask for it; options and the words of `-o`. */
  readonly asks: RegExp;
  /** Only in images that the project itself publishes; others may be built in another way. */
  readonly ofOfficialImage?: true;
}

/** A word of `-o`, in an argument of its own or behind the option. */
const word = (pattern: string) => `^(-[vLMCFXW]*o=?|--e[a-z]*=)?(.*,)?(${pattern})`;

const gates: readonly Gate[] = [
  { what: 'TLS', since: '1.5.13', asks: new RegExp(`^-[vLMCFXW]*Z|^--enable-ss|${word('ssl_[a-z_]+(=|,|$)')}`) },
  { what: 'a memory file', since: '1.5.18', asks: /^-[vLMCFXW]*e|^--memory-f/ },
  { what: 'the proxy', since: '1.6.23', asks: new RegExp(word('proxy_config=')) },
  { what: 'the built-in routes', since: '1.6.33', asks: new RegExp(word('proxy_config=routelib(,|$)')) },
  {
    what: 'the proxy in the official image',
    since: '1.6.38',
    asks: new RegExp(word('proxy_config=')),
    ofOfficialImage: true,
  },
];

const official = /^((docker\.io|index\.docker\.io)\/)?(library\/)?memcached[:@]/;

export interface Gated {
  /** Which of the arguments. */
  readonly index: number;
  readonly what: string;
  readonly since: string;
  /** The version that lacks it; absent if the image does not tell one. */
  readonly version?: string;
}

/** Arguments that servers of this image do not understand, or may not: those of an image that tells no version. */
export function gatedArgs(image: string, args: readonly string[]): readonly Gated[] {
  const version = versionOf(image);
  return args.flatMap((arg, index) => {
    const asked = gates.filter(
      ({ asks, ofOfficialImage }) => asks.test(arg) && (!ofOfficialImage || official.test(image)),
    );
    const missing = asked.filter(({ since }) => version === undefined || isOlder(version, since));
    // Of several, what the newest version brought includes the others.
    const last = missing.at(-1);
    if (last === undefined) return [];
    return [{ index, what: last.what, since: last.since, ...(version && { version: version.text }) }];
  });
}
