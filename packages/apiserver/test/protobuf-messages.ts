/** Protobuf as Go clients write it: messages by the numbers of their fields, in the envelope of Kubernetes. */

/** Fields of a message, by number: text, bytes of an inner message, or a whole number. */
export function message(...fields: readonly (readonly [number, string | Buffer | number])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint((number << 3) | 0), varint(value)];
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  do {
    const byte = Number(left & 0x7fn);
    left >>= 7n;
    bytes.push(left > 0n ? byte | 0x80 : byte);
  } while (left > 0n);
  return Buffer.from(bytes);
}

export const enveloped = (apiVersion: string, kind: string, raw: Buffer) =>
  Buffer.concat([Buffer.from('k8s\0'), message([1, message([1, apiVersion], [2, kind])], [2, raw], [3, ''], [4, ''])]);

export const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' };
