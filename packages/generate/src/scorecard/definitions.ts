/** What an API server asks of a definition, and which kinds in a bundle it no longer has. */
import type { JsonObject } from '@keelson/core';
import { subdomainProblems } from '@keelson/schema/validation';
import { at, type Contents, error, objectsAt, type ScorecardFinding, textAt, warning } from './finding.ts';

/** Definitions that an API server would refuse. Their schemas are for `olm-crds-have-validation`. */
export function soundDefinitions({ manifests }: Contents): readonly ScorecardFinding[] {
  return manifests
    .filter(({ object }) => textAt(object, 'kind') === 'CustomResourceDefinition')
    .flatMap(({ file, object }) =>
      problemsOf(object).map(([text, next]) => error('definition', `${file}: ${text}`, next)),
    );
}

type Told = readonly [text: string, next: string];

function problemsOf(crd: unknown): readonly Told[] {
  const [group, plural] = [textAt(crd, 'spec', 'group'), textAt(crd, 'spec', 'names', 'plural')];
  const name = textAt(crd, 'metadata', 'name');
  const found: Told[] = [];
  if (name !== `${plural}.${group}`) found.push([`metadata.name is "${name}"`, `call it ${plural}.${group}`]);
  if (subdomainProblems(group).length > 0) found.push([`spec.group is "${group}"`, 'take a domain of yours']);
  if (!['Namespaced', 'Cluster'].includes(textAt(crd, 'spec', 'scope'))) {
    found.push(['spec.scope is missing', 'write Namespaced or Cluster']);
  }
  if (textAt(crd, 'spec', 'names', 'kind') === '') found.push(['spec.names.kind is missing', 'write it']);
  const versions = objectsAt(crd, 'spec', 'versions');
  const stored = versions.filter(({ storage }) => storage === true).length;
  if (stored !== 1) found.push([`${stored} versions are stored`, 'set storage: true for one']);
  if (textAt(crd, 'spec', 'conversion', 'strategy') === 'Webhook') {
    for (const field of ['clientConfig', 'conversionReviewVersions']) {
      if (at(crd, 'spec', 'conversion', 'webhook', field) !== undefined) continue;
      found.push([`spec.conversion.webhook.${field} is missing`, 'leave spec.conversion to OLM']);
    }
  }
  return [...found, ...versions.flatMap(columnProblems)];
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

function columnProblems(version: JsonObject): readonly Told[] {
  return objectsAt(version, 'additionalPrinterColumns').flatMap((column): readonly Told[] => {
    const [name, type, path] = [textAt(column, 'name'), textAt(column, 'type'), textAt(column, 'jsonPath')];
    return [
      ...(columnTypes.includes(type)
        ? []
        : [[`the column ${name} is of type "${type}"`, `take ${columnTypes.join(', ')}`] as const]),
      ...(path.startsWith('.') ? [] : [[`the column ${name} shows "${path}"`, 'begin its path with a dot'] as const]),
    ];
  });
}

/** Versions of kinds that Kubernetes gave up, and its release that did. */
const removed: readonly (readonly [minor: number, apiVersion: string, kinds: readonly string[]])[] = [
  [22, 'apiextensions.k8s.io/v1beta1', ['CustomResourceDefinition']],
  [22, 'rbac.authorization.k8s.io/v1beta1', ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']],
  [22, 'scheduling.k8s.io/v1beta1', ['PriorityClass']],
  [25, 'autoscaling/v2beta1', ['HorizontalPodAutoscaler']],
  [25, 'batch/v1beta1', ['CronJob']],
  [25, 'discovery.k8s.io/v1beta1', ['EndpointSlice']],
  [25, 'events.k8s.io/v1beta1', ['Event']],
  [25, 'node.k8s.io/v1beta1', ['RuntimeClass']],
  [25, 'policy/v1beta1', ['PodDisruptionBudget', 'PodSecurityPolicy']],
];

/** What the oldest Kubernetes that the bundle names no longer has is an error; what a newer one lacks is a warning. */
export function removedKinds({ csv, manifests }: Contents): readonly ScorecardFinding[] {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(textAt(csv, 'spec', 'minKubeVersion')) ?? [];
  const oldest = Number(major) * 1000 + Number(minor);
  const told = (where: string, apiVersion: string, kind: string) =>
    removed
      .filter(([, version, kinds]) => version === apiVersion && kinds.includes(kind))
      .map(([release]) => {
        const text = `${where} is a ${kind} of ${apiVersion}, which Kubernetes 1.${release} has no more`;
        return (oldest >= 1000 + release ? error : warning)('removed-api', text, 'take the version that followed it');
      });
  const shown = ['owned', 'required'].flatMap((part) =>
    objectsAt(csv, 'spec', 'customresourcedefinitions', part).flatMap((entry) => objectsAt(entry, 'resources')),
  );
  return [
    ...manifests.flatMap(({ file, object }) => told(file, textAt(object, 'apiVersion'), textAt(object, 'kind'))),
    ...shown.flatMap((each) => told('a resource of its kinds', textAt(each, 'version'), textAt(each, 'kind'))),
  ];
}
