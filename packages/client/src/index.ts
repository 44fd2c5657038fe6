export type {
  ApplyOptions,
  CallDefaults,
  CallOptions,
  Client,
  CreatableKind,
  CreatedOf,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  DeleteResult,
  GetOptions,
  GroupVersionKind,
  ListOptions,
  PatchOptions,
  RawOptions,
  Selection,
  SubresourceBody,
  UpdateOf,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
  WrittenOf,
} from './client/client.ts';
export { type ClientOptions, createClient } from './client/create-client.ts';
export type { OwnWrite } from './client/own-write.ts';
export type { JsonPatch, MergePatch, MergePatchOf } from './client/patch.ts';
export type { RequestAttempt, RequestMetrics } from './client/request-metrics.ts';
export type {
  ClusterConfig,
  Credentials,
  ExecPlugin,
  Impersonation,
  Material,
  TlsConfig,
} from './config/cluster-config.ts';
export { ConfigError, isConfigError } from './config/config-error.ts';
export { type LoadConfigOptions, loadConfig } from './config/load-config.ts';
export { isOnThisMachine } from './config/on-this-machine.ts';
export { Secret } from './config/secret.ts';
export { type InstallDefinitionsOptions, installDefinitions } from './definitions/install-definitions.ts';
export { createDiscovery, type DiscoveredKind, type Discovery, type KindQuery } from './discovery/discovery.ts';
export type { DiscoveredKinds } from './discovery/discovery-document.ts';
export type { EventSubject, NewEvent } from './events/event-object.ts';
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
} from './events/event-recorder.ts';
export {
  createInformer,
  type Informer,
  type InformerEvent,
  type InformerHandler,
  type InformerHealth,
  type InformerOptions,
  type OwnInformer,
  type SubscribeOptions,
} from './informer/informer.ts';
export type { IndexFunction } from './informer/object-index.ts';
export type { MissingRule, ReflectorCounts, ReflectorPhase } from './informer/reflector.ts';
export {
  createSharedInformers,
  type InformerHandle,
  type SharedInformerOptions,
  type SharedInformers,
  type SharedInformersOptions,
} from './informer/shared-informers.ts';
export type { Store, StoreReader, StoreSelection } from './informer/store.ts';
export { createLeaderElection, type LeaderElection, type LeaderElectionOptions } from './leader/leader-election.ts';
export { owningDeployment } from './leader/owning-deployment.ts';
export { isLeadershipLost, LeadershipLostError, type Term } from './leader/term.ts';
export type { QueueMetrics } from './queue/queue-metrics.ts';
export {
  type AddOptions,
  createWorkQueue,
  type WorkItem,
  type WorkQueue,
  type WorkQueueOptions,
} from './queue/work-queue.ts';
export { type EvictOptions, evict } from './subresources/eviction.ts';
export { type PodLogOptions, podLog } from './subresources/pod-log.ts';
export { getScale, setScale } from './subresources/scale.ts';
export { requestToken, type ServiceAccountToken, type TokenOptions } from './subresources/service-account-token.ts';
export { type ConnectOptions, connect } from './transport/connect.ts';
