/** What a program for Linux says of itself: the machine it is for, its dynamic linker, and the libraries that it needs. */

export interface Elf {
  readonly machine: 'amd64' | 'arm64' | 'another';
  /** The path of the dynamic linker; a library names none. */
  readonly interpreter: string | undefined;
  /** Such as `libc.so.6`. */
  readonly needed: readonly string[];
}

const [load, dynamic, interp] = [1, 2, 3];
const [tagNeeded, tagStrings] = [1n, 5n];

/** Reads a file of 64 bits, little-endian, as both machines have it; nothing, if it is none. */
export function readElf(file: Buffer): Elf | undefined {
  if (file.length < 64 || file.toString('latin1', 0, 6) !== '\u007fELF\u0002\u0001') return undefined;
  const machine = { 62: 'amd64', 183: 'arm64' }[file.readUInt16LE(18)] as 'amd64' | 'arm64' | undefined;
  const [start, size, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(54), file.readUInt16LE(56)];
  const segments = Array.from({ length: count }, (_, i) => {
    const at = (offset: number) => Number(file.readBigUInt64LE(start + i * size + offset));
    return { type: file.readUInt32LE(start + i * size), offset: at(8), address: at(16), size: at(32) };
  });
  const text = (offset: number) => file.toString('latin1', offset, file.indexOf(0, offset));
  const linker = segments.find(({ type }) => type === interp);
  return {
    machine: machine ?? 'another',
    interpreter: linker && text(linker.offset),
    needed: neededBy(file, segments, text),
  };
}

type Segments = readonly Record<'type' | 'offset' | 'address' | 'size', number>[];

function neededBy(file: Buffer, segments: Segments, text: (offset: number) => string): readonly string[] {
  const table = segments.find(({ type }) => type === dynamic);
  if (table === undefined) return [];
  const entries = Array.from({ length: table.size / 16 }, (_, i) => ({
    tag: file.readBigUInt64LE(table.offset + i * 16),
    value: Number(file.readBigUInt64LE(table.offset + i * 16 + 8)),
  }));
  const address = entries.find(({ tag }) => tag === tagStrings)?.value ?? 0;
  const holder = segments.find(
    (each) => each.type === load && each.address <= address && address < each.address + each.size,
  );
  const strings = address - (holder?.address ?? 0) + (holder?.offset ?? 0);
  return entries.filter(({ tag }) => tag === tagNeeded).map(({ value }) => text(strings + value));
}
