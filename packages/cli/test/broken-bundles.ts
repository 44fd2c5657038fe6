/**
 * Bundles with one thing wrong each, what `keelson scorecard` says of them, and what the validators of the Operator
 * Framework say. One table for both, so that the two cannot drift apart.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operator } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { bundleFiles } from '@keelson/generate/bundle';
import { conditions, defineKind } from '@keelson/schema';
import { parse } from 'yaml';
import { z } from 'zod';

// biome-ignore lint/suspicious/noExplicitAny: manifests are broken here and there
type Loose = any;

/** A bundle before it is written: objects by their file. */
export interface LooseBundle {
  readonly manifests: Record<string, Loose>;
  annotations: Loose;
}

const Site = defineKind({
  group: 'web.example.com',
  kind: 'Site',
  description: 'Site is a site.',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ host: z.string() }),
      status: z.object({ conditions: conditions('Ready') }),
    },
  },
});

const csvFile = 'site-operator.clusterserviceversion.yaml';
const crdFile = 'web.example.com_sites.yaml';

/** One with nothing wrong. */
export function wholeBundle(): LooseBundle {
  const files = bundleFiles(operator({ name: 'site-operator', controllers: [{ for: Site, owns: [Deployment] }] }), {
    version: '1.0.0',
    words: {
      displayName: 'Sites',
      description: 'Runs sites.',
      provider: { name: 'Example' },
      maintainers: [{ name: 'Ada', email: 'ada@example.com' }],
      links: [{ name: 'More', url: 'https://example.com' }],
      categories: ['Database'],
    },
    icon: { base64: 'UE5H', mediaType: 'image/png' },
    samples: [{ apiVersion: 'web.example.com/v1', kind: 'Site', metadata: { name: 'a' }, spec: { host: 'a' } }],
  });
  const at = (folder: string) =>
    files
      .filter(({ path }) => path.startsWith(folder))
      .map(({ path, text }) => [path.slice(folder.length), parse(text)]);
  return { manifests: Object.fromEntries(at('bundle/manifests/')), annotations: at('bundle/metadata/')[0]?.[1] };
}

/** Writes it as validators read it. */
export async function writeBundle(folder: string, { manifests, annotations }: LooseBundle): Promise<void> {
  await mkdir(join(folder, 'manifests'), { recursive: true });
  await mkdir(join(folder, 'metadata'), { recursive: true });
  for (const [file, object] of Object.entries(manifests)) {
    await writeFile(join(folder, 'manifests', file), JSON.stringify(object));
  }
  await writeFile(join(folder, 'metadata', 'annotations.yaml'), JSON.stringify(annotations));
}

/** A finding of ours, and the words by which theirs is known. */
type Expected = readonly [level: 'error' | 'warning', rule: string, theirs: RegExp];

export interface BrokenBundle {
  readonly what: string;
  readonly breaks: (csv: Loose, bundle: LooseBundle) => void;
  readonly findings: readonly Expected[];
}

const broken = (what: string, breaks: BrokenBundle['breaks'], ...findings: readonly Expected[]): BrokenBundle => ({
  what,
  breaks,
  findings,
});

export const brokenBundles: readonly BrokenBundle[] = [
  broken('no provider', ({ spec }) => void delete spec.provider, ['error', 'provider', /Provider\.Name not specified/]),
  broken('no version', ({ spec }) => void delete spec.version, ['error', 'version', /Spec\.Version must be set/]),
  broken('no display name', ({ spec }) => void delete spec.displayName, [
    'error',
    'required',
    /required field missing/,
  ]),
  broken(
    'a maintainer without an address',
    ({ spec }) => {
      spec.maintainers = [{ name: 'Ada' }];
    },
    ['error', 'maintainer', /should contain both name and email/],
  ),
  broken(
    'a maintainer whose address is none',
    ({ spec }) => {
      spec.maintainers[0].email = 'ada';
    },
    ['error', 'maintainer-email', /Maintainers email ada is invalid/],
  ),
  broken(
    'a link without an address',
    ({ spec }) => {
      spec.links = [{ name: 'More' }];
    },
    ['error', 'link', /both name and url/],
  ),
  broken(
    'a link that leads nowhere',
    ({ spec }) => {
      spec.links[0].url = 'more';
    },
    ['error', 'link-url', /Links url more is invalid/],
  ),
  broken('no icon', ({ spec }) => void delete spec.icon, ['warning', 'icon', /Icon not specified/]),
  broken(
    'an icon of an odd type',
    ({ spec }) => {
      spec.icon[0].mediatype = 'image/bmp';
    },
    ['error', 'icon-type', /valid mediatype/],
  ),
  broken('half an icon', ({ spec }) => void delete spec.icon[0].base64data, [
    'error',
    'icon-parts',
    /both data and mediatype/,
  ]),
  broken(
    'a category of its own',
    ({ metadata }) => {
      metadata.annotations.categories = 'Database, Caches';
    },
    ['error', 'category', /"?Caches"? is not in the set of standard categories/],
  ),
  broken(
    'a level of its own',
    ({ metadata }) => {
      metadata.annotations.capabilities = 'Some';
    },
    ['error', 'capabilities', /not a valid capabilities level/],
  ),
  broken(
    'a name with a capital',
    ({ metadata }) => {
      metadata.name = 'Site.v1.0.0';
    },
    ['error', 'csv-name', /metadata\.name "Site\.v1\.0\.0" is invalid/],
  ),
  broken(
    'a name without a version',
    ({ metadata }) => {
      metadata.name = 'site-operator';
    },
    ['warning', 'csv-name-version', /not following the versioning convention/],
    ['warning', 'csv-name-form', /recommended naming convention/],
  ),
  broken(
    'a replaced name that cannot be',
    ({ spec }) => {
      spec.replaces = 'a_b';
    },
    ['error', 'csv-replaces', /spec\.replaces "a_b" is invalid/],
  ),
  broken(
    'an annotation in the wrong case',
    ({ metadata }) => {
      metadata.annotations['olm.skiprange'] = '<1.0.0';
    },
    ['error', 'annotation-case', /uses wrong case and should be olm\.skipRange/],
  ),
  broken('no examples', ({ metadata }) => void delete metadata.annotations['alm-examples'], [
    'warning',
    'examples',
    /example annotations not found/,
  ]),
  broken(
    'examples that are no JSON',
    ({ metadata }) => {
      metadata.annotations['alm-examples'] = '[{';
    },
    ['error', 'examples-json', /invalid example/],
  ),
  broken(
    'an example of a kind that it does not own',
    ({ metadata }) => {
      metadata.annotations['alm-examples'] = '[{"apiVersion":"v1","kind":"Pod","spec":{}}]';
    },
    ['error', 'example-unknown', /example must have a provided API/],
    ['warning', 'example-missing', /provided API should have an example annotation/],
  ),
  broken('no install modes', ({ spec }) => void delete spec.installModes, [
    'error',
    'install-modes',
    /install modes not found/,
  ]),
  broken(
    'no install mode that works',
    ({ spec }) => {
      spec.installModes = [{ type: 'AllNamespaces', supported: false }];
    },
    ['error', 'install-modes-none', /none of InstallModeTypes are supported/],
  ),
  broken(
    'conversion in single namespaces',
    ({ spec }) => {
      spec.webhookdefinitions = [
        {
          type: 'ConversionWebhook',
          generateName: 'a',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          conversionCRDs: ['sites.web.example.com'],
        },
      ];
    },
    ['error', 'install-modes-conversion', /only AllNamespaces InstallModeType is supported/],
  ),
  broken('no oldest Kubernetes', ({ spec }) => void delete spec.minKubeVersion, [
    'warning',
    'min-kube-version',
    /minKubeVersion is not informed/,
  ]),
  broken(
    'an oldest Kubernetes that is none',
    ({ spec }) => {
      spec.minKubeVersion = 'v1.29';
    },
    ['error', 'min-kube-version', /MinKubeVersion has an invalid value/],
  ),
  broken('a kind without its definition', (_, { manifests }) => void delete manifests[crdFile], [
    'error',
    'definition-missing',
    /owned CRD .* not found in bundle/,
  ]),
  broken(
    'a definition that nobody owns',
    ({ spec, metadata }) => {
      spec.customresourcedefinitions = {};
      metadata.annotations['alm-examples'] = '[]';
    },
    ['error', 'definition-unowned', /present in bundle .* but not defined in CSV/],
  ),
  broken(
    'a definition that is there twice',
    (_, { manifests }) => {
      manifests['again.yaml'] = manifests[crdFile];
    },
    ['error', 'definition-twice', /duplicate CRD/],
  ),
  broken(
    'the account that OLM makes',
    (_, { manifests }) => {
      manifests['account.yaml'] = {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'site-operator' },
      };
    },
    ['error', 'account', /invalid service account found in bundle/],
  ),
  broken(
    'a container that requests nothing',
    ({ spec }) => void delete spec.install.spec.deployments[0].spec.template.spec.containers[0].resources,
    ['warning', 'requests', /unable to find the resource requests/],
  ),
  broken(
    'a kind without a description',
    ({ spec }) => void delete spec.customresourcedefinitions.owned[0].description,
    ['warning', 'description', /has an empty description/],
  ),
  broken(
    'a channel with a name of its own',
    (_, { annotations }) => {
      annotations.annotations['operators.operatorframework.io.bundle.channels.v1'] = 'stable,mine';
    },
    ['warning', 'channel', /\["mine"\] are not following the recommended naming/],
  ),
  broken(
    'the right to change definitions',
    ({ spec }) =>
      spec.install.spec.permissions[0].rules.push({
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['get', 'patch'],
      }),
    ['warning', 'definitions-right', /permissions to create CRD/],
  ),
  broken(
    'several things at once',
    ({ metadata, spec }, { manifests }) => {
      metadata.annotations.capabilities = 'Some';
      delete spec.provider;
      delete spec.icon;
      delete manifests[crdFile];
    },
    ['error', 'definition-missing', /not found in bundle/],
    ['error', 'provider', /Provider\.Name/],
    ['warning', 'icon', /Icon not specified/],
    ['error', 'capabilities', /valid capabilities level/],
  ),
];

/** The bundle of a case. */
export function breakBundle({ breaks }: BrokenBundle): LooseBundle {
  const bundle = wholeBundle();
  breaks(bundle.manifests[csvFile], bundle);
  return bundle;
}

export { crdFile, csvFile };
