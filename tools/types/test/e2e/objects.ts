/**
 * One object or more of every kind that a new cluster has none of, as the types let an author write them; with empty
 * lists where the server allows them, since it may answer null.
 */
import { apiVersionOf, type InputOf, type Kind } from '@keelson/core';
import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@keelson/core/admissionregistration/v1';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { DaemonSet, Deployment, StatefulSet } from '@keelson/core/apps/v1';
import { HorizontalPodAutoscaler } from '@keelson/core/autoscaling/v2';
import { CronJob, Job } from '@keelson/core/batch/v1';
import { CertificateSigningRequest } from '@keelson/core/certificates/v1';
import { EndpointSlice } from '@keelson/core/discovery/v1';
import { Ingress, IngressClass, NetworkPolicy } from '@keelson/core/networking/v1';
import { RuntimeClass } from '@keelson/core/node/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { ClusterRole, Role } from '@keelson/core/rbac/v1';
import { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from '@keelson/core/resource/v1';
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '@keelson/core/storage/v1';
import {
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
} from '@keelson/core/v1';

const named = (name: string, namespace?: string) => ({ metadata: { name, ...(namespace && { namespace }) } });
const inDefault = (name: string) => named(name, 'default');

function object<K extends Kind>(kind: K, input: InputOf<K>): object {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...input };
}

const labels = { app: 'web' };
const containers = [{ name: 'web', image: 'example.com/web', ports: [{ containerPort: 80 }] }];
const template = { metadata: { labels }, spec: { containers } };
const selector = { matchLabels: labels };
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } as const;
const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] } as const;
// No such pod is ever made, so that these stand in nobody's way.
const matchConstraints = { resourceRules: [pods], objectSelector: { matchLabels: { never: 'made' } } };
const webhook = {
  name: 'pods.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/' },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  rules: [pods],
  objectSelector: matchConstraints.objectSelector,
} as const;
const request = { name: 'one', exactly: { deviceClassName: 'example' } };
const signingRequest = `
-----BEGIN CERTIFICATE REQUEST-----
MIHIMHACAQAwDjEMMAoGA1UEAwwDYWRhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAErTdjvTlnBkFa7wEb3m+Q7h/Df2freboIKju6j2jSMrsS1Ov20Y6rpNbWCTvU
L18zRxO9lFTjVOvvWvzIIzIP4qAAMAoGCCqGSM49BAMCA0gAMEUCIQD7XwGPGilR
7mUFzENVvwMrilVZA3BP80FynV0TGjAzewIgK4FRUNEM92VbJAEbtI1Hfyrujgyh
V6Tepo9POCQivno=
-----END CERTIFICATE REQUEST-----
`;

export const objects: readonly object[] = [
  object(Namespace, named('limited')),
  object(LimitRange, { ...named('limits', 'limited'), spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }),
  object(LimitRange, { ...named('none', 'limited'), spec: { limits: [] } }),
  object(ResourceQuota, { ...named('quota', 'limited'), spec: { hard: { pods: '1' } } }),
  object(Node, { ...named('node'), spec: { podCIDR: '10.244.0.0/24' } }),

  object(Deployment, { ...inDefault('web'), spec: { selector, template } }),
  object(StatefulSet, {
    ...inDefault('db'),
    spec: { serviceName: 'db', selector, template, volumeClaimTemplates: [{ ...named('data'), spec: claimSpec }] },
  }),
  object(DaemonSet, { ...inDefault('agent'), spec: { selector, template } }),
  object(Job, {
    ...inDefault('once'),
    spec: { podFailurePolicy: { rules: [] }, template: { spec: { containers, restartPolicy: 'Never' } } },
  }),
  object(CronJob, {
    ...inDefault('daily'),
    spec: {
      schedule: '0 0 * * *',
      jobTemplate: { spec: { template: { spec: { containers, restartPolicy: 'OnFailure' } } } },
    },
  }),
  object(ReplicationController, { ...inDefault('old'), spec: { selector: labels, template } }),
  object(Pod, { ...inDefault('lonely'), spec: { containers } }),
  object(PodTemplate, { ...inDefault('template'), template }),
  object(HorizontalPodAutoscaler, {
    ...inDefault('web'),
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  }),
  object(PodDisruptionBudget, { ...inDefault('web'), spec: { selector, maxUnavailable: '50%' } }),

  object(Service, { ...inDefault('web'), spec: { selector: labels, ports: [{ port: 80, targetPort: 'http' }] } }),
  object(Endpoints, { ...inDefault('outside'), subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }] }),
  object(EndpointSlice, { ...inDefault('empty'), addressType: 'IPv4' }),
  object(IngressClass, {
    ...named('example'),
    spec: { controller: 'example.com/ingress', parameters: { kind: 'Parameters', name: 'p' } },
  }),
  object(Ingress, {
    ...inDefault('web'),
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  }),
  object(NetworkPolicy, { ...inDefault('web'), spec: { podSelector: selector, ingress: [{}] } }),

  object(Secret, { ...inDefault('password'), stringData: { password: 'x' } }),
  object(Event, { ...inDefault('event'), involvedObject: { namespace: 'default' } }),
  object(Role, inDefault('powerless')),
  object(ClusterRole, { ...named('gathered'), aggregationRule: { clusterRoleSelectors: [selector] } }),
  object(CertificateSigningRequest, {
    ...named('ada'),
    spec: {
      request: Buffer.from(signingRequest.trimStart()).toString('base64'),
      signerName: 'example.com/signer',
      usages: ['client auth'],
    },
  }),
  object(CustomResourceDefinition, {
    ...named('widgets.example.com'),
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                size: { 'x-kubernetes-int-or-string': true, default: 1 },
                parts: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
                notes: { type: 'object', additionalProperties: { type: 'string' } },
              },
            },
          },
        },
      ],
    },
  }),

  object(ValidatingWebhookConfiguration, { ...named('example'), webhooks: [webhook] }),
  object(MutatingWebhookConfiguration, { ...named('example'), webhooks: [webhook] }),
  object(ValidatingAdmissionPolicy, {
    ...named('example'),
    spec: { matchConstraints, validations: [{ expression: 'true' }] },
  }),
  object(ValidatingAdmissionPolicyBinding, {
    ...named('example'),
    spec: { policyName: 'example', validationActions: ['Deny'] },
  }),
  object(MutatingAdmissionPolicy, {
    ...named('example'),
    spec: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      mutations: [
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/metadata/labels"}]' } },
      ],
    },
  }),
  object(MutatingAdmissionPolicyBinding, { ...named('example'), spec: { policyName: 'example' } }),

  object(StorageClass, { ...named('example'), provisioner: 'example.com/disk' }),
  object(PersistentVolume, {
    ...named('disk'),
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } },
  }),
  object(PersistentVolumeClaim, { ...inDefault('claim'), spec: { ...claimSpec, storageClassName: 'example' } }),
  object(CSIDriver, { ...named('disk.example.com'), spec: {} }),
  object(CSINode, { ...named('node'), spec: { drivers: [{ name: 'disk.example.com', nodeID: 'node' }] } }),
  object(CSINode, { ...named('bare'), spec: { drivers: [] } }),
  object(CSIStorageCapacity, { ...inDefault('capacity'), storageClassName: 'example', capacity: '1Gi' }),
  object(VolumeAttachment, {
    ...named('attachment'),
    spec: { attacher: 'disk.example.com', nodeName: 'node', source: { persistentVolumeName: 'disk' } },
  }),
  object(VolumeAttributesClass, { ...named('fast'), driverName: 'disk.example.com', parameters: { speed: 'high' } }),
  object(RuntimeClass, { ...named('sandbox'), handler: 'sandbox' }),

  object(DeviceClass, { ...named('example'), spec: {} }),
  object(ResourceClaim, { ...inDefault('device'), spec: { devices: { requests: [request] } } }),
  object(ResourceClaimTemplate, { ...inDefault('device'), spec: { spec: { devices: { requests: [request] } } } }),
  object(ResourceSlice, {
    ...named('slice'),
    spec: {
      driver: 'device.example.com',
      pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
      allNodes: true,
      devices: [{ name: 'device-0' }],
    },
  }),
];

/** Requests that are answered and not stored, in this order: the binding comes before the eviction. */
export const requests: readonly {
  readonly kind: string;
  readonly path: string;
  readonly body: object;
  /** The kind of the answer, when it is another. */
  readonly answer?: string;
}[] = [
  {
    kind: 'TokenReview',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { spec: { token: 'x' } },
  },
  { kind: 'SelfSubjectReview', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: {} },
  {
    kind: 'TokenRequest',
    path: '/api/v1/namespaces/default/serviceaccounts/default/token',
    body: { spec: {} },
  },
  {
    kind: 'SubjectAccessReview',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: { spec: { user: 'ada', nonResourceAttributes: { path: '/', verb: 'get' } } },
  },
  {
    kind: 'SelfSubjectAccessReview',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { spec: { resourceAttributes: { resource: 'pods', verb: 'get' } } },
  },
  {
    kind: 'SelfSubjectRulesReview',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    body: { spec: { namespace: 'default' } },
  },
  {
    kind: 'LocalSubjectAccessReview',
    path: '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
    body: { spec: { user: 'ada', resourceAttributes: { namespace: 'default', resource: 'pods', verb: 'get' } } },
  },
  {
    kind: 'Binding',
    path: '/api/v1/namespaces/default/pods/lonely/binding',
    body: { metadata: { name: 'lonely' }, target: { kind: 'Node', name: 'node' } },
    answer: 'Status',
  },
  {
    kind: 'Eviction',
    path: '/api/v1/namespaces/default/pods/lonely/eviction',
    body: { metadata: { name: 'lonely' } },
    answer: 'Status',
  },
];
