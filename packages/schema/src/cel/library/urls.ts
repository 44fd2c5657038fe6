/** Parts of URLs. */
import { parseRequestUri, type RequestUri } from '../../formats/uri.ts';
import { one, perCharacter, type Sized, scaled } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { struct } from '../language/types.ts';
import { CelError, Entries, Items, keyText, OpaqueValue, sizeOf, type Value } from '../language/values.ts';

class Url extends OpaqueValue {
  readonly type = struct('kubernetes.URL');
  readonly text: string;
  readonly parts: RequestUri;
  constructor(text: string, parts: RequestUri) {
    super();
    this.text = text;
    this.parts = parts;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

function url(value: Value): Value {
  const parts = parseRequestUri(value as string);
  return parts === undefined
    ? new CelError(
        `URL parse error during conversion from string: parse ${JSON.stringify(value)}: invalid URI for request`,
      )
    : new Url(value as string, parts);
}

const partsOf = (value: Value): RequestUri => (value as Url).parts;

function hostname({ host }: RequestUri): string {
  return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
}

function port({ host }: RequestUri): string {
  return /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';
}

/** As it stands in the URL. */
function escapedPath(value: Value): string {
  const { text } = value as Url;
  const path = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/[^/?]*)?([^?]*)/.exec(text)?.[1] ?? '';
  return partsOf(value).path === '' ? '' : path;
}

function query(value: Value): Value {
  const entries = new Map<string, readonly [Value, Value]>();
  for (const [name, each] of new URLSearchParams(partsOf(value).query)) {
    const before = entries.get(keyText(name) ?? '')?.[1];
    entries.set(keyText(name) ?? '', [name, new Items(before instanceof Items ? [...before, each] : [each])]);
  }
  return new Entries(entries);
}

const nominal = { cost: () => 1, estimate: () => ({ cost: one }) };

/** `url` and its methods. */
export const urls: Library = [
  overload('url(string): kubernetes.URL', url, {
    cost: (args) => Math.ceil(sizeOf(args[0] ?? null) * perCharacter),
    estimate: ({ size }: Sized) => ({ cost: scaled(size, perCharacter), size }),
  }),
  overload('isURL(string): bool', (value) => parseRequestUri(value as string) !== undefined),
  overload('kubernetes.URL.getScheme(): string', (value) => partsOf(value).scheme, nominal),
  overload('kubernetes.URL.getHost(): string', (value) => partsOf(value).host, nominal),
  overload('kubernetes.URL.getHostname(): string', (value) => hostname(partsOf(value)), nominal),
  overload('kubernetes.URL.getPort(): string', (value) => port(partsOf(value)), nominal),
  overload('kubernetes.URL.getEscapedPath(): string', escapedPath, nominal),
  overload('kubernetes.URL.getQuery(): map<string, list<string>>', query, nominal),
];
