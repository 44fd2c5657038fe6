/**
 * Kinds on which nothing works on this cluster, and what whoever writes one is told: a `Warning` header, which kubectl
 * prints. On a cluster of Kubernetes as it is installed, each of them has an effect.
 *
 * A kind leaves this table with the commit that gives it one.
 */
export const inertKinds: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    'networkpolicies.networking.k8s.io': 'its pods have no network',
    'apiservices.apiregistration.k8s.io': 'requests are not handed on to other servers',
    'certificatesigningrequests.certificates.k8s.io': 'nobody signs certificates',
    'flowschemas.flowcontrol.apiserver.k8s.io': 'requests are not limited',
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': 'requests are not limited',
    'runtimeclasses.node.k8s.io': 'its pods have no containers',
    'deviceclasses.resource.k8s.io': 'there are no devices',
    'resourceclaims.resource.k8s.io': 'there are no devices',
    'resourceclaimtemplates.resource.k8s.io': 'there are no devices',
    'resourceslices.resource.k8s.io': 'there are no devices',
    'csidrivers.storage.k8s.io': 'volumes are simulated',
    'volumeattachments.storage.k8s.io': 'volumes are simulated',
    'volumeattributesclasses.storage.k8s.io': 'volumes are simulated',
    'servicecidrs.networking.k8s.io': 'addresses of services come from a fixed range',
  }).map(([resource, why]) => [resource, `this cluster is simulated, and does nothing with ${resource}: ${why}`]),
);
