/** The images that a node has from the start, made from local files so that nothing has to be pulled. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DebianRoot } from '../debian/packages.ts';
import { UserFacingError } from '../machine/user-facing-error.ts';
import { succeed } from '../processes/run.ts';
import type { Image } from './image.ts';
import type { TarEntry } from './tar.ts';

export const pauseImage = 'keelson.example/pause:v1';

export function pause(program: string): Image {
  return {
    tags: [pauseImage],
    layer: [{ type: 'file', name: 'pause', content: readFileSync(program), mode: 0o755 }],
    command: ['/pause'],
    user: '65535:65535',
  };
}

/** Debian's busybox-static, with a link for each of its applets. */
export async function busybox(debian: DebianRoot): Promise<Image> {
  const program = existing(debian, ['bin/busybox', 'usr/bin/busybox']);
  const applets = (await succeed([program, '--list'])).split('\n').filter((name) => name && name !== 'busybox');
  return {
    // Not `latest` alone: for that tag Kubernetes pulls by default.
    tags: ['docker.io/library/busybox:stable', 'docker.io/library/busybox:latest'],
    layer: [
      { type: 'directory', name: 'bin' },
      { type: 'directory', name: 'tmp', mode: 0o1777 },
      { type: 'file', name: 'bin/busybox', content: readFileSync(program), mode: 0o755 },
      ...applets.map((name): TarEntry => ({ type: 'symlink', name: `bin/${name}`, target: 'busybox' })),
    ],
    command: ['sh'],
  };
}

/** Debian's memcached with its libraries, under the tag that the Memcached operator uses by default. */
export async function memcached(debian: DebianRoot): Promise<Image> {
  const program = existing(debian, ['usr/bin/memcached']);
  const libraries = librariesIn(await succeed(['ldd', program], { env: debian.env }));
  const directories = new Set(['usr', 'usr/bin', 'usr/lib', ...libraries.map(({ directory }) => directory)]);
  return {
    tags: ['docker.io/library/memcached:1.6.26-alpine3.19'],
    layer: [
      ...[...directories].map((name): TarEntry => ({ type: 'directory', name })),
      { type: 'file', name: 'usr/bin/memcached', content: readFileSync(program), mode: 0o755 },
      ...libraries.map(
        ({ directory, path }): TarEntry => ({
          type: 'file',
          name: `${directory}/${basename(path)}`,
          content: readFileSync(path),
          mode: 0o755,
        }),
      ),
    ],
    command: ['memcached'],
    user: '11211:11211',
  };
}

export interface Library {
  /** Where it is on this machine. */
  readonly path: string;
  /** Where the program will look for it in the image. */
  readonly directory: string;
}

/** Reads what ldd prints: `name => path (address)`, and the loader as a bare path, which the program names itself. */
export function librariesIn(output: string): Library[] {
  return output.split('\n').flatMap((line): Library[] => {
    const [, name, path] = /^\s*(\S+) => (\S+)/.exec(line) ?? [];
    if (name && path) {
      if (path === 'not') throw new UserFacingError(`The library ${name} is missing on this machine.`);
      return [{ path, directory: 'usr/lib' }];
    }
    const [, loader] = /^\s*(\/\S+)/.exec(line) ?? [];
    return loader ? [{ path: loader, directory: loader.split('/')[1] ?? '' }] : [];
  });
}

function existing(debian: DebianRoot, candidates: readonly string[]): string {
  const found = candidates.map((name) => join(debian.directory, name)).find(existsSync);
  if (!found) throw new UserFacingError(`${candidates[0]} is not among the unpacked packages in ${debian.directory}.`);
  return found;
}
