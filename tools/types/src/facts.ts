/**
 * What the OpenAPI documents leave out, or say otherwise than the server does: read in Kubernetes' Go types, and
 * held against a real server by test/e2e.
 */
import { boolean, string, type Type, unknown } from './model.ts';

/** All keyed by module and name, such as `v1/PodCondition`. A key that fits nothing in the documents is an error. */
export interface Facts {
  /** Types that marshal themselves, for which OpenAPI has an empty schema or too wide a one. */
  readonly aliases: Readonly<Record<string, Type>>;
  /** Types that are written out where they are used. */
  readonly inlined: Readonly<Record<string, Type>>;
  /** What the server answers when one is created, where OpenAPI says that it answers with the object. */
  readonly answers: Readonly<Record<string, Type>>;
  /** Properties that can be written and are never read. */
  readonly writeOnly: Readonly<Record<string, readonly string[]>>;
  /** Properties that the server sends as null when they are empty. */
  readonly nullable: Readonly<Record<string, readonly string[]>>;
}

const schemaProps: Type = { type: 'reference', module: 'apiextensions/v1', name: 'JSONSchemaProps' };

const aliases: Facts['aliases'] = {
  // A number is accepted too, but the server always sends a string.
  'meta/v1/Quantity': string,
  'apiextensions/v1/JSONSchemaPropsOrArray': {
    type: 'union',
    members: [schemaProps, { type: 'array', items: schemaProps }],
  },
  'apiextensions/v1/JSONSchemaPropsOrBool': { type: 'union', members: [schemaProps, boolean] },
  'apiextensions/v1/JSONSchemaPropsOrStringArray': {
    type: 'union',
    members: [schemaProps, { type: 'array', items: string }],
  },
};

const inlined: Facts['inlined'] = {
  // Declared, it would hide the global of that name.
  'apiextensions/v1/JSON': unknown,
};

const status: Type = { type: 'reference', module: 'meta/v1', name: 'Status' };

const answers: Facts['answers'] = {
  'policy/v1/Eviction': status,
  'v1/Binding': status,
};

const writeOnly: Facts['writeOnly'] = {
  'v1/Secret': ['stringData'],
};

// In Go: a Time that is no pointer and has no `omitzero`, or a slice, map or pointer without `omitempty` that OpenAPI
// does not require. Of those that it does require, three may be empty: limits, rules and drivers.
const nullable: Facts['nullable'] = {
  'apiextensions/v1/CustomResourceDefinitionCondition': ['lastTransitionTime'],
  'apiextensions/v1/CustomResourceDefinitionStatus': ['conditions', 'storedVersions'],
  'apiregistration/v1/APIServiceCondition': ['lastTransitionTime'],
  'apps/v1/DaemonSetCondition': ['lastTransitionTime'],
  'apps/v1/DeploymentCondition': ['lastTransitionTime', 'lastUpdateTime'],
  'apps/v1/ReplicaSetCondition': ['lastTransitionTime'],
  'apps/v1/StatefulSetCondition': ['lastTransitionTime'],
  'authentication/v1/TokenRequestSpec': ['audiences', 'boundObjectRef', 'expirationSeconds'],
  'authentication/v1/TokenRequestStatus': ['expirationTimestamp'],
  'autoscaling/v2/HorizontalPodAutoscalerCondition': ['lastTransitionTime'],
  'autoscaling/v2/HorizontalPodAutoscalerStatus': ['currentMetrics'],
  'batch/v1/JobCondition': ['lastProbeTime', 'lastTransitionTime'],
  'batch/v1/PodFailurePolicy': ['rules'],
  'certificates/v1/CertificateSigningRequestCondition': ['lastTransitionTime', 'lastUpdateTime'],
  'discovery/v1/EndpointSlice': ['endpoints', 'ports'],
  // Events that were recorded as v1/Event have no eventTime.
  'events/v1/Event': ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'eventTime'],
  'flowcontrol/v1/FlowSchemaCondition': ['lastTransitionTime'],
  'flowcontrol/v1/LimitedPriorityLevelConfiguration': ['nominalConcurrencyShares'],
  'flowcontrol/v1/PriorityLevelConfigurationCondition': ['lastTransitionTime'],
  'flowcontrol/v1/ResourcePolicyRule': ['namespaces'],
  'networking/v1/IngressClassParametersReference': ['scope'],
  'rbac/v1/ClusterRole': ['rules'],
  'rbac/v1/Role': ['rules'],
  'resource/v1/AllocatedDeviceStatus': ['conditions'],
  'resource/v1/CapacityRequestPolicy': ['default'],
  'resource/v1/DeviceClaim': ['requests'],
  'storage/v1/CSINodeDriver': ['topologyKeys'],
  'storage/v1/CSINodeSpec': ['drivers'],
  'storage/v1/VolumeError': ['time'],
  'v1/AzureFilePersistentVolumeSource': ['secretNamespace'],
  'v1/ContainerImage': ['names'],
  'v1/ContainerStateRunning': ['startedAt'],
  'v1/ContainerStateTerminated': ['finishedAt', 'startedAt'],
  'v1/Event': ['eventTime', 'firstTimestamp', 'lastTimestamp'],
  'v1/EventSeries': ['lastObservedTime'],
  'v1/GRPCAction': ['service'],
  'v1/LimitRangeSpec': ['limits'],
  'v1/NamespaceCondition': ['lastTransitionTime'],
  'v1/NodeCondition': ['lastHeartbeatTime', 'lastTransitionTime'],
  'v1/PersistentVolumeClaimCondition': ['lastProbeTime', 'lastTransitionTime'],
  'v1/PodCondition': ['lastProbeTime', 'lastTransitionTime'],
  'v1/ProjectedVolumeSource': ['sources'],
  'v1/ReplicationControllerCondition': ['lastTransitionTime'],
  'v1/TypedLocalObjectReference': ['apiGroup'],
  'v1/TypedObjectReference': ['apiGroup'],
};

export const facts: Facts = { aliases, inlined, answers, writeOnly, nullable };
