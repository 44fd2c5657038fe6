/** DER, as far as certificates need it: tag, length, content. */

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
export const set = (...parts: readonly Buffer[]): Buffer => der(0x31, ...parts);
export const octets = (content: Buffer): Buffer => der(0x04, content);
export const bits = (content: Buffer, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content);
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const boolean = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));

/** A positive number, most significant byte first. */
export const integer = (bytes: Buffer): Buffer =>
  der(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);

/** Wall time in milliseconds: with two digits for the year until 2049, and with four from then on. */
export function time(wallMs: number): Buffer {
  const digits = new Date(wallMs).toISOString().replaceAll(/[-:T]|\.\d+Z/g, '');
  return digits < '2050' ? der(0x17, Buffer.from(`${digits.slice(2)}Z`)) : der(0x18, Buffer.from(`${digits}Z`));
}

/** Part `tag` of a structure, whole or in place of its own tag. */
export const explicit = (tag: number, content: Buffer): Buffer => der(0xa0 + tag, content);
export const implicit = (tag: number, content: Buffer): Buffer => der(0x80 + tag, content);

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((number) => {
    const groups: number[] = [number & 0x7f];
    for (let left = number >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}
