/** Refuses work for which the disk has no room, before it begins. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode, UserFacingError } from './user-facing-error.ts';

const gigabyte = 1e9;

export async function requireDiskSpace(directory: string, neededBytes: number, what: string): Promise<void> {
  const free = await freeBytes(directory);
  if (free < neededBytes) throw new UserFacingError(diskSpaceMessage(directory, free, neededBytes, what));
}

export function diskSpaceMessage(directory: string, free: number, needed: number, what: string): string {
  const amount = (bytes: number) => (bytes / gigabyte).toFixed(1);
  return `No space: ${what} needs ${amount(needed)} GB in ${directory}, and ${amount(free)} GB are free.`;
}

/** Of the file system that holds `directory`, or will hold it once it exists. */
async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT') || dirname(directory) === directory) throw error;
    return freeBytes(dirname(directory));
  }
}
