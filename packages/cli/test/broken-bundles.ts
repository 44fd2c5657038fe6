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

/** One with nothing wrong, to be broken: each call gives another one. */
export function wholeBundle(): LooseBundle {
  made ??= makeBundle();
  return structuredClone(made);
}

let made: LooseBundle | undefined;

function makeBundle(): LooseBundle {
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
  if (annotations === undefined) return;
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

const budgetOf = (apiVersion: string) => ({ apiVersion, kind: 'PodDisruptionBudget', metadata: { name: 'site' } });

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
    'a version that is none',
    ({ spec }) => {
      spec.version = '1.x';
    },
    ['error', 'version', /unable to parse CSV .*Invalid character/],
  ),
  broken('no apiVersion', (csv) => void delete csv.apiVersion, ['error', 'required', /'apiVersion' is missing/]),
  broken('no annotations', ({ metadata }) => void delete metadata.annotations, [
    'warning',
    'examples',
    /annotations not found/,
  ]),
  broken('no way to install it', ({ spec }) => void delete spec.install.strategy, [
    'error',
    'required',
    /StrategyName.*required field missing/,
  ]),
  broken(
    'nothing to install',
    ({ spec }) => void delete spec.install.spec.deployments,
    ['error', 'required', /DeploymentSpecs.*required field missing/],
    ['error', 'deployment', /unable to find a deployment to install/],
  ),
  broken(
    'no spec',
    (csv, { manifests }) => {
      delete csv.spec;
      delete manifests[crdFile];
      csv.metadata.annotations['alm-examples'] = '[]';
    },
    ['error', 'required', /Field Spec, .*required field missing/],
    ['error', 'required', /Field Spec, .*required field missing/],
    ['warning', 'min-kube-version', /minKubeVersion is not informed/],
    ['error', 'install-modes', /install modes not found/],
    ['error', 'version', /Spec\.Version must be set/],
    ['error', 'provider', /Provider\.Name/],
    ['warning', 'icon', /Icon not specified/],
    ['error', 'deployment', /unable to find a deployment to install/],
  ),
  broken(
    'an address with two dots',
    ({ spec }) => {
      spec.maintainers[0].email = 'a..b@example.com';
    },
    ['error', 'maintainer-email', /email a\.\.b@example\.com is invalid/],
  ),
  broken('two icons', ({ spec }) => spec.icon.push(spec.icon[0]), [
    'error',
    'icon-one',
    /should only have one element/,
  ]),
  broken(
    'a name that has a version twice',
    ({ metadata }) => {
      metadata.name = 'site.v1.v1.0.0';
    },
    ['warning', 'csv-name-form', /recommended naming convention/],
  ),
  broken(
    'a name with a version that is none',
    ({ metadata }) => {
      metadata.name = 'site.v01.0.0';
    },
    ['warning', 'csv-name-version', /not following the versioning convention/],
  ),
  broken(
    'a name that does not tell its release',
    ({ spec }) => {
      spec.release = '1';
    },
    ['error', 'csv-name-release', /does not match expected name "site-operator-v1\.0\.0-1"/],
  ),
  broken(
    'every annotation in the wrong case',
    ({ metadata: { annotations } }) => {
      for (const key of ['operatorgroup', 'operatornamespace', 'targetnamespaces', 'providedapis']) {
        annotations[`olm.${key}`] = 'a';
      }
    },
    ['error', 'annotation-case', /should be olm\.operatorGroup/],
    ['error', 'annotation-case', /should be olm\.operatorNamespace/],
    ['error', 'annotation-case', /should be olm\.targetNamespaces/],
    ['error', 'annotation-case', /should be olm\.providedAPIs/],
  ),
  broken(
    'properties in an annotation',
    ({ metadata }) => {
      metadata.annotations['olm.properties'] = '[]';
    },
    ['warning', 'olm-properties', /found olm\.properties annotation/],
  ),
  broken(
    'examples that are no list',
    ({ metadata }) => {
      metadata.annotations['alm-examples'] = '{}';
    },
    ['error', 'examples-json', /error decoding example/],
  ),
  broken(
    'examples in two places',
    ({ metadata: { annotations } }) => {
      annotations['olm.examples'] = annotations['alm-examples'];
    },
    ['warning', 'examples-twice', /both `alm-examples` and `olm\.examples` are present/],
  ),
  broken(
    'a service of its own without an example',
    ({ spec }) => {
      const service = { group: 'a.example.com', version: 'v1', kind: 'A', deploymentName: 'site-operator' };
      spec.apiservicedefinitions = { owned: [{ name: 'v1.a.example.com', ...service }] };
    },
    ['warning', 'example-missing', /a\.example\.com\/v1, Kind=A: provided API should have an example/],
  ),
  broken(
    'an owned kind without its group',
    ({ spec }) => {
      spec.customresourcedefinitions.owned[0].name = 'sites';
    },
    ['error', 'example-unknown', /example must have a provided API/],
    ['error', 'owned-name', /couldn't parse plural\.group from crd name: sites/],
    ['error', 'definition-missing', /owned CRD .* not found in bundle/],
    ['error', 'definition-unowned', /present in bundle .* but not defined in CSV/],
  ),
  broken(
    'a required kind without a description',
    ({ spec }) => {
      spec.customresourcedefinitions.required = [{ name: 'as.example.com', version: 'v1', kind: 'A' }];
    },
    ['warning', 'description', /required CRD "as\.example\.com" has an empty description/],
  ),
  broken(
    'related images that cannot be',
    ({ spec }) => {
      spec.relatedImages = ['', 'Site:1', 'example.com:5000/a/site_b:1'].map((image) => ({ name: 'a', image }));
    },
    ['error', 'related-image', /relatedImages\[0\] has an empty image field/],
    ['error', 'related-image', /relatedImages\[1\] has an invalid image pullspec "Site:1"/],
  ),
  broken(
    'a definition with another name',
    (_, { manifests }) => {
      manifests[crdFile].spec.names.plural = 'others';
    },
    ['error', 'definition', /must be spec\.names\.plural\+"\."\+spec\.group/],
  ),
  broken('a definition that is for nothing', (_, { manifests }) => void delete manifests[crdFile].spec.scope, [
    'error',
    'definition',
    /spec\.scope: Required value/,
  ]),
  broken(
    'a definition of which nothing is stored',
    (_, { manifests }) => {
      manifests[crdFile].spec.versions[0].storage = false;
    },
    ['error', 'definition', /must have exactly one version marked as storage version/],
  ),
  broken(
    'a definition that is converted by nobody',
    (_, { manifests }) => {
      manifests[crdFile].spec.conversion = { strategy: 'Webhook' };
    },
    ['error', 'definition', /webhookClientConfig: Required value/],
    ['error', 'definition', /conversionReviewVersions: Required value/],
  ),
  broken(
    'a definition with an odd column',
    (_, { manifests }) => {
      manifests[crdFile].spec.versions[0].additionalPrinterColumns = [{ name: 'a', type: 'b', jsonPath: 'c' }];
    },
    ['error', 'definition', /must be one of boolean,date/],
    ['error', 'definition', /must be a simple json path/],
  ),
  broken(
    'a budget of a version that is gone',
    (_, { manifests }) => {
      manifests['budget.yaml'] = budgetOf('policy/v1beta1');
    },
    ['error', 'removed-api', /removed in v1\.25\. .*PodDisruptionBudget/],
  ),
  broken(
    'a budget of a version that goes',
    ({ spec }, { manifests }) => {
      spec.minKubeVersion = '1.24.0';
      manifests['budget.yaml'] = budgetOf('policy/v1beta1');
    },
    ['warning', 'removed-api', /removed in v1\.25\. .*PodDisruptionBudget/],
  ),
  broken(
    'a role of a version that is gone',
    (_, { manifests }) => {
      const kind = { apiVersion: 'rbac.authorization.k8s.io/v1beta1', kind: 'ClusterRole' };
      manifests['role.yaml'] = { ...kind, metadata: { name: 'site' } };
    },
    ['error', 'removed-api', /removed in v1\.22\. .*ClusterRole/],
  ),
  broken(
    'a kind that makes what is gone',
    ({ spec }) =>
      spec.customresourcedefinitions.owned[0].resources.push({ kind: 'CronJob', version: 'batch/v1beta1', name: '' }),
    ['error', 'removed-api', /removed in v1\.25\. .*CronJob/],
  ),
  broken(
    'a right to what is gone',
    ({ spec }) =>
      spec.install.spec.permissions[0].rules.push({
        apiGroups: ['policy'],
        resources: ['podsecuritypolicies'],
        verbs: ['use'],
      }),
    ['warning', 'removed-right', /removed in v1\.25\. .*podsecuritypolicies/],
  ),
  broken(
    'two versions',
    (csv, { manifests }) => {
      manifests['again.yaml'] = csv;
    },
    ['error', 'csv-twice', /contains multiple CSVs/],
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

export { csvFile };

/** What the validators alone do not look at: the layout, and what Operator SDK's scorecard asks in pods. */
export interface OtherBundle {
  readonly what: string;
  readonly breaks: (bundle: LooseBundle) => void;
  /** Ours: level and rule. */
  readonly findings: readonly string[];
  /** The checks of Operator SDK that fail; `all` where it cannot read the bundle. */
  readonly sdk: readonly string[] | 'all';
}

const other = (
  what: string,
  breaks: OtherBundle['breaks'],
  findings: readonly string[],
  sdk: OtherBundle['sdk'],
): OtherBundle => ({ what, breaks, findings, sdk });

const owned = ({ manifests }: LooseBundle): Loose => manifests[csvFile].spec.customresourcedefinitions.owned[0];

function changeExample({ manifests }: LooseBundle, change: (example: Loose) => Loose): void {
  const { annotations } = manifests[csvFile].metadata;
  const [first] = JSON.parse(annotations['alm-examples']);
  annotations['alm-examples'] = JSON.stringify([change(first)]);
}

const layout = ['bundle validate', 'olm-bundle-validation'];

export const otherBundles: readonly OtherBundle[] = [
  other('nothing at all', ({ manifests }) => void delete manifests[csvFile], ['error csv-missing'], 'all'),
  other(
    'a text',
    ({ manifests }) => {
      manifests['b.yaml'] = 'hello';
    },
    ['error no-object'],
    'all',
  ),
  other(
    'a kind that OLM does not install',
    ({ manifests }) => {
      manifests['b.yaml'] = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    },
    ['error kind'],
    ['bundle validate'],
  ),
  other(
    'no annotations of the bundle',
    (bundle) => {
      bundle.annotations = undefined;
    },
    ['error annotations'],
    'all',
  ),
  other(
    'no package',
    ({ annotations }) => void delete annotations.annotations['operators.operatorframework.io.bundle.package.v1'],
    ['error annotations'],
    layout,
  ),
  other(
    'no channels',
    ({ annotations }) => void delete annotations.annotations['operators.operatorframework.io.bundle.channels.v1'],
    ['error annotations'],
    layout,
  ),
  other(
    'another form',
    ({ annotations }) => {
      annotations.annotations['operators.operatorframework.io.bundle.mediatype.v1'] = 'helm';
    },
    ['error annotations'],
    layout,
  ),
  // They only suggest it. An API server refuses such a definition.
  other('no schema', ({ manifests }) => void delete manifests[crdFile].spec.versions[0].schema, ['error schema'], []),
  other(
    'no status',
    ({ manifests }) => void delete manifests[crdFile].spec.versions[0].subresources,
    ['warning status'],
    [],
  ),
  other(
    'an example with a field that the schema lacks',
    (bundle) => changeExample(bundle, (each) => ({ ...each, spec: { hots: 'a' } })),
    ['error field', 'error descriptor'],
    ['olm-crds-have-validation', 'olm-spec-descriptors'],
  ),
  other(
    'an example with a status that the schema lacks',
    (bundle) => changeExample(bundle, (each) => ({ ...each, status: { phase: 'Running' } })),
    ['error field'],
    ['olm-crds-have-validation'],
  ),
  other(
    'an example with a status, and no descriptors of it',
    (bundle) => {
      changeExample(bundle, (each) => ({ ...each, status: { conditions: [] } }));
      delete owned(bundle).statusDescriptors;
    },
    ['error descriptor', 'error descriptor'],
    ['olm-status-descriptors'],
  ),
  other(
    'an example without a spec',
    (bundle) => changeExample(bundle, ({ spec: _, ...each }) => each),
    ['error spec'],
    ['olm-spec-descriptors'],
  ),
  other(
    'no resources',
    (bundle) => void delete owned(bundle).resources,
    ['error resources'],
    ['olm-crds-have-resources'],
  ),
  other(
    'no descriptors of the spec',
    (bundle) => void delete owned(bundle).specDescriptors,
    ['error descriptor'],
    ['olm-spec-descriptors'],
  ),
  other(
    'no descriptor of one field of the status',
    (bundle) => void owned(bundle).statusDescriptors.pop(),
    ['warning descriptor'],
    [],
  ),
  other(
    'a definition in a version that is gone',
    ({ manifests }) => {
      manifests[crdFile].apiVersion = 'apiextensions.k8s.io/v1beta1';
    },
    ['error removed-api'],
    layout,
  ),
  other(
    'a definition without a kind, in a group that cannot be',
    ({ manifests }) => {
      const { spec } = manifests[crdFile];
      delete spec.names.kind;
      spec.group = 'Web';
    },
    [
      'error definition',
      'error definition',
      'error definition',
      'error definition-missing',
      'error definition-unowned',
    ],
    layout,
  ),
];
