/** URIs as Go's `url.ParseRequestURI` reads them: absolute, or a path from the root. */
import { parseIpv6 } from './ip.ts';

/** The parts of a URI. */
export interface RequestUri {
  readonly scheme: string;
  /** With the port; an IPv6 address stands in brackets. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** Undefined where a text is no URI. */
export function parseRequestUri(text: string): RequestUri | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' };
  if (text.startsWith(':')) return undefined;
  const [, scheme = '', afterScheme = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([\s\S]*)$/.exec(text) ?? [];
  const question = afterScheme.indexOf('?');
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
  const query = question < 0 ? '' : afterScheme.slice(question + 1);
  // What follows the scheme without a slash is opaque, and not looked at: `mailto:a@b`.
  if (!rest.startsWith('/'))
    return scheme === '' ? undefined : { scheme: scheme.toLowerCase(), host: '', path: '', query };
  const hasAuthority = scheme !== '' && rest.startsWith('//');
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0;
  const authority = hasAuthority ? rest.slice(2, slash < 0 ? undefined : slash) : '';
  const path = decodePercent(slash < 0 ? '' : rest.slice(slash));
  const host = parseAuthority(authority, scheme.toLowerCase());
  return path === undefined || host === undefined ? undefined : { scheme: scheme.toLowerCase(), host, path, query };
}

function parseAuthority(authority: string, scheme: string): string | undefined {
  const at = authority.lastIndexOf('@');
  if (at >= 0) {
    const user = authority.slice(0, at);
    if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || decodePercent(user) === undefined) return undefined;
  }
  return parseHost(authority.slice(at + 1), scheme);
}

function parseHost(host: string, scheme: string): string | undefined {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) return undefined;
  if (bracket === 0) return parseIpLiteral(host);
  const first = host.indexOf(':');
  const isWeb = scheme === 'http' || scheme === 'https';
  const port = first < 0 ? '' : host.slice(isWeb ? first : host.lastIndexOf(':'));
  return isPort(port) ? unescapeHost(host) : undefined;
}

function parseIpLiteral(host: string): string | undefined {
  const close = host.lastIndexOf(']');
  const port = host.slice(close + 1);
  if (close < 0 || !isPort(port)) return undefined;
  const [address = '', ...zone] = host.slice(1, close).split('%25');
  const plain = unescapeHost(address);
  if (plain === undefined || parseIpv6(plain) === undefined) return undefined;
  if (zone.length === 0) return `[${plain}]${port}`;
  const name = unescapeZone(zone.join('%25'));
  return name === undefined || name === '' ? undefined : `[${plain}%${name}]${port}`;
}

function isPort(text: string): boolean {
  return /^(:\d*)?$/.test(text);
}

const inHost = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\u{10ffff}]*$/u;

function unescapeHost(text: string): string | undefined {
  // Only what is not ASCII may be escaped in a host, and the percent sign.
  const bare = text.replace(/%(?:25|[89a-fA-F][0-9a-fA-F])/g, '');
  return inHost.test(bare) ? decodePercent(text) : undefined;
}

function unescapeZone(text: string): string | undefined {
  const plain = decodePercent(text);
  return plain !== undefined && inHost.test(plain.replaceAll(/[ %]/g, '')) ? plain : undefined;
}

/** Undefined when a percent sign does not begin an escape. */
function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const bytes = Buffer.from(
    text.replace(/%[0-9a-fA-F]{2}|[^%]/gu, (part) =>
      part.length === 3 && part.startsWith('%') ? part.slice(1) : Buffer.from(part).toString('hex'),
    ),
    'hex',
  );
  return bytes.toString();
}
