/** A real registry of images for a test, on loopback and without TLS: Debian's docker-registry, in a folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { freePort } from './control-plane/ports.ts';
import { debianRoot } from './debian/packages.ts';
import { progressTo } from './machine/progress.ts';

export interface ImageRegistry extends AsyncDisposable {
  /** Its address and port, as the name of an image begins. */
  readonly host: string;
}

/** Starts one that accepts everybody; what was pushed is forgotten when it is disposed. */
export async function startRegistry(): Promise<ImageRegistry> {
  const progress = progressTo(process.stderr, systemClock);
  const debian = await debianRoot({ env: process.env, clock: systemClock, random: systemRandom, progress });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-registry-'));
  const host = `127.0.0.1:${await freePort('127.0.0.1')}`;
  const configuration = join(folder, 'config.json');
  const storage = { filesystem: { rootdirectory: join(folder, 'data') } };
  await writeFile(
    configuration,
    JSON.stringify({ version: 0.1, log: { level: 'error' }, storage, http: { addr: host } }),
  );
  const server = spawn(join(debian.directory, 'usr/bin/docker-registry'), ['serve', configuration], {
    env: debian.env,
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  for (let tries = 0; !(await answers(host)); tries += 1) {
    if (server.exitCode !== null || tries === 300) throw new Error(`no registry answers at ${host}`);
    await sleep(systemClock, 100);
  }
  return {
    host,
    async [Symbol.asyncDispose]() {
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(host: string): Promise<boolean> {
  try {
    return (await fetch(`http://${host}/v2/`)).ok;
  } catch {
    return false; // not yet
  }
}
