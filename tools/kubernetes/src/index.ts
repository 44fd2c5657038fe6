export { type Availability, availability, type Wanted } from './availability.ts';
export { type Forwarder, startForwarder } from './forwarder.ts';
export { type KubectlEnvironmentOptions, kubectlEnvironment } from './kubectl-environment.ts';
export { isProblem } from './problem.ts';
export type { Command, Finished } from './processes/run.ts';
export { type Identity, type Kubernetes, type KubernetesOptions, startKubernetes } from './start-kubernetes.ts';
export { etcdVersion, kubernetesVersion } from './versions.ts';
