export type { ContainerLog, ContainerLogRequest, ContainerLogs } from './container-logs.ts';
export type {
  ContainerSession,
  ContainerSessionRequest,
  ContainerSessions,
  SessionStreams,
  Writer,
} from './container-sessions.ts';
export type { PodPorts, PodPortsAnswer, PodPortsRequest, PortConnection } from './pod-ports.ts';
export type { PodUsage } from './pod-usage.ts';
export type { Remarks } from './remarks.ts';
export type { User } from './request/user.ts';
export type { ApiServer, ApiServerOptions, Listening, ServingOptions } from './server.ts';
export { createApiServer } from './server.ts';
export type { ServiceAddress, Services } from './services.ts';
