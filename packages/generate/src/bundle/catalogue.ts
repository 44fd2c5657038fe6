/**
 * A file-based catalogue: which versions of an operator there are, and from which to which is upgraded.
 *
 * Promises: versions that are in it stay; adding one twice changes nothing; a channel always has one head, the version
 * that new users get. Without an image of the bundle its manifests lie in the catalogue itself, so that none is needed.
 */
import { isObject, type JsonObject, type Operator } from '@keelson/core';
import { bundleFile, type GeneratedFile } from '../generated-file.ts';
import { printYaml } from '../yaml.ts';
import { type Bundle, type BundleOptions, bundleOf } from './bundle.ts';
import { type BundleManifest, manifestsOf } from './bundle-files.ts';

/** What is added to a catalogue. */
export interface CatalogueOptions extends BundleOptions {
  /** Where the image of the bundle is. @default its manifests lie in the catalogue */
  readonly bundleImage?: string | undefined;
}

/** A version in a channel. */
interface Entry {
  readonly name: string;
  readonly replaces?: string | undefined;
  readonly skips?: readonly string[] | undefined;
  readonly skipRange?: string | undefined;
}

/**
 * The catalogue of an operator, `<operator>/catalog.yaml`, with this version added to what was in it. A channel that
 * would have two heads throws a RangeError.
 */
export function catalogueFile(
  operator: Operator,
  options: CatalogueOptions,
  before: readonly unknown[] = [],
): GeneratedFile {
  const bundle = bundleOf(operator, options);
  const { name } = bundle;
  const known = before.filter(isObject);
  const bundles = known.filter((each) => each.schema === 'olm.bundle' && each.name !== name);
  const channels = known.filter((each) => each.schema === 'olm.channel');
  const others = channels.filter((each) => !bundle.channels.includes(String(each.name)));
  const added = bundle.channels.map((channel) =>
    withEntry(
      bundle,
      channel,
      channels.find((each) => each.name === channel),
    ),
  );
  const chosen = options.defaultChannel ?? options.words.defaultChannel;
  const former = known.find((each) => each.schema === 'olm.package')?.defaultChannel;
  // A version for a channel beside it does not change what new users get.
  const defaultChannel = chosen === undefined && typeof former === 'string' ? former : bundle.defaultChannel;
  const documents = [
    packageOf(bundle, defaultChannel),
    ...[...others, ...added].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
    ...bundles,
    bundleEntry(bundle, options.bundleImage),
  ];
  return bundleFile(`${operator.name}/catalog.yaml`, documents.map(printYaml).join('---\n'));
}

function packageOf({ installation, words, icon }: Bundle, defaultChannel: string): JsonObject {
  return {
    schema: 'olm.package',
    name: installation.name,
    defaultChannel,
    description: words.description,
    ...(icon && { icon: { base64data: icon.base64, mediatype: icon.mediaType } }),
  };
}

function withEntry(bundle: Bundle, channel: string, before: JsonObject | undefined): JsonObject {
  const { installation, words, name, replaces, skips } = bundle;
  const kept = (Array.isArray(before?.entries) ? before.entries : []) as readonly Entry[];
  const { skipRange } = words;
  const entry: Entry = {
    name,
    ...(replaces !== undefined && { replaces }),
    ...(skips.length > 0 && { skips }),
    ...(skipRange !== undefined && { skipRange }),
  };
  const entries = [...kept.filter((each) => each.name !== name), entry];
  const passed = new Set(entries.flatMap((each) => [each.replaces ?? '', ...(each.skips ?? [])]));
  const heads = entries.filter((each) => !passed.has(each.name)).map((each) => each.name);
  if (heads.length !== 1) {
    const others = heads.filter((head) => head !== name);
    throw new RangeError(
      `${installation.name}: the channel ${channel} would have ${heads.length} heads (${heads.join(', ')}); ${others.length === 0 ? 'replace a version that nothing else replaces' : `let this version replace or skip ${others.join(', ')}`}`,
    );
  }
  return { schema: 'olm.channel', package: installation.name, name: channel, entries };
}

function bundleEntry(bundle: Bundle, image: string | undefined): JsonObject {
  const { installation, name, version } = bundle;
  const { name: packageName } = installation;
  const { manifests } = manifestsOf(bundle);
  const kinds = installation.definitions.flatMap(({ kind, crd }) =>
    crd.spec.versions
      .filter(({ served }) => served)
      .map((each) => ({ group: kind.group, kind: kind.kind, version: each.name })),
  );
  const properties = [
    ...kinds.map((value) => ({ type: 'olm.gvk', value })),
    { type: 'olm.package', value: { packageName, version } },
  ];
  if (image === undefined) {
    const objects = manifests.map((each) => ({ type: 'olm.bundle.object', value: { data: encoded(each) } }));
    return { schema: 'olm.bundle', package: packageName, name, properties: [...properties, ...objects] };
  }
  const metadata = { type: 'olm.csv.metadata', value: shownOf(manifests) };
  const relatedImages = [
    { name: 'bundle', image },
    { name: 'manager', image: installation.image },
  ];
  return {
    schema: 'olm.bundle',
    package: packageName,
    name,
    image,
    properties: [...properties, metadata],
    relatedImages,
  };
}

const encoded = ({ object }: BundleManifest): string => Buffer.from(JSON.stringify(object)).toString('base64');

/** What a catalogue shows of a version before its image is pulled. */
function shownOf(manifests: readonly BundleManifest[]): JsonObject {
  const csv = manifests[0]?.object as { readonly metadata: JsonObject; readonly spec: JsonObject };
  const { displayName, description, installModes, keywords, links, maintainers, maturity, minKubeVersion, provider } =
    csv.spec;
  const shown = {
    displayName,
    description,
    installModes,
    keywords,
    links,
    maintainers,
    maturity,
    minKubeVersion,
    provider,
  };
  return {
    annotations: csv.metadata.annotations,
    apiServiceDefinitions: {},
    crdDescriptions: csv.spec.customresourcedefinitions,
    ...Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined)),
  };
}
