export { type Account, applyAccount } from './account.ts';
export type { MeasuredPods, SimulatedMetrics, Usage } from './autoscaler/simulated-metrics.ts';
export { type Cluster, type ClusterOptions, createCluster } from './cluster.ts';
export {
  type ControllerName,
  type Controllers,
  type ControllersOptions,
  controllerNames,
  createControllers,
  isControllerName,
} from './controllers.ts';
export type { ClusterLogger } from './logger.ts';
export type { NodeOptions } from './node/controller.ts';
export type { NodePower } from './node/power.ts';
export { type PodBehaviour, type PodFailure, type PodRule, type PodSelector, podRules } from './pods/behaviour.ts';
export type { Pods } from './pods/rules.ts';
export type { PodConnection, PodSession, PortHandler, SessionHandler } from './pods/sessions.ts';
export type { ClusterServices, ServiceName } from './services.ts';
