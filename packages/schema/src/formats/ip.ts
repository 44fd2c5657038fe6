/** Internet addresses as Go's `net` reads them. */

/** The bytes of an address, 4 or 16 of them. `sloppy` accepts leading zeros in IPv4, as Go before 1.17 did. */
export function parseIp(text: string, sloppy = false): readonly number[] | undefined {
  return text.includes(':') ? parseIpv6(text, sloppy) : parseIpv4(text, sloppy);
}

function parseIpv4(text: string, sloppy = false): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = parts.map((part) => (/^\d+$/.test(part) && (sloppy || !/^0\d/.test(part)) ? Number(part) : 256));
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

/** The sixteen bytes of an address. */
export function parseIpv6(text: string, sloppy = false): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const parsed = halves.map((half, i) => groups(half, i === halves.length - 1, sloppy));
  const [head, tail] = parsed;
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  return missing >= 2 ? [...head, ...new Array<number>(missing).fill(0), ...(tail ?? [])] : undefined;
}

function groups(half: string, isLast: boolean, sloppy: boolean): readonly number[] | undefined {
  if (half === '') return [];
  const bytes: number[] = [];
  const parts = half.split(':');
  for (const [i, part] of parts.entries()) {
    if (isLast && i === parts.length - 1 && part.includes('.')) {
      const ipv4 = parseIpv4(part, sloppy);
      if (ipv4 === undefined) return undefined;
      bytes.push(...ipv4);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      const group = Number.parseInt(part, 16);
      bytes.push(group >> 8, group & 0xff);
    } else {
      return undefined;
    }
  }
  return bytes.length <= 16 ? bytes : undefined;
}

/** What holds a dot and can be read is taken for IPv4, also `::ffff:1.2.3.4`: so does the real server. */
export function isIpv4(text: string): boolean {
  return text.includes('.') && parseIp(text, true) !== undefined;
}

/** The format `ipv6`. */
export function isIpv6(text: string): boolean {
  return text.includes(':') && parseIp(text) !== undefined;
}

/** The format `cidr`: an address and the length of a prefix. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = parseIp(text.slice(0, slash), true);
  const length = text.slice(slash + 1);
  return address !== undefined && /^\d+$/.test(length) && Number(length) <= address.length * 8;
}

/** Hardware addresses of 6, 8 or 20 bytes: `00:00:5e:00:53:01`, `00-00-5e-00-53-01`, `0000.5e00.5301`. */
export function isMac(text: string): boolean {
  const bytes = /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(text)
    ? text.split('.').length * 2
    : /^[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(\1[0-9a-fA-F]{2})*$/.test(text)
      ? text.split(/[:-]/).length
      : 0;
  return [6, 8, 20].includes(bytes);
}
