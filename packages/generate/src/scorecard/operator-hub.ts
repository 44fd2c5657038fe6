/** What OperatorHub asks of a bundle, and what is good for users of any catalogue. */
import {
  bundleKeys,
  capabilities,
  categories,
  emailAddress,
  iconTypes,
  semanticVersion,
} from '../bundle/vocabulary.ts';
import { removedKinds } from './definitions.ts';
import {
  annotationsOf,
  at,
  type Contents,
  error,
  objectsAt,
  ownedIn,
  type ScorecardFinding,
  textAt,
  warning,
} from './finding.ts';

/** What OperatorHub refuses, or shows badly. */
export function operatorHub(contents: Contents): readonly ScorecardFinding[] {
  const { csv, csvs } = contents;
  if (csvs === 0) return [];
  const found: ScorecardFinding[] = [];
  const version = textAt(csv, 'spec', 'version');
  if (version === '0.0.0' || !semanticVersion.test(version)) {
    found.push(error('version', `spec.version is "${version}"`, 'take 0.0.1 or more: "keelson bundle --version"'));
  }
  if (textAt(csv, 'spec', 'provider', 'name') === '') {
    found.push(error('provider', 'spec.provider.name is missing', 'say in config/bundle.yaml who provides it'));
  }
  for (const each of objectsAt(csv, 'spec', 'maintainers')) {
    const [name, email] = [textAt(each, 'name'), textAt(each, 'email')];
    if (name === '' || email === '')
      found.push(error('maintainer', `a maintainer has the name "${name}" and the email "${email}"`, 'write both'));
    if (email !== '' && !isMailbox(email))
      found.push(error('maintainer-email', `"${email}" is no address`, 'mend it in config/bundle.yaml'));
  }
  for (const each of objectsAt(csv, 'spec', 'links')) {
    const [name, url] = [textAt(each, 'name'), textAt(each, 'url')];
    if (name === '' || url === '')
      found.push(error('link', `a link has the name "${name}" and the url "${url}"`, 'write both'));
    if (url !== '' && !url.startsWith('/') && !URL.canParse(url))
      found.push(error('link-url', `"${url}" is no address`, 'mend it in config/bundle.yaml'));
  }
  return [...found, ...icon(csv), ...annotations(csv), ...removedKinds(contents), ...removedRights(csv)];
}

/** An address, or a name with one: `Ada <ada@example.com>`. */
const isMailbox = (text: string): boolean => emailAddress.test(/^[^<>]*<(.*)>$/.exec(text)?.[1] ?? text);

function removedRights(csv: Contents['csv']): readonly ScorecardFinding[] {
  const rights = rulesOf(csv).filter(
    ({ apiGroups, resources }) => has(apiGroups, 'policy') && has(resources, 'podsecuritypolicies'),
  );
  return rights.map(() =>
    warning('removed-right', 'it may use PodSecurityPolicies, which Kubernetes 1.25 has no more', 'take the right out'),
  );
}

function icon(csv: Contents['csv']): readonly ScorecardFinding[] {
  if (at(csv, 'spec', 'icon') === undefined) {
    return [warning('icon', 'there is no icon', 'name a file in config/bundle.yaml: icon: docs/icon.svg')];
  }
  const icons = objectsAt(csv, 'spec', 'icon');
  const found: ScorecardFinding[] = [];
  if (icons.length !== 1) found.push(error('icon-one', `there are ${icons.length} icons`, 'leave one'));
  const [first] = icons;
  if (first === undefined) return found;
  const [data, type] = [textAt(first, 'base64data'), textAt(first, 'mediatype')];
  if (data === '' || type === '')
    found.push(error('icon-parts', 'the icon lacks its data or its mediatype', 'call "keelson bundle"'));
  if (type !== '' && !Object.values(iconTypes).includes(type)) {
    found.push(
      error('icon-type', `the icon is of ${type}`, `take ${[...new Set(Object.values(iconTypes))].join(', ')}`),
    );
  }
  return found;
}

function annotations(csv: Contents['csv']): readonly ScorecardFinding[] {
  const { categories: said, capabilities: level } = annotationsOf(csv);
  const unknown = (said ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => !categories.includes(each));
  return [
    ...(said === undefined ? [] : unknown).map((each) =>
      error('category', `"${each}" is no category`, `take ${categories.join(', ')}`),
    ),
    ...(level === undefined || capabilities.includes(level)
      ? []
      : [error('capabilities', `"${level}" is no level of capabilities`, `take ${capabilities.join(', ')}`)]),
  ];
}

/** What works, and is worth mending. */
export function goodPractices(contents: Contents): readonly ScorecardFinding[] {
  const { csv, csvs, keys } = contents;
  if (csvs === 0) return [];
  const deployments = objectsAt(csv, 'spec', 'install', 'spec', 'deployments');
  if (at(csv, 'spec', 'install', 'spec', 'deployments') === undefined)
    return [error('deployment', 'there is no Deployment to install', 'call "keelson bundle"')];
  const containers = deployments.flatMap((each) => objectsAt(each, 'spec', 'template', 'spec', 'containers'));
  const channels = `${keys[bundleKeys.channels] ?? ''},${keys[bundleKeys.defaultChannel] ?? ''}`
    .split(',')
    .map((each) => each.trim());
  const odd = [...new Set(channels)].filter((each) => each !== '' && !/^(candidate|stable|fast)/.test(each));
  const name = textAt(csv, 'metadata', 'name');
  const version = /(\d+\.\d+\.\d+)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+)?$/.exec(name)?.[0];
  return [
    ...containers
      .filter((each) => at(each, 'resources', 'requests') === undefined)
      .map((each) =>
        warning(
          'requests',
          `the container ${textAt(each, 'name')} requests no CPU and no memory`,
          'say what it needs: a quota may refuse its pods',
        ),
      ),
    ...ownedIn(contents)
      .filter(({ entry }) => textAt(entry, 'description') === '')
      .map((each) =>
        warning('description', `${each.gvk} has no description`, "write it: defineKind({ description: '…' })"),
      ),
    ...objectsAt(csv, 'spec', 'customresourcedefinitions', 'required')
      .filter((entry) => textAt(entry, 'description') === '')
      .map((entry) =>
        warning('description', `${textAt(entry, 'name')} has no description`, 'say what it is required for'),
      ),
    ...(odd.length === 0
      ? []
      : [
          warning(
            'channel',
            `channels are called ${odd.join(', ')}`,
            'let their names begin with candidate, fast or stable',
          ),
        ]),
    ...(mayMakeDefinitions(csv)
      ? [
          warning(
            'definitions-right',
            'it may change definitions (CRDs)',
            'leave them to OLM: it installs what the bundle brings and requires',
          ),
        ]
      : []),
    ...(version === undefined || !semanticVersion.test(version)
      ? [
          warning(
            'csv-name-version',
            `metadata.name "${name}" does not end with a version`,
            'call it website-operator.v1.0.0',
          ),
        ]
      : []),
    ...(name.split('.v').length === 2
      ? []
      : [
          warning(
            'csv-name-form',
            `metadata.name "${name}" does not have the usual form`,
            'call it website-operator.v1.0.0',
          ),
        ]),
  ];
}

function mayMakeDefinitions(csv: Contents['csv']): boolean {
  return rulesOf(csv).some(
    ({ apiGroups, resources, verbs }) =>
      has(apiGroups, 'apiextensions.k8s.io') &&
      has(resources, 'customresourcedefinitions', '*', '[*]') &&
      has(verbs, 'create', 'patch', '*', '[*]'),
  );
}

const rulesOf = (csv: Contents['csv']) =>
  ['permissions', 'clusterPermissions']
    .flatMap((field) => objectsAt(csv, 'spec', 'install', 'spec', field))
    .flatMap((each) => objectsAt(each, 'rules'));

const has = (value: unknown, ...wanted: readonly string[]): boolean =>
  Array.isArray(value) && value.some((each) => wanted.includes(String(each)));
