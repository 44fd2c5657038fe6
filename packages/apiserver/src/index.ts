export type { Tokens, User } from './authenticate.ts';
export type { ApiServer, ApiServerOptions, Listening, ListenOptions } from './server.ts';
export { createApiServer } from './server.ts';
