/** Writes tar archives (ustar) in memory: what an image needs, which is directories, files and symbolic links. */

export type TarEntry =
  | { readonly type: 'directory'; readonly name: string; readonly mode?: number }
  | { readonly type: 'file'; readonly name: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly type: 'symlink'; readonly name: string; readonly target: string };

const blockSize = 512;

/** Everything belongs to root and dates from the epoch, so that equal contents give equal archives. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = entry.type === 'file' ? entry.content : new Uint8Array();
    return [header(entry, content.byteLength), content, Buffer.alloc(padding(content.byteLength))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockSize)]);
}

function header(entry: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(blockSize);
  const name = entry.type === 'directory' ? `${entry.name}/` : entry.name;
  if (Buffer.byteLength(name) > 100) throw new RangeError(`name of a tar entry is too long: ${name}`);
  const field = (offset: number, text: string) => void block.write(text, offset, 'latin1');
  const number = (offset: number, length: number, value: number) =>
    field(offset, `${value.toString(8).padStart(length - 1, '0')}\0`);
  block.write(name, 0, 'utf8');
  number(100, 8, modeOf(entry));
  number(108, 8, 0); // user
  number(116, 8, 0); // group
  number(124, 12, size);
  number(136, 12, 0); // modification time
  field(148, ' '.repeat(8)); // the checksum counts itself as spaces
  field(156, { file: '0', symlink: '2', directory: '5' }[entry.type]);
  if (entry.type === 'symlink') block.write(entry.target, 157, 'utf8');
  field(257, 'ustar\x0000');
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  field(148, `${checksum.toString(8).padStart(6, '0')}\0 `);
  return block;
}

function modeOf(entry: TarEntry): number {
  switch (entry.type) {
    case 'file':
      return entry.mode ?? 0o644;
    case 'directory':
      return entry.mode ?? 0o755;
    case 'symlink':
      return 0o777;
    default:
      return entry satisfies never;
  }
}

function padding(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}
