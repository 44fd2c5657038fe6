/**
 * The fields that an endpoint does not keep, and which those who write through it never own: the status on the main
 * resource, and most of the rest on the status subresource.
 */
import type { FieldSet } from '@keelson/core';

const status: FieldSet = { 'f:status': {} };
const spec: FieldSet = { 'f:spec': {} };
const metadataAndSpec: FieldSet = { 'f:metadata': {}, 'f:spec': {} };

type Endpoints = Readonly<Record<string, FieldSet>>;

/** Most older kinds let metadata be written along with the status; by endpoint, `''` being the resource itself. */
const keepsMetadata: Endpoints = { '': status, status: spec };
const statusOnly: Endpoints = { '': status, status: metadataAndSpec };

const builtIn: Readonly<Record<string, Endpoints>> = {
  '/Namespace': { ...keepsMetadata, finalize: status },
  '/Node': keepsMetadata,
  '/PersistentVolume': keepsMetadata,
  '/PersistentVolumeClaim': keepsMetadata,
  '/Pod': {
    '': status,
    status: { 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} }, 'f:spec': {} },
  },
  '/ReplicationController': keepsMetadata,
  '/ResourceQuota': keepsMetadata,
  '/Service': keepsMetadata,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': statusOnly,
  'apiextensions.k8s.io/CustomResourceDefinition': statusOnly,
  'apiregistration.k8s.io/APIService': statusOnly,
  'apps/DaemonSet': keepsMetadata,
  'apps/Deployment': { '': status, status: { 'f:metadata': { 'f:labels': {} }, 'f:spec': {} } },
  'apps/ReplicaSet': keepsMetadata,
  'apps/StatefulSet': keepsMetadata,
  'autoscaling/HorizontalPodAutoscaler': keepsMetadata,
  'batch/CronJob': keepsMetadata,
  'batch/Job': keepsMetadata,
  'certificates.k8s.io/CertificateSigningRequest': {
    '': { 'f:spec': {}, 'f:status': {} },
    approval: { 'f:spec': {}, 'f:status': { 'f:certificate': {} } },
    status: { 'f:spec': {}, 'f:status': { 'f:conditions': {} } },
  },
  'flowcontrol.apiserver.k8s.io/FlowSchema': statusOnly,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': statusOnly,
  'networking.k8s.io/Ingress': keepsMetadata,
  'networking.k8s.io/ServiceCIDR': statusOnly,
  'policy/PodDisruptionBudget': keepsMetadata,
  'resource.k8s.io/ResourceClaim': statusOnly,
  'storage.k8s.io/VolumeAttachment': statusOnly,
};

/** Of a built-in kind; `group` is empty for the legacy group. */
export function builtInResetFields(group: string, kind: string, subresource = ''): FieldSet | undefined {
  return builtIn[`${group}/${kind}`]?.[subresource];
}

/** Of a custom resource, whose status is a field like any other unless its CRD has the status subresource. */
export function customResetFields(hasStatus: boolean, subresource = ''): FieldSet | undefined {
  return hasStatus ? statusOnly[subresource] : undefined;
}
