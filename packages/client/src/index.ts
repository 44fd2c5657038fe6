export type {
  ApplyOptions,
  CallDefaults,
  CallOptions,
  Client,
  CreatableKind,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  DeleteResult,
  GetOptions,
  ListOptions,
  PatchOptions,
  Selection,
  UpdateOf,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
} from './client/client.ts';
export { type ClientOptions, createClient } from './client/create-client.ts';
export type { JsonPatch, JsonPatchOperation, MergePatch } from './client/patch.ts';
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
export { Secret } from './config/secret.ts';
export { type InstallDefinitionsOptions, installDefinitions } from './definitions/install-definitions.ts';
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
export type { MissingRule, ReflectorPhase } from './informer/reflector.ts';
export {
  createSharedInformers,
  type InformerHandle,
  type SharedInformerOptions,
  type SharedInformers,
  type SharedInformersOptions,
} from './informer/shared-informers.ts';
export type { Store, StoreReader, StoreSelection } from './informer/store.ts';
export type { QueueMetrics } from './queue/queue-metrics.ts';
export {
  type AddOptions,
  createWorkQueue,
  type WorkItem,
  type WorkQueue,
  type WorkQueueOptions,
} from './queue/work-queue.ts';
export { type ConnectOptions, connect } from './transport/connect.ts';
