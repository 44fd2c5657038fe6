/**
 * Finds each program in KUBEBUILDER_ASSETS, then in the cache, and has the rest built.
 *
 * Promises: all programs of Kubernetes are of one version, or a `UserFacingError` names those that differ; nothing is built
 * before that is sure.
 */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Context, Environment } from '../machine/context.ts';
import { programsDirectory } from '../machine/directories.ts';
import { isExecutable } from '../machine/find-on-path.ts';
import { UserFacingError } from '../machine/user-facing-error.ts';
import { build } from './build.ts';
import { type Program, productOf, productVersion } from './programs.ts';
import { reportedVersion } from './reported-version.ts';
import { kubernetesVersion, parseKubernetesVersion } from './versions.ts';

export interface Programs {
  readonly version: string;
  path(program: Program): string;
}

export interface Found {
  readonly program: Program;
  readonly version: string;
  readonly source: 'in KUBEBUILDER_ASSETS' | 'in the cache' | 'to be built';
  readonly path: string;
}

/** `version` is what the user asked for; without it, it is the pinned one. */
export async function findPrograms(
  programs: readonly Program[],
  version: string | undefined,
  context: Context,
): Promise<Programs> {
  const found = await locatePrograms(programs, version, context.env);
  const missing = found.filter(({ source }) => source === 'to be built').map(({ program }) => program);
  const chosen = found.find(({ program }) => productOf(program) === 'kubernetes')?.version ?? kubernetesVersion;
  if (missing.length > 0) await build(missing, chosen, context);
  const paths = new Map(found.map(({ program, path }) => [program, path]));
  return {
    version: chosen,
    path(program) {
      const path = paths.get(program);
      if (path === undefined) throw new RangeError(`${program} was not looked for`);
      return path;
    },
  };
}

/** Where each program is, or will be once built. Throws the `UserFacingError` that makes building pointless. */
export async function locatePrograms(
  programs: readonly Program[],
  version: string | undefined,
  env: Environment,
): Promise<Found[]> {
  const wanted = parseKubernetesVersion(version ?? kubernetesVersion).text;
  const assets = assetsDirectory(env, programs);
  const found = await Promise.all(
    programs.map(async (program): Promise<Found> => {
      const asset = assets && join(assets, program);
      if (asset && isExecutable(asset)) {
        return {
          program,
          path: asset,
          source: 'in KUBEBUILDER_ASSETS',
          version: await reportedVersion(program, asset),
        };
      }
      const product = productOf(program);
      const path = join(programsDirectory(env, product, productVersion(product, wanted)), program);
      return { program, path, source: isExecutable(path) ? 'in the cache' : 'to be built', version: wanted };
    }),
  );
  const mixed = mixedVersions(found, version === undefined ? undefined : wanted);
  if (mixed) throw new UserFacingError(mixed);
  return found;
}

/** The sentence that names the versions, if the programs do not fit together or are not what was asked for. */
export function mixedVersions(found: readonly Found[], asked: string | undefined): string | undefined {
  const kubernetes = found.filter(({ program }) => productOf(program) === 'kubernetes');
  const versions = new Set(kubernetes.map(({ version }) => version));
  if (versions.size > 1) {
    const list = kubernetes.map(({ program, version, source }) => `${program} ${version} (${source})`).join(', ');
    return `The versions of Kubernetes are mixed: ${list}; unset KUBEBUILDER_ASSETS, or ask for its version with --kubernetes-version.`;
  }
  const [only] = versions;
  if (asked !== undefined && only !== undefined && only !== asked) {
    return `KUBEBUILDER_ASSETS holds Kubernetes ${only}, but ${asked} was asked for.`;
  }
  return undefined;
}

function assetsDirectory(env: Environment, programs: readonly Program[]): string | undefined {
  if (!env.KUBEBUILDER_ASSETS) return undefined;
  const directory = resolve(env.KUBEBUILDER_ASSETS);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserFacingError(`KUBEBUILDER_ASSETS is wrong: ${directory} is not a directory.`);
  }
  if (!programs.some((program) => isExecutable(join(directory, program)))) {
    throw new UserFacingError(`KUBEBUILDER_ASSETS is wrong: ${directory} holds none of ${programs.join(', ')}.`);
  }
  return directory;
}
