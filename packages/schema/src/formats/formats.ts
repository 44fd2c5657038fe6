/** The formats that the API server checks; it ignores all others, and warns of them when a CRD is written. */
import { parseAnyDuration } from './duration.ts';
import { isEmail } from './email.ts';
import { isCidr, isIpv4, isIpv6, isMac } from './ip.ts';
import { isCreditCard, isIsbn10, isIsbn13 } from './numbers-with-checksum.ts';
import { isDate, isDateTime } from './time.ts';
import { parseRequestUri } from './uri.ts';

/** Whether a text is of the format. */
export type Format = (text: string) => boolean;

const shortName = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const byteColour = '(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';

function pattern(source: string, maxBytes = Number.POSITIVE_INFINITY): Format {
  const expression = new RegExp(`^(?:${source})$`);
  return (text) => expression.test(text) && Buffer.byteLength(text) <= maxBytes;
}

function uuid(version = '[0-9a-f]', variant = '[0-9a-f]'): Format {
  const expression = new RegExp(
    `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`,
    'i',
  );
  return (text) => expression.test(text);
}

/** By name, without dashes. */
const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['bsonobjectid', pattern('[0-9a-fA-F]{24}')],
  // The empty text is not valid base64 here.
  ['byte', pattern('(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})')],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', (text) => parseAnyDuration(text) !== undefined],
  ['email', isEmail],
  ['hexcolor', pattern('#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})')],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8slongname', pattern(`${shortName}(\\.${shortName})*`, 253)],
  ['k8sshortname', pattern(shortName, 63)],
  ['mac', isMac],
  ['password', () => true],
  [
    'rgbcolor',
    pattern(
      `rgb\\([\\t\\n\\f\\r ]*${[byteColour, byteColour, byteColour].join('[\\t\\n\\f\\r ]*,[\\t\\n\\f\\r ]*')}[\\t\\n\\f\\r ]*\\)`,
    ),
  ],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['uri', (text) => parseRequestUri(text) !== undefined],
  ['uuid', uuid()],
  ['uuid3', uuid('3')],
  ['uuid4', uuid('4', '[89ab]')],
  ['uuid5', uuid('5', '[89ab]')],
]);

function isHostname(text: string): boolean {
  if (!hostname.test(text) || Buffer.byteLength(text) > 255) return false;
  return text.split('.').every((part) => Buffer.byteLength(part) <= 63);
}

/** The names of all formats of strings, without dashes. */
export const formatNames: readonly string[] = [...formats.keys()];

/** The check for a format of strings. */
export function formatOf(name: string): Format | undefined {
  return formats.get(name.replaceAll('-', ''));
}

/** Whether the API server looks at a format, for values of this type (none in an alternative or int-or-string). */
export function isCheckedFormat(format: string, type: string | undefined): boolean {
  if (type === undefined || type === 'string') return formatOf(format) !== undefined;
  if (type === 'integer') return format === 'int32' || format === 'int64';
  return type === 'number' && (format === 'float' || format === 'double');
}
