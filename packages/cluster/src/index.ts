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
