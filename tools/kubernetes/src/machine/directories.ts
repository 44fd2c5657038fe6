/**
 * Where things are kept: built programs and unpacked packages in a cache outside the checkout, and one directory
 * per running cluster beside them, which goes away with the cluster.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './context.ts';

export function cacheDirectory(env: Environment): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'keelson');
}

/** Programs of one version: `kubernetes` or `etcd`. */
export function programsDirectory(env: Environment, product: string, version: string): string {
  return join(cacheDirectory(env), product, version, 'bin');
}

export function clustersDirectory(env: Environment): string {
  return join(cacheDirectory(env), 'clusters');
}
