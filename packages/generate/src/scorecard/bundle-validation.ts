/** What OLM asks of any bundle: its layout, its ClusterServiceVersion, and that both fit the definitions beside them. */
import { isObject } from '@keelson/core';
import { labelValueProblems, subdomainProblems } from '@keelson/schema/validation';
import { bundledKinds, bundleKeys, imageReference, semanticVersion } from '../bundle/vocabulary.ts';
import { soundDefinitions } from './definitions.ts';
import {
  annotationsOf,
  at,
  type Contents,
  error,
  gvk,
  objectsAt,
  ownedIn,
  type ScorecardFinding,
  textAt,
  warning,
} from './finding.ts';

const mostBytes = 2 ** 20;

/** The findings, those of the layout first. */
export function bundleValidation(contents: Contents): readonly ScorecardFinding[] {
  if (contents.csvs === 0) {
    return [
      ...layout(contents),
      error('csv-missing', 'there is no ClusterServiceVersion', '"keelson bundle" writes one'),
    ];
  }
  return [
    ...layout(contents),
    ...names(contents),
    ...required(contents),
    ...examples(contents),
    ...installModes(contents),
    ...soundDefinitions(contents),
    ...ownedDefinitions(contents),
    ...accounts(contents),
    ...relatedImages(contents),
  ];
}

function layout({ manifests, annotations, keys, csvs, packedBytes }: Contents): readonly ScorecardFinding[] {
  const found: ScorecardFinding[] = [];
  for (const { file, object } of manifests) {
    const kind = textAt(object, 'kind');
    if (!isObject(object))
      found.push(error('no-object', `${file} holds no Kubernetes object`, 'take it out of manifests/'));
    else if (!bundledKinds.includes(kind)) {
      found.push(
        error(
          'kind',
          `${file} is a ${kind || 'nameless kind'}, which OLM does not install`,
          'take it out, or let the operator make it',
        ),
      );
    }
  }
  if (csvs > 1) found.push(error('csv-twice', `there are ${csvs} ClusterServiceVersions`, 'leave one in manifests/'));
  if (annotations === undefined) {
    return [...found, error('annotations', 'there is no metadata/annotations.yaml', '"keelson bundle" writes one')];
  }
  const expected: readonly (readonly [string, string | undefined])[] = [
    [bundleKeys.mediaType, 'registry+v1'],
    [bundleKeys.manifests, 'manifests/'],
    [bundleKeys.metadata, 'metadata/'],
    [bundleKeys.package, undefined],
    [bundleKeys.channels, undefined],
  ];
  for (const [key, value] of expected) {
    if (keys[key] !== undefined && keys[key] !== '' && (value === undefined || keys[key] === value)) continue;
    const next = `write ${key}: ${value ?? 'a name'}`;
    found.push(error('annotations', `metadata/annotations.yaml says ${keys[key] ?? 'nothing'} for ${key}`, next));
  }
  if (packedBytes > mostBytes) {
    found.push(
      error(
        'size',
        `the bundle has ${packedBytes} bytes when packed, more than the ${mostBytes} that OLM carries`,
        'shorten descriptions, or take files out',
      ),
    );
  } else if (packedBytes > mostBytes * 0.85) {
    found.push(
      warning(
        'size',
        `the bundle has ${packedBytes} bytes when packed, of the ${mostBytes} that OLM carries`,
        'shorten descriptions, or take files out',
      ),
    );
  }
  return found;
}

function names({ csv, keys }: Contents): readonly ScorecardFinding[] {
  const isName = (name: string) => subdomainProblems(name).length + labelValueProblems(name).length === 0;
  const found: ScorecardFinding[] = [];
  const [name, replaces] = [textAt(csv, 'metadata', 'name'), textAt(csv, 'spec', 'replaces')];
  if (!isName(name))
    found.push(
      error('csv-name', `metadata.name is "${name}"`, 'take lower-case letters, digits, "-" and ".", at most 63'),
    );
  if (replaces !== '' && !isName(replaces)) {
    found.push(
      error(
        'csv-replaces',
        `spec.replaces is "${replaces}"`,
        'name a ClusterServiceVersion, such as website-operator.v1.0.0',
      ),
    );
  }
  const release = textAt(csv, 'spec', 'release');
  const released = `${keys[bundleKeys.package] ?? ''}-v${textAt(csv, 'spec', 'version')}-${release}`;
  if (release !== '' && name !== released) {
    found.push(error('csv-name-release', `metadata.name is "${name}", with a release`, `call it ${released}`));
  }
  const known = [
    'olm.operatorGroup',
    'olm.operatorNamespace',
    'olm.targetNamespaces',
    'olm.providedAPIs',
    'olm.skipRange',
  ];
  for (const key of Object.keys(annotationsOf(csv))) {
    const right = known.find((each) => each !== key && each.toLowerCase() === key.toLowerCase());
    if (right !== undefined)
      found.push(error('annotation-case', `the annotation ${key} has no effect`, `write ${right}`));
    if (key === 'olm.properties') {
      found.push(
        warning('olm-properties', 'the annotation olm.properties is out of use', 'write metadata/properties.yaml'),
      );
    }
  }
  return found;
}

/** What a ClusterServiceVersion cannot be without. */
function required({ csv }: Contents): readonly ScorecardFinding[] {
  const found: ScorecardFinding[] = [];
  const missing = (path: readonly string[]) => {
    const name = path.join('.');
    found.push(error('required', `${name} is missing`, `write ${name}`));
  };
  for (const path of [['apiVersion'], ['spec', 'displayName'], ['spec', 'install', 'strategy']]) {
    if (textAt(csv, ...path) === '') missing(path);
  }
  const deployments = ['spec', 'install', 'spec', 'deployments'];
  if (at(csv, 'spec', 'install', 'spec') !== undefined && at(csv, ...deployments) === undefined) missing(deployments);
  const minimum = textAt(csv, 'spec', 'minKubeVersion');
  const next = 'write the oldest version of Kubernetes that it works with, such as 1.29.0';
  if (minimum === '') found.push(warning('min-kube-version', 'spec.minKubeVersion is missing', next));
  else if (!semanticVersion.test(minimum))
    found.push(error('min-kube-version', `spec.minKubeVersion is "${minimum}"`, next));
  return found;
}

function examples(contents: Contents): readonly ScorecardFinding[] {
  const { csv, examples } = contents;
  const { 'alm-examples': shownToAll, 'olm.examples': other } = annotationsOf(csv);
  if (shownToAll === undefined && other === undefined) {
    return [warning('examples', 'there are no examples', 'put samples into config/samples, and call "keelson bundle"')];
  }
  const twice =
    shownToAll === undefined || other === undefined
      ? []
      : [warning('examples-twice', 'olm.examples is not read beside alm-examples', 'leave alm-examples alone')];
  if (examples === undefined) {
    return [...twice, error('examples-json', 'the examples are no JSON list of objects', 'call "keelson bundle"')];
  }
  const shown = new Set(
    examples.map((each) => {
      const [version = '', group = ''] = textAt(each, 'apiVersion').split('/').reverse();
      return gvk(textAt(each, 'kind'), group, version);
    }),
  );
  const named = ownedIn(contents).filter(({ name }) => name.includes('.'));
  const services = objectsAt(csv, 'spec', 'apiservicedefinitions', 'owned').map((each) =>
    gvk(textAt(each, 'kind'), textAt(each, 'group'), textAt(each, 'version')),
  );
  const owned = new Set([...named.map((each) => each.gvk), ...services]);
  return [
    ...twice,
    ...[...shown]
      .filter((each) => !owned.has(each))
      .map((each) =>
        error('example-unknown', `there is an example of ${each}, which the operator does not own`, 'take it out'),
      ),
    ...[...owned]
      .filter((each) => !shown.has(each))
      .map((each) => warning('example-missing', `there is no example of ${each}`, 'put a sample into config/samples')),
  ];
}

function installModes({ csv }: Contents): readonly ScorecardFinding[] {
  const modes = objectsAt(csv, 'spec', 'installModes');
  if (modes.length === 0)
    return [error('install-modes', 'spec.installModes is missing', 'say which of the four it supports')];
  const supported = modes.filter((mode) => mode.supported === true).map(({ type }) => type);
  const found: ScorecardFinding[] = [];
  const converts = objectsAt(csv, 'spec', 'webhookdefinitions').some((each) => objectsOrTexts(each.conversionCRDs) > 0);
  if (converts && modes.some(({ type, supported }) => (type === 'AllNamespaces') !== (supported === true))) {
    found.push(
      error(
        'install-modes-conversion',
        `it converts versions and supports ${supported.join(', ') || 'nothing'}`,
        'support AllNamespaces alone',
      ),
    );
  }
  if (supported.length === 0)
    found.push(error('install-modes-none', 'no install mode is supported', 'support at least AllNamespaces'));
  return found;
}

const objectsOrTexts = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function ownedDefinitions(contents: Contents): readonly ScorecardFinding[] {
  const { definitions } = contents;
  const served = definitions.flatMap(({ kind, group, versions }) =>
    versions.map((each) => gvk(kind, group, textAt(each, 'name'))),
  );
  const owned = ownedIn(contents);
  const ownedKinds = new Set(
    owned.filter((each) => served.includes(each.gvk)).map(({ kind, group }) => `${kind} ${group}`),
  );
  const twice = [...new Set(served.filter((each, i) => served.indexOf(each) !== i))];
  const unowned = definitions.filter(({ kind, group }) => !ownedKinds.has(`${kind} ${group}`));
  return [
    ...owned
      .filter(({ name }) => !name.includes('.'))
      .map(({ name }) =>
        error('owned-name', `"${name}" is no name of a definition`, 'write plural and group: sites.web.example.com'),
      ),
    ...twice.map((each) => error('definition-twice', `${each} is defined twice`, 'leave one definition in manifests/')),
    ...owned
      .filter((each) => !served.includes(each.gvk))
      .map((each) =>
        error(
          'definition-missing',
          `${each.gvk} is owned, and no definition brings it`,
          `put ${each.name} into manifests/`,
        ),
      ),
    ...unowned.flatMap(({ kind, group, versions }) =>
      versions.map((each) =>
        error(
          'definition-unowned',
          `${gvk(kind, group, textAt(each, 'name'))} is defined and not owned`,
          'add it to spec.customresourcedefinitions.owned',
        ),
      ),
    ),
  ];
}

/** OLM makes the accounts of a ClusterServiceVersion itself. */
function accounts({ csv, manifests }: Contents): readonly ScorecardFinding[] {
  const own = objectsAt(csv, 'spec', 'install', 'spec', 'deployments').map((each) =>
    textAt(each, 'spec', 'template', 'spec', 'serviceAccountName'),
  );
  return manifests
    .filter(
      ({ object }) => textAt(object, 'kind') === 'ServiceAccount' && own.includes(textAt(object, 'metadata', 'name')),
    )
    .map(({ file }) => error('account', `${file} is an account that OLM makes itself`, 'take it out of manifests/'));
}

/** Images that are to be there where nothing else can be pulled. */
function relatedImages({ csv }: Contents): readonly ScorecardFinding[] {
  return objectsAt(csv, 'spec', 'relatedImages')
    .map((each) => textAt(each, 'image'))
    .filter((image) => !imageReference.test(image))
    .map((image) =>
      error('related-image', `a related image is "${image}"`, 'write it as registry.example.com/name:1.0.0'),
    );
}
