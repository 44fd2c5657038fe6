/**
 * The one place where versions are pinned. The modules below go/ are generated for these; a test
 * fails when they disagree.
 */
import { UserFacingError } from '../machine/user-facing-error.ts';

export const kubernetesVersion = 'v1.36.4';
export const etcdVersion = 'v3.6.16';
export const craneVersion = 'v0.22.1';
export const helmVersion = 'v3.22.0';
/** Of the module whose parser reads PromQL. */
export const prometheusVersion = 'v0.313.5';
export const olmVersion = 'v0.42.0';
export const operatorSdkVersion = 'v1.42.2';
/** Of the module with OLM's types and validators. */
export const operatorFrameworkVersion = 'v0.45.0';

export interface KubernetesVersion {
  readonly text: string;
  readonly major: string;
  readonly minor: string;
  /** Staging modules (k8s.io/api and the like) are published as v0.minor.patch. */
  readonly staging: string;
}

/** Accepts `v1.36.4` and `1.36.4`, and pre-releases such as `v1.37.0-rc.1`. */
export function parseKubernetesVersion(version: string): KubernetesVersion {
  const match = /^v?1\.(\d+)\.(\d+(?:-(?:alpha|beta|rc)\.\d+)?)$/.exec(version);
  const [, minor, patch] = match ?? [];
  if (minor === undefined || patch === undefined) {
    throw new UserFacingError(`"${version}" is not a version of Kubernetes; write it like ${kubernetesVersion}.`);
  }
  return { text: `v1.${minor}.${patch}`, major: '1', minor, staging: `v0.${minor}.${patch}` };
}
