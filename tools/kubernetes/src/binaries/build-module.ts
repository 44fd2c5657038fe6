/** A program of this repository that is written in Go: built into the cache, once for each state of its sources. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock, systemRandom } from '@keelson/core/system';
import type { Context } from '../machine/context.ts';
import { cacheDirectory, programsDirectory } from '../machine/directories.ts';
import { findOnPath, isExecutable } from '../machine/find-on-path.ts';
import { alone } from '../machine/lock.ts';
import { progressTo } from '../machine/progress.ts';
import { UserFacingError } from '../machine/user-facing-error.ts';
import { go, temporaryDirectory } from './build.ts';

/** The path of the program that the Go module in `folder` is; it takes minutes when it has to be built. */
export async function buildGoModule(folder: string, name: string): Promise<string> {
  const { env } = process;
  const context: Context = {
    env,
    clock: systemClock,
    random: systemRandom,
    progress: progressTo(process.stderr, systemClock),
  };
  const path = join(programsDirectory(env, name, digestOf(folder)), name);
  if (isExecutable(path)) return path;
  if (!findOnPath('go', env.PATH ?? '')) {
    throw new UserFacingError(`Go is not on the PATH, and ${name} must be built: install Go 1.26 or later.`);
  }
  await alone(join(cacheDirectory(env), 'build.lock'), `building ${name}`, context, async () => {
    if (!isExecutable(path)) await buildAt(path, folder, name, context);
  });
  return path;
}

async function buildAt(path: string, folder: string, name: string, context: Context): Promise<void> {
  const temporary = temporaryDirectory(context.env);
  const unfinished = `${path}.unfinished`;
  const activity = context.progress.begin(name);
  try {
    for (const directory of [temporary, dirname(path)]) mkdirSync(directory, { recursive: true });
    const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w'];
    await go(['build', ...flags, '-o', unfinished, '.'], folder, context);
    renameSync(unfinished, path);
    activity.done();
  } catch (error) {
    rmSync(unfinished, { force: true });
    activity.failed();
    throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function digestOf(folder: string): string {
  const sources = createHash('sha256');
  for (const file of readdirSync(folder).sort()) sources.update(`${file}\0`).update(readFileSync(join(folder, file)));
  return sources.digest('hex').slice(0, 12);
}
