export type { Tokens } from './authenticate/authenticate.ts';
export type { User } from './authenticate/user.ts';
export type { ContainerLog, ContainerLogs, LogOptions, LogRequest } from './container-logs.ts';
export type { ApiServer, ApiServerOptions, Listening, ListenOptions } from './server.ts';
export { createApiServer } from './server.ts';
