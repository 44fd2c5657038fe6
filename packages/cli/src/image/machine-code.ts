/** Which machine a file is a program or a library for, by its first bytes. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Such as `linux/amd64`, or another system's name; nothing for what is no machine code. */
export function machineOf(file: string): string | undefined {
  const head = headOf(file);
  const magic = head.toString('latin1', 0, 4);
  if (magic === '\u007fELF') return elfMachines[head.readUInt16LE(18)] ?? 'another machine';
  const hex = head.toString('hex', 0, 4);
  // Classes of Java begin like programs for several machines, and go on with a larger number.
  if (machO.has(hex) || (hex === 'cafebabe' && head.readUInt32BE(4) < 40)) return 'macOS';
  // A text that begins like programs of Windows has no zero.
  return magic.startsWith('MZ') && head.includes(0) ? 'Windows' : undefined;
}

const elfMachines: Readonly<Record<number, string>> = { 62: 'linux/amd64', 183: 'linux/arm64' };
const machO = new Set(['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe']);

/** Twenty bytes, or what there is, filled with blanks. */
function headOf(file: string): Buffer {
  const head = Buffer.alloc(20, ' ');
  const handle = openSync(file, 'r');
  try {
    readSync(handle, head, 0, head.length, 0);
  } finally {
    closeSync(handle);
  }
  return head;
}
