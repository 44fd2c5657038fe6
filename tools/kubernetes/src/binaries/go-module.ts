/**
 * The Go module from which Kubernetes is built: it requires k8s.io/kubernetes at one version.
 *
 * Its staging modules (k8s.io/api and the like) are folders in its own repository: its go.mod requires them at
 * v0.0.0 and replaces them by paths. Replacements of a dependency do not count, so ours name what is published.
 */

import { goPackage, type Program } from './programs.ts';
import type { KubernetesVersion } from './versions.ts';

/** The go.mod before `go mod tidy`, made from the go.mod that k8s.io/kubernetes has at that version. */
export function goModule(kubernetesGoMod: string, version: KubernetesVersion, programs: readonly Program[]): string {
  const [, go] = /^go (\S+)$/m.exec(kubernetesGoMod) ?? [];
  return [
    'module keelson.example/kubernetes',
    ...(go ? [`go ${go}`] : []),
    block('tool', programs.map(goPackage)),
    `require k8s.io/kubernetes ${version.text}`,
    block(
      'replace',
      stagingModules(kubernetesGoMod).map((module) => `${module} => ${module} ${version.staging}`),
    ),
    '',
  ].join('\n\n');
}

export function stagingModules(kubernetesGoMod: string): string[] {
  return [...kubernetesGoMod.matchAll(/^\s*(?:require\s+)?(k8s\.io\/\S+) v0\.0\.0$/gm)].flatMap(
    ([, name]) => name ?? [],
  );
}

function block(directive: string, lines: readonly string[]): string {
  return `${directive} (\n${lines.map((line) => `\t${line}\n`).join('')})`;
}
