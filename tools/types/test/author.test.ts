/**
 * What an author sees of the generated types.
 *
 * The claims are for the compiler and never run; the one test compiles them.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type {
  InputOf,
  Kind,
  KindMap,
  KubernetesObject,
  NamespacedObjectMeta,
  ObjectOf,
  StatusInputOf,
  StoredObjectMeta,
} from '@keelson/core';
import type { CustomResourceDefinition, JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { Deployment, type DeploymentStatus, type NewDeployment, type NewStatefulSet } from '@keelson/core/apps/v1';
import { SubjectAccessReview } from '@keelson/core/authorization/v1';
import type { Scale } from '@keelson/core/autoscaling/v1';
import type { Event } from '@keelson/core/events/v1';
import type { IntOrString, ObjectMeta, Quantity, Status, Time } from '@keelson/core/meta/v1';
import { Eviction } from '@keelson/core/policy/v1';
import type { NewRole, Role } from '@keelson/core/rbac/v1';
import {
  type ComponentStatus,
  ConfigMap,
  type Container,
  type Namespace,
  type NewSecret,
  Pod,
  type PodCondition,
  type PodStatus,
  type Secret,
  type ServicePort,
} from '@keelson/core/v1';

test('every claim about the generated types compiles', () => {
  const project = fileURLToPath(new URL('author.tsconfig.json', import.meta.url));
  const { status, stdout } = spawnSync('tsc', ['-p', project], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function claim<_Claim extends true>(): void;
declare function accept<T>(value: T): void;

export function typeAndDescriptorShareOneName() {
  accept<Kind<Deployment, NewDeployment, DeploymentStatus>>(Deployment);
  claim<Equal<ObjectOf<typeof Deployment>, Deployment>>();
  claim<Equal<InputOf<typeof Deployment>, NewDeployment>>();
  claim<Equal<ObjectOf<typeof Pod>, Pod>>();
  claim<Equal<StatusInputOf<typeof Pod>, PodStatus>>();
  claim<Equal<StatusInputOf<typeof ConfigMap>, never>>();
}

export function descriptorsAreToldApart() {
  accept<typeof Deployment | typeof ConfigMap>(ConfigMap);
  // @ts-expect-error Pod was not declared
  accept<typeof Deployment | typeof ConfigMap>(Pod);
  claim<Equal<typeof Pod.kind, 'Pod'>>();
  claim<Equal<typeof Namespace.scope, 'Cluster'>>();
  claim<Equal<(typeof Deployment.subresources)[number], 'scale' | 'status'>>();
}

const labels = { app: 'cache' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'cache', image: 'memcached' }] } };

export function asWrittenNeedsANameAndWhatOpenApiRequires() {
  accept<NewDeployment>({ metadata: { name: 'cache' }, spec: { selector: { matchLabels: labels }, template } });
  accept<NewDeployment>({ metadata: { generateName: 'cache-' } });
  // @ts-expect-error neither name nor generateName
  accept<NewDeployment>({ metadata: { labels } });
  // @ts-expect-error a spec without selector
  accept<NewDeployment>({ metadata: { name: 'cache' }, spec: { template } });
  // @ts-expect-error a status is not for the author to write
  accept<NewDeployment>({ metadata: { name: 'cache' }, status: { replicas: 1 } });
  // @ts-expect-error the name of another kind
  accept<NewDeployment>({ kind: 'DaemonSet', metadata: { name: 'cache' } });
}

export function asReadHasWhatTheServerAlwaysSends(deployment: Deployment) {
  claim<Equal<Deployment['apiVersion'], 'apps/v1'>>();
  claim<Equal<Deployment['kind'], 'Deployment'>>();
  claim<Equal<Deployment['metadata'], NamespacedObjectMeta>>();
  claim<Equal<ObjectOf<typeof Namespace>['metadata'], StoredObjectMeta>>();
  accept<readonly string[]>([deployment.metadata.uid, deployment.metadata.namespace]);
  accept<readonly object[]>([deployment.spec.selector, deployment.spec.template, deployment.status]);
  claim<Equal<Deployment['spec']['replicas'], number | undefined>>();
}

export function whatWasReadMayBeWrittenBack(deployment: Deployment) {
  accept<NewDeployment>(deployment);
  accept<NewDeployment>({ ...deployment, spec: { ...deployment.spec, replicas: 3 } });
}

export function nothingCanBeAssignedTo(pod: Pod, port: ServicePort, configMap: Required<ConfigMap>) {
  // @ts-expect-error readonly
  pod.spec.nodeName = 'node';
  // @ts-expect-error readonly
  pod.spec.containers[0] = { name: 'other' };
  // @ts-expect-error readonly
  pod.metadata.labels = labels;
  // @ts-expect-error readonly
  port.port = 80;
  // @ts-expect-error readonly
  configMap.data.key = 'value';
}

export function optionalFieldsAcceptUndefinedAndEnumsAreClosed() {
  accept<Container>({ name: 'a', image: undefined, imagePullPolicy: 'Always', resources: { limits: { cpu: '1' } } });
  // @ts-expect-error no such policy
  accept<Container>({ name: 'a', imagePullPolicy: 'Sometimes' });
  claim<Equal<Time, string>>();
  claim<Equal<Quantity, string>>();
  claim<Equal<IntOrString, number | string>>();
}

export function emptyValuesThatTheServerSendsAsNullSaySo() {
  claim<Equal<PodCondition['lastProbeTime'], string | null | undefined>>();
  claim<Equal<Event['eventTime'], string | null>>();
  claim<Equal<Extract<Role['rules'], null>, null>>();
  accept<NewRole>({ metadata: { name: 'empty' } });
  // @ts-expect-error an author has no reason to write null
  accept<NewRole>({ metadata: { name: 'empty' }, rules: null });
}

export function aSecretIsWrittenAsTextAndNeverReadSo(secret: Secret) {
  accept<NewSecret>({ metadata: { name: 's' }, stringData: { password: 'x' } });
  // @ts-expect-error write-only
  accept<unknown>(secret.stringData);
}

export function aClaimTemplateNeedsNoUid() {
  const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }];
  accept<NewStatefulSet>({
    metadata: { name: 'db' },
    spec: { serviceName: 'db', selector: {}, template, volumeClaimTemplates },
  });
}

export function aKindThatIsNotStoredIsNoKind() {
  claim<Equal<ObjectOf<typeof SubjectAccessReview>, SubjectAccessReview>>();
  claim<Equal<SubjectAccessReview['status']['allowed'], boolean>>();
  claim<Equal<ObjectOf<typeof Eviction>, Status>>();
  claim<Equal<Scale['metadata'], ObjectMeta>>();
  accept<InputOf<typeof SubjectAccessReview>>({ spec: { user: 'ada' } });
  // @ts-expect-error the server reports it, nobody writes it
  accept<InputOf<typeof ComponentStatus>>({});
  // @ts-expect-error reviews cannot be listed
  accept<Kind>(SubjectAccessReview);
  // @ts-expect-error an eviction has no path of its own
  accept<Kind>(Eviction);
}

export function kindMapHasTheTypeOfEveryStoredKind(object: KindMap[keyof KindMap]) {
  accept<KubernetesObject>(object);
  claim<Equal<KindMap['v1/Pod'], Pod>>();
  claim<Equal<KindMap['apps/v1/Deployment'], Deployment>>();
  // @ts-expect-error no such kind
  accept<KindMap['apps/v1/Pod']>(object);
}

export function aSchemaOfACustomResourceDefinitionCanBeWrittenDown(definition: CustomResourceDefinition) {
  accept<JSONSchemaProps>({
    type: 'object',
    properties: { size: { type: 'integer', default: 1, enum: [1, 2] }, list: { type: 'array', items: { $ref: '#' } } },
    additionalProperties: false,
    'x-kubernetes-validations': [{ rule: 'self.size > 0' }],
  });
  accept<JSONSchemaProps | undefined>(definition.spec.versions[0]?.schema?.openAPIV3Schema);
}
