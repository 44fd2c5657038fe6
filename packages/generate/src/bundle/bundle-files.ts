/**
 * `bundleFiles`: an operator for OLM, from the same declarations as `config/` and the words of its project.
 *
 * Promises: the same values give the same bytes; nothing is read, nothing is written.
 */
import type { Operator } from '@keelson/core';
import { bundleFile, type GeneratedFile } from '../generated-file.ts';
import type { Installation } from '../installation.ts';
import { managerBudget } from '../manager.ts';
import { metricsService } from '../monitoring.ts';
import { metricsReader } from '../operator-roles.ts';
import { settingsMap } from '../settings-file.ts';
import { userRoles } from '../user-roles.ts';
import { printYaml } from '../yaml.ts';
import { type Bundle, type BundleOptions, bundleOf } from './bundle.ts';
import { clusterServiceVersion } from './cluster-service-version.ts';
import { bundleKeys } from './vocabulary.ts';

/** An object of a bundle, and what its file is called. */
export interface BundleManifest {
  readonly file: string;
  readonly object: object;
}

/**
 * The files of a bundle, below the operator's folder, in the order of their paths. A choice that cannot be throws a
 * RangeError.
 *
 * @example
 * const files = bundleFiles(memcachedOperator, { version: '1.0.0', words, samples });
 */
export function bundleFiles(operator: Operator, options: BundleOptions): readonly GeneratedFile[] {
  const bundle = bundleOf(operator, options);
  const { manifests, warnings } = manifestsOf(bundle);
  const files = manifests.map(({ file, object }) => bundleFile(`bundle/manifests/${file}`, printYaml(object)));
  const annotations = bundleAnnotations(bundle);
  return [
    ...files.map((each) =>
      each.path.endsWith('.clusterserviceversion.yaml') && warnings.length > 0
        ? { ...each, warning: warnings.join('; ') }
        : each,
    ),
    bundleFile('bundle/metadata/annotations.yaml', printYaml({ annotations })),
    bundleFile('bundle/Dockerfile', dockerfile(annotations)),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What OLM installs, the ClusterServiceVersion first, and what it cannot be told. */
export function manifestsOf(bundle: Bundle): {
  readonly manifests: readonly BundleManifest[];
  readonly warnings: readonly string[];
} {
  const { installation } = bundle;
  const { csv, warnings } = clusterServiceVersion(bundle);
  const manifests = [
    { file: `${installation.name}.clusterserviceversion.yaml`, object: csv },
    ...installation.definitions.map(({ kind, crd }) => ({ file: `${kind.group}_${kind.resource}.yaml`, object: crd })),
    ...userRoles(installation).map(({ path, role }) => ({ file: path, object: role })),
    ...beside(installation).map(([file, object]) => ({ file, object: withoutNamespace(object) })),
  ];
  return { manifests, warnings };
}

/** What is installed beside the Deployment, its rights and its webhooks. */
function beside(installation: Installation): readonly (readonly [string, object])[] {
  const all: readonly (readonly [string, object | undefined])[] = [
    ['metrics_service.yaml', metricsService(installation)],
    ['metrics_reader_role.yaml', installation.operator.secureMetrics ? metricsReader(installation) : undefined],
    ['pod_disruption_budget.yaml', managerBudget(installation)],
    ['settings.yaml', settingsMap(installation)],
  ];
  return all.flatMap(([file, object]) => (object === undefined ? [] : [[file, object]]));
}

/** OLM puts them where it installs the operator. */
function withoutNamespace(object: object & { readonly metadata?: object }): object {
  return { ...object, metadata: { ...object.metadata, namespace: undefined } };
}

/** What metadata/annotations.yaml says, and the labels of the image. */
function bundleAnnotations({ installation, channels, defaultChannel }: Bundle): Readonly<Record<string, string>> {
  return {
    [bundleKeys.mediaType]: 'registry+v1',
    [bundleKeys.manifests]: 'manifests/',
    [bundleKeys.metadata]: 'metadata/',
    [bundleKeys.package]: installation.name,
    [bundleKeys.channels]: channels.join(','),
    [bundleKeys.defaultChannel]: defaultChannel,
  };
}

const dockerfile = (annotations: Readonly<Record<string, string>>): string => `# docker build --tag IMAGE bundle
FROM scratch
${Object.entries(annotations)
  .map(([key, value]) => `LABEL ${key}=${value}\n`)
  .join('')}COPY manifests /manifests/
COPY metadata /metadata/
`;
