/** The tables of the kinds whose rules do not bring one, by resource and group; all others show their age alone. */
import { plainTable } from '../../../encode/table-columns.ts';
import type { TableRules } from '../../../resource/resource.ts';
import * as administration from './administration.ts';
import * as network from './network.ts';
import * as storage from './storage.ts';
import * as templates from './templates.ts';

export const tables: Readonly<Record<string, TableRules>> = {
  endpoints: network.endpointsTable,
  persistentvolumeclaims: storage.persistentVolumeClaimTable,
  persistentvolumes: storage.persistentVolumeTable,
  podtemplates: templates.podTemplateTable,
  replicationcontrollers: templates.replicationControllerTable,
  resourcequotas: administration.resourceQuotaTable,
  'apiservices.apiregistration.k8s.io': administration.apiServiceTable,
  'certificatesigningrequests.certificates.k8s.io': administration.certificateSigningRequestTable,
  'controllerrevisions.apps': templates.controllerRevisionTable,
  'cronjobs.batch': templates.cronJobTable,
  'csidrivers.storage.k8s.io': storage.csiDriverTable,
  'csinodes.storage.k8s.io': storage.csiNodeTable,
  'csistoragecapacities.storage.k8s.io': plainTable,
  'endpointslices.discovery.k8s.io': network.endpointSliceTable,
  'flowschemas.flowcontrol.apiserver.k8s.io': administration.flowSchemaTable,
  'ingressclasses.networking.k8s.io': network.ingressClassTable,
  'ingresses.networking.k8s.io': network.ingressTable,
  'ipaddresses.networking.k8s.io': network.ipAddressTable,
  'jobs.batch': templates.jobTable,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': administration.mutatingPolicyTable,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': administration.policyBindingTable,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': administration.webhookConfigurationTable,
  'networkpolicies.networking.k8s.io': network.networkPolicyTable,
  'priorityclasses.scheduling.k8s.io': administration.priorityClassTable,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': administration.priorityLevelTable,
  'resourceclaims.resource.k8s.io': administration.resourceClaimTable,
  'resourceslices.resource.k8s.io': administration.resourceSliceTable,
  'runtimeclasses.node.k8s.io': administration.runtimeClassTable,
  'servicecidrs.networking.k8s.io': network.serviceCidrTable,
  'storageclasses.storage.k8s.io': storage.storageClassTable,
  'validatingadmissionpolicies.admissionregistration.k8s.io': administration.validatingPolicyTable,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': administration.policyBindingTable,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': administration.webhookConfigurationTable,
  'volumeattachments.storage.k8s.io': storage.volumeAttachmentTable,
  'volumeattributesclasses.storage.k8s.io': storage.volumeAttributesClassTable,
};
