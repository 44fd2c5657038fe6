/** Where things are in this repository, and what its packages say of themselves. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly description: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  /** Modules of the package itself, by a name that begins with `#`. */
  readonly imports?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  /** Its URL is given when a release is made. */
  readonly repository?: { readonly type?: string; readonly directory?: string; readonly url?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
}

export interface Package {
  /** Absolute path of the package's folder. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages that are published and have code; one without code has an empty `exports` map. */
export function publishedPackages(): readonly Package[] {
  return globSync('{packages,operators}/*/package.json', { cwd: root })
    .sort()
    .map((path) => ({
      folder: join(root, dirname(path)),
      manifest: JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest,
    }))
    .filter(({ manifest }) => Object.keys(manifest.exports).length > 0 || manifest.bin !== undefined);
}
