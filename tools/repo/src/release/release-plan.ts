/**
 * What the next release is: the version and the changelogs that the changesets of the checkout come to.
 *
 * `changeset version` is run on a copy of what it reads, so that the checkout stays as it is.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Release } from '../build.ts';
import { type Package, publishedPackages, root } from '../workspace.ts';

/** Throws if the packages would not be in step, or there is nothing to release. */
export function releasePlan(): Release {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-release-'));
  try {
    const read = [
      'package.json',
      '.changeset',
      '{packages,operators,tools}/*/{package.json,CHANGELOG.md}',
      '{demo,conformance,bench,examples}/package.json',
    ];
    for (const path of globSync(read, { cwd: root })) {
      cpSync(join(root, path), join(folder, path), { recursive: true });
    }
    // Changesets looks for a repository above it, and needs nothing of it.
    execFileSync('git', ['init', '--quiet', folder]);
    execFileSync('changeset', ['version'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const packages = publishedPackages().map((pkg) => ({ pkg, at: join(folder, relative(root, pkg.folder)) }));
    return planOf(
      packages.map(({ pkg, at }) => ({
        name: pkg.manifest.name,
        before: pkg.manifest.version ?? '',
        version: (JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Package['manifest']).version ?? '',
        changelog: textIn(join(at, 'CHANGELOG.md')),
      })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const textIn = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

export interface PlannedPackage {
  readonly name: string;
  /** The version in the checkout. */
  readonly before: string;
  readonly version: string;
  readonly changelog: string;
}

/**
 * All packages have one version, in the checkout and then, which is new or has its changelog already; and each has a
 * changelog that names it.
 */
export function planOf(packages: readonly PlannedPackage[]): Release {
  // Changesets would raise all of them to the next of the highest, and say nothing.
  if (new Set(packages.map(({ before }) => before)).size > 1) {
    const told = packages.map(({ name, before }) => `${name} ${before}`).join(', ');
    throw new Error(`The versions in the checkout are not in step: ${told}.`);
  }
  const told = (list: readonly PlannedPackage[]) => list.map(({ name, version }) => `${name} ${version}`).join(', ');
  const versions = new Set(packages.map(({ version }) => version));
  const [version = ''] = versions;
  if (versions.size !== 1) throw new Error(`The versions are not in step: ${told(packages)}.`);
  if (version === '0.0.0') throw new Error('There is nothing to release: write a changeset (npx changeset).');
  const silent = packages.filter(({ changelog }) => !changelog.includes(`\n## ${version}\n`));
  if (silent.length > 0) throw new Error(`No changelog tells of ${told(silent)}: write a changeset (npx changeset).`);
  return { version, changelogs: new Map(packages.map(({ name, changelog }) => [name, changelog])) };
}
