/** Looks a program up as a shell would, without running anything. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from './context.ts';

/** Where root's programs are; a user's PATH often lacks them. */
const systemDirectories = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The search path with the system's directories at its end. */
export function systemPath(env: Environment): string {
  return [...(env.PATH ?? '').split(delimiter).filter(Boolean), ...systemDirectories].join(delimiter);
}

export function findOnPath(program: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, program))
    .find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
