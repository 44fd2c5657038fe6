/**
 * The ClusterServiceVersion: what OLM installs, grants and shows of one version of an operator.
 *
 * Whoever makes an OperatorGroup says which namespaces the operator watches, OLM tells its pods by an annotation, and
 * grants `permissions` there. So what is done in namespaces stands there if the operator can be told, and in
 * `clusterPermissions` if it always watches all.
 */
import { convertedKinds, isOptional, type Kind, ownedKinds, resourceNameOf, rolesOf } from '@keelson/core';
import type { DeploymentSpec } from '@keelson/core/apps/v1';
import type { Definition, Installation } from '../installation.ts';
import { managerDeployment } from '../manager.ts';
import type { Bundle } from './bundle.ts';
import { descriptorsOf, titleOf } from './descriptors.ts';
import { webhookDefinitions } from './webhook-definitions.ts';

/** The object, and what it cannot say. */
export function clusterServiceVersion(bundle: Bundle): {
  readonly csv: object & { readonly spec: object };
  readonly warnings: readonly string[];
} {
  const { installation, words, icon, version } = bundle;
  const { operator } = installation;
  const webhooks = webhookDefinitions(installation);
  const granted = permissionsOf(installation);
  const required = requiredKinds(installation);
  const csv = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: bundle.name, annotations: annotationsOf(bundle) },
    spec: {
      displayName: words.displayName,
      description: words.description,
      version,
      ...(words.maturity !== undefined && { maturity: words.maturity }),
      minKubeVersion: words.minKubeVersion ?? '1.29.0',
      ...(bundle.replaces !== undefined && { replaces: bundle.replaces }),
      ...(bundle.skips.length > 0 && { skips: bundle.skips }),
      ...(words.keywords && { keywords: words.keywords }),
      maintainers: words.maintainers,
      provider: words.provider,
      ...(words.links && { links: words.links }),
      ...(icon && { icon: [{ base64data: icon.base64, mediatype: icon.mediaType }] }),
      installModes: installModesOf(installation),
      install: {
        strategy: 'deployment',
        spec: {
          deployments: [deploymentOf(installation)],
          ...granted.rules,
        },
      },
      customresourcedefinitions: {
        owned: installation.definitions.flatMap((definition) => ownedDescriptions(definition, installation)),
        ...(required.length > 0 && { required }),
      },
      ...(webhooks.definitions.length > 0 && { webhookdefinitions: webhooks.definitions }),
    },
  };
  const policies = (operator.policies ?? []).map(
    (policy) => `OLM installs no ValidatingAdmissionPolicy: apply config/admission for ${policy.name}`,
  );
  return { csv, warnings: [...webhooks.warnings, ...granted.warnings, ...policies] };
}

function annotationsOf({ words, installation, examples }: Bundle): Readonly<Record<string, string>> {
  return {
    'alm-examples': JSON.stringify(examples, undefined, 2),
    capabilities: words.capabilities ?? 'Basic Install',
    ...(words.categories && { categories: words.categories.join(', ') }),
    containerImage: installation.image,
    ...(words.summary !== undefined && { description: words.summary }),
    ...(words.skipRange !== undefined && { 'olm.skipRange': words.skipRange }),
    'operatorframework.io/suggested-namespace': installation.namespace,
    'operators.operatorframework.io/builder': 'keelson',
  };
}

/** Whether it can be told which namespaces to watch. OLM allows only all of them where versions are converted. */
const isTold = ({ operator, process }: Installation): boolean =>
  process.namespacesVariable !== undefined && convertedKinds(operator).length === 0;

function installModesOf(installation: Installation): readonly object[] {
  const some = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace'];
  return [
    ...some.map((type) => ({ type, supported: isTold(installation) })),
    { type: 'AllNamespaces', supported: true },
  ];
}

function deploymentOf(installation: Installation): object {
  const { metadata, spec } = managerDeployment(installation);
  return { name: installation.name, label: metadata.labels, spec: withTargets(spec, installation) };
}

/** OLM writes the namespaces of the OperatorGroup into an annotation of the pods; nothing means all. */
function withTargets(spec: DeploymentSpec | undefined, installation: Installation): DeploymentSpec | undefined {
  const { namespacesVariable: name } = installation.process;
  if (spec === undefined || name === undefined || !isTold(installation)) return spec;
  const valueFrom = { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } };
  const { template } = spec;
  const containers = template.spec?.containers.map((each) => ({
    ...each,
    env: [...(each.env ?? []), { name, valueFrom }],
  }));
  return { ...spec, template: { ...template, spec: { ...template.spec, containers: containers ?? [] } } };
}

/** As the roles of `config/rbac`, without the certificates of webhooks: OLM makes these. */
function permissionsOf(installation: Installation): { readonly rules: object; readonly warnings: readonly string[] } {
  const { operator, name: serviceAccountName, namespace } = installation;
  const place = { namespace, namespaces: isTold(installation) ? [namespace] : undefined, certificatesAreGiven: true };
  const roles = rolesOf(operator, place);
  const elsewhere = roles.filter((role) => role.namespace !== undefined && role.namespace !== namespace);
  const everywhere = [...roles.filter((role) => role.namespace === undefined), ...elsewhere];
  const inNamespace = roles.filter((role) => role.namespace === namespace);
  const granted = (list: typeof roles) => [{ serviceAccountName, rules: list.flatMap(({ rules }) => rules) }];
  return {
    rules: {
      ...(inNamespace.length > 0 && { permissions: granted(inNamespace) }),
      ...(everywhere.length > 0 && { clusterPermissions: granted(everywhere) }),
    },
    warnings: elsewhere.map(
      (role) => `OLM grants nothing in ${role.namespace} alone: what is needed there is granted in all namespaces`,
    ),
  };
}

/** One entry for each served version. */
function ownedDescriptions({ kind, crd }: Definition, installation: Installation): readonly object[] {
  return crd.spec.versions
    .filter(({ served }) => served)
    .map((version) => {
      const { description } = version.schema?.openAPIV3Schema ?? {};
      const [spec, status] = [descriptorsOf(version, 'spec'), descriptorsOf(version, 'status')];
      return {
        name: resourceNameOf(kind),
        version: version.name,
        kind: kind.kind,
        displayName: titleOf(kind.kind),
        ...(description !== undefined && { description }),
        resources: resourcesOf(kind, installation),
        ...(spec.length > 0 && { specDescriptors: spec }),
        ...(status.length > 0 && { statusDescriptors: status }),
      };
    });
}

/** What there is of an object beside itself: what its controller owns and what it watches. */
function resourcesOf({ kind, group }: Kind, { operator }: Installation): readonly object[] {
  const its = operator.controllers.filter((each) => each.for.kind === kind && each.for.group === group);
  const kinds = its.flatMap((each) => [...ownedKinds(each), ...(each.watches ?? []).map(({ watch }) => watch)]);
  return [...new Map(kinds.map((each) => [resourceNameOf(each), each])).values()].map((each) => ({
    kind: each.kind,
    name: isBuiltIn(each) ? '' : resourceNameOf(each),
    version: each.version,
  }));
}

const isBuiltIn = ({ group }: Kind): boolean => !group.includes('.') || group.endsWith('.k8s.io');

/** Kinds of others, without which it does not work: OLM installs an operator that brings them. */
function requiredKinds({ operator, definitions }: Installation): readonly object[] {
  const own = new Set(definitions.map(({ kind }) => resourceNameOf(kind)));
  const used = operator.controllers.flatMap((each) => [
    ...ownedKinds(each),
    ...(each.watches ?? []).map(({ watch }) => watch),
    ...(each.refers ?? []).map(({ to }) => to),
  ]);
  const foreign = used.filter((kind) => !isBuiltIn(kind) && !isOptional(kind) && !own.has(resourceNameOf(kind)));
  return [...new Map(foreign.map((kind) => [resourceNameOf(kind), kind])).values()].map((kind) => ({
    name: resourceNameOf(kind),
    version: kind.version,
    kind: kind.kind,
    displayName: titleOf(kind.kind),
    description: `${operator.name} uses it, and somebody else brings it.`,
  }));
}
