export { kubernetesVersion } from './binaries/versions.ts';
export { type Availability, type AvailabilityOptions, availability } from './cluster/availability.ts';
export { startControllerManager } from './controller-manager.ts';
export { type E2eResult, type E2eRunOptions, type E2eSuite, e2eSuite } from './e2e-suite.ts';
export { type Forwarder, startForwarder } from './forwarder.ts';
export { type KubectlEnvironmentOptions, kubectlEnvironment } from './kubectl-environment.ts';
export { kubeconfig } from './pki/kubeconfig.ts';
export type { Command, Finished } from './processes/run.ts';
export { type Identity, type Kubernetes, type KubernetesOptions, startKubernetes } from './start-kubernetes.ts';
