/**
 * The control groups of a node: one group of its own at the top of each hierarchy, with the pods below it.
 *
 * Control groups are not undone with the namespaces, so these are made and removed by name. Works on cgroup v1 (one
 * hierarchy per controller), v2 (one in all) and both at once.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@keelson/core';
import { hasErrorCode } from '../machine/user-facing-error.ts';
import { until } from '../machine/wait.ts';

/** Mount points of all hierarchies, from the content of /proc/self/mounts. */
export function hierarchies(mounts: string): string[] {
  return mounts.split('\n').flatMap((line) => {
    const [, mountPoint, type] = line.split(' ');
    return mountPoint !== undefined && (type === 'cgroup' || type === 'cgroup2') ? [mountPoint] : [];
  });
}

export function createCgroups(name: string): void {
  for (const directory of groupsNamed(name)) mkdirSync(directory, { recursive: true });
}

/** Call it when no process of the group is left. The kernel needs a moment to notice, hence the waiting. */
export async function removeCgroups(name: string, clock: Clock): Promise<void> {
  const remaining = () => groupsNamed(name).filter((directory) => !removed(directory));
  await until(() => (remaining().length === 0 ? true : undefined), {
    clock,
    what: `the removal of the control groups ${name}`,
    deadlineMs: 300_000,
    everyMs: 20,
  });
}

function groupsNamed(name: string): string[] {
  return hierarchies(readFileSync('/proc/self/mounts', 'utf8')).map((mountPoint) => join(mountPoint, name));
}

/** Removes a group from its leaves up; true when it is gone. */
function removed(directory: string): boolean {
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) removed(join(directory, entry.name));
    }
    rmdirSync(directory);
    return true;
  } catch (error) {
    return hasErrorCode(error, 'ENOENT');
  }
}
