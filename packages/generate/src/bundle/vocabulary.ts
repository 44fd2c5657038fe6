/** Words that the Operator Framework and OperatorHub give a meaning to. */

/** What an operator is for, as OperatorHub sorts them. */
export const categories: readonly string[] = [
  'AI/Machine Learning',
  'Application Runtime',
  'Big Data',
  'Cloud Provider',
  'Database',
  'Developer Tools',
  'Integration & Delivery',
  'Logging & Tracing',
  'Modernization & Migration',
  'Monitoring',
  'Networking',
  'Observability',
  'OpenShift Optional',
  'Security',
  'Storage',
  'Streaming & Messaging',
];

/** How much an operator does, from least to most. */
export const capabilities: readonly string[] = [
  'Basic Install',
  'Seamless Upgrades',
  'Full Lifecycle',
  'Deep Insights',
  'Auto Pilot',
];

/** Kinds that OLM installs from a bundle; it refuses others. */
export const bundledKinds: readonly string[] = [
  'ClusterRole',
  'ClusterRoleBinding',
  'ClusterServiceVersion',
  'ConfigMap',
  'ConsoleCLIDownload',
  'ConsoleLink',
  'ConsolePlugin',
  'ConsoleQuickStart',
  'ConsoleYAMLSample',
  'CustomResourceDefinition',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'PodMonitor',
  'PriorityClass',
  'PrometheusRule',
  'Role',
  'RoleBinding',
  'Secret',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
  'VerticalPodAutoscaler',
];

/** What may stand in `spec.icon`. */
export const iconTypes: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
};

const annotation = 'operators.operatorframework.io.bundle';

/** The keys of metadata/annotations.yaml, and of the labels of a bundle's image. */
export const bundleKeys = {
  mediaType: `${annotation}.mediatype.v1`,
  manifests: `${annotation}.manifests.v1`,
  metadata: `${annotation}.metadata.v1`,
  package: `${annotation}.package.v1`,
  channels: `${annotation}.channels.v1`,
  defaultChannel: `${annotation}.channel.default.v1`,
} as const;

/** `1.2.3-beta.1+5`: major, minor and patch, each a number that begins with no zero. */
export const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

const comparison = `(>=|<=|>|<|==?|!=?)?\\s*(${semanticVersion.source.slice(1, -1)}|\\d+(\\.\\d+)?\\.x)`;

/** `>=1.0.0 <1.2.0 || 1.3.x`: versions, each with what it is compared by. */
export const versionRange = new RegExp(`^${comparison}(\\s+(\\|\\|\\s+)?${comparison})*$`);

/** Whether one version comes after another, as semver.org orders them. Both are such versions. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  const differing = a.numbers.findIndex((each, i) => each !== b.numbers[i]);
  if (differing >= 0) return (a.numbers[differing] ?? 0) > (b.numbers[differing] ?? 0);
  // A version comes after all that lead to it.
  if (a.before.length === 0 || b.before.length === 0) return a.before.length === 0 && b.before.length > 0;
  const other = a.before.findIndex((each, i) => each !== b.before[i]);
  if (other < 0) return false;
  const [mine, its] = [a.before[other] ?? '', b.before[other]];
  if (its === undefined) return true;
  const [isNumber, isItsNumber] = [/^\d+$/.test(mine), /^\d+$/.test(its)];
  if (isNumber !== isItsNumber) return isItsNumber;
  return isNumber ? Number(mine) > Number(its) : mine > its;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly before: readonly string[] } {
  const [core = '', ...before] = version.replace(/\+.*$/, '').split('-');
  return { numbers: core.split('.').map(Number), before: before.length === 0 ? [] : before.join('-').split('.') };
}

/** `ada@example.com`: words without blanks between dots, on both sides. */
export const emailAddress =
  /^[^\s@<>(),;:"\\.[\]]+(\.[^\s@<>(),;:"\\.[\]]+)*@[^\s@<>(),;:"\\.[\]]+(\.[^\s@<>(),;:"\\.[\]]+)*$/;

/** `registry.example.com:5000/name:1.0.0@sha256:…`: a name in lower case, and around it what says where and which. */
export const imageReference =
  /^((localhost|[A-Za-z0-9-]+(?=[.:])(\.[A-Za-z0-9-]+)*)(:\d+)?\/)?[a-z0-9]+([._/-]+[a-z0-9]+)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$/;
