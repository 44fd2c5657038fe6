/** The rules of built-in kinds, by resource and group; a kind that is not here follows the common rules alone. */

import {
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  mutatingWebhookConfiguration,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
  validatingWebhookConfiguration,
} from './admission.ts';
import { autoscalerV1, autoscalerV2 } from './autoscaler.ts';
import { configMap, secret } from './config.ts';
import { cronJob } from './cron-job.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { daemonSet } from './daemon-set.ts';
import { podDisruptionBudget } from './disruption-budget.ts';
import { endpointSlice, endpoints } from './endpoints.ts';
import { coreEvent, event } from './event.ts';
import { job } from './job.ts';
import type { KindRules } from './kind-rules.ts';
import { limitRange } from './limit-range.ts';
import { namespace } from './namespace.ts';
import {
  apiService,
  conditional,
  counted,
  csiDriver,
  ingress,
  lease,
  networkPolicy,
  node,
  priorityClass,
  returned,
  serviceAccount,
} from './plain-kinds.ts';
import { pod } from './pod.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './rbac.ts';
import { replicationController } from './replication-controller.ts';
import { resourceQuota } from './resource-quota.ts';
import { service } from './service.ts';
import { controllerRevision, statefulSet } from './stateful-set.ts';
import { persistentVolume, persistentVolumeClaim, storageClass } from './storage.ts';
import { deployment, replicaSet } from './workloads.ts';

/** By resource and group, and by version where the versions of a kind differ. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  configmaps: configMap,
  endpoints,
  events: coreEvent,
  limitranges: limitRange,
  namespaces: namespace,
  nodes: node,
  persistentvolumeclaims: persistentVolumeClaim,
  persistentvolumes: persistentVolume,
  pods: pod,
  podtemplates: { generation: 'content', returnsDeleted: true },
  replicationcontrollers: replicationController,
  resourcequotas: resourceQuota,
  secrets: secret,
  serviceaccounts: serviceAccount,
  services: service,
  'apiservices.apiregistration.k8s.io': apiService,
  'customresourcedefinitions.apiextensions.k8s.io': customResourceDefinition,
  'controllerrevisions.apps': controllerRevision,
  'cronjobs.batch': cronJob,
  'daemonsets.apps': daemonSet,
  'deployments.apps': deployment,
  'jobs.batch': job,
  'replicasets.apps': replicaSet,
  'statefulsets.apps': statefulSet,
  'events.events.k8s.io': event,
  'horizontalpodautoscalers.autoscaling@v1': autoscalerV1,
  'horizontalpodautoscalers.autoscaling@v2': autoscalerV2,
  'leases.coordination.k8s.io': lease,
  'endpointslices.discovery.k8s.io': endpointSlice,
  'poddisruptionbudgets.policy': podDisruptionBudget,
  'roles.rbac.authorization.k8s.io': role,
  'clusterroles.rbac.authorization.k8s.io': clusterRole,
  'rolebindings.rbac.authorization.k8s.io': roleBinding,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBinding,
  'ingresses.networking.k8s.io': ingress,
  'ingressclasses.networking.k8s.io': counted,
  'networkpolicies.networking.k8s.io': networkPolicy,
  'priorityclasses.scheduling.k8s.io': priorityClass,
  'runtimeclasses.node.k8s.io': { createOnUpdate: true, unconditionalUpdate: false },
  'storageclasses.storage.k8s.io': storageClass,
  'volumeattributesclasses.storage.k8s.io': returned,
  'csidrivers.storage.k8s.io': csiDriver,
  'csinodes.storage.k8s.io': { returnsDeleted: true, unconditionalUpdate: false },
  'csistoragecapacities.storage.k8s.io': conditional,
  'volumeattachments.storage.k8s.io': { returnsDeleted: true, unconditionalUpdate: false },
  'deviceclasses.resource.k8s.io': { generation: 'content', returnsDeleted: true },
  'resourceclaims.resource.k8s.io': returned,
  'resourceclaimtemplates.resource.k8s.io': returned,
  'resourceslices.resource.k8s.io': { generation: 'content', returnsDeleted: true },
  'flowschemas.flowcontrol.apiserver.k8s.io': counted,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': counted,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': mutatingWebhookConfiguration,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': validatingWebhookConfiguration,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': mutatingAdmissionPolicy,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': mutatingAdmissionPolicyBinding,
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingAdmissionPolicy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': validatingAdmissionPolicyBinding,
};
