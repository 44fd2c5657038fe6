/** Whether this machine can have a real Kubernetes, and if not, why: for suites that would be skipped, and for `up`. */
import { readFileSync } from 'node:fs';
import { requireGo } from '../binaries/build.ts';
import { locatePrograms } from '../binaries/lookup.ts';
import { apiPrograms, controllerPrograms, nodePrograms, type Program } from '../binaries/programs.ts';
import { missingPackageTools } from '../debian/packages.ts';
import type { Environment } from '../machine/context.ts';
import { findOnPath, systemPath } from '../machine/find-on-path.ts';
import { isUserFacingError, UserFacingError } from '../machine/user-facing-error.ts';

export type Availability = { readonly available: true } | { readonly available: false; readonly reason: string };

export interface AvailabilityOptions {
  /** Whether pods must really run. @default false */
  readonly pods?: boolean | undefined;
  /** `false`: neither controllers nor a scheduler are needed. */
  readonly controllers?: readonly string[] | false | undefined;
  /** Another version of Kubernetes than the pinned one. */
  readonly version?: string | undefined;
}

/** What a machine is, as far as it matters here. */
export interface Machine {
  readonly env: Environment;
  readonly platform: string;
  readonly arch: string;
  readonly isRoot: boolean;
  /** The effective capabilities, as in /proc/self/status. */
  readonly capabilities: bigint;
}

export function thisMachine(env: Environment = process.env): Machine {
  return {
    env,
    platform: process.platform,
    arch: process.arch,
    isRoot: process.getuid?.() === 0,
    capabilities: ownCapabilities(),
  };
}

function ownCapabilities(): bigint {
  try {
    const [, hex] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return BigInt(`0x${hex ?? '0'}`);
  } catch {
    return 0n; // not Linux
  }
}

/** By their bits; a root in a container often lacks them. */
const neededCapabilities = { CAP_NET_ADMIN: 12n, CAP_SYS_CHROOT: 18n, CAP_SYS_ADMIN: 21n };

/** Looks, and changes nothing: no building, no network. */
export async function availability(
  options: AvailabilityOptions = {},
  machine: Machine = thisMachine(),
): Promise<Availability> {
  try {
    await requireAvailable(options, machine);
    return { available: true };
  } catch (error) {
    if (isUserFacingError(error)) return { available: false, reason: error.message };
    throw error;
  }
}

/** Throws the `UserFacingError` that stands in the way. */
export async function requireAvailable(options: AvailabilityOptions, machine: Machine): Promise<void> {
  const { pods, version } = options;
  const { env, platform, arch, isRoot, capabilities } = machine;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
    throw new UserFacingError(
      `Kubernetes runs here on Linux on x64 or arm64 only, and this is ${platform} on ${arch}.`,
    );
  }
  if (pods) {
    if (!isRoot) throw new UserFacingError('Running pods needs root: namespaces, mounts and control groups are made.');
    const lacking = Object.entries(neededCapabilities).flatMap(([name, bit]) =>
      capabilities & (1n << bit) ? [] : [name],
    );
    if (lacking.length > 0)
      throw new UserFacingError(`Running pods needs a root with ${lacking.join(', ')}, and this one has not.`);
    requireTools(['unshare', 'nsenter', 'mount', 'ldd'], env);
    const missing = missingPackageTools(env);
    if (missing) throw new UserFacingError(missing);
  }
  requireTools(['sh', 'flock'], env);
  const found = await locatePrograms(programsFor(options), version, env);
  const [first, ...rest] = found.filter(({ source }) => source === 'to be built');
  if (first)
    requireGo(
      [first, ...rest].map(({ program }) => program),
      first.version,
      env,
    );
}

export function programsFor({
  pods,
  controllers,
}: Pick<AvailabilityOptions, 'pods' | 'controllers'>): readonly Program[] {
  return [...apiPrograms, ...(controllers === false ? [] : controllerPrograms), ...(pods ? nodePrograms : [])];
}

function requireTools(tools: readonly string[], env: Environment): void {
  const missing = tools.filter((tool) => !findOnPath(tool, systemPath(env)));
  if (missing.length > 0) throw new UserFacingError(`${missing.join(', ')} cannot be found on this machine.`);
}
