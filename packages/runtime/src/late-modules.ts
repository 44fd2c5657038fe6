/**
 * What only a running operator needs: two libraries, and Node's HTTP servers, loaded when one starts.
 *
 * An operator is also imported by what never runs it: generators, tests, a CLI that prints its rules. prom-client (with
 * the API of OpenTelemetry behind it) took 62 ms of CPU to load and pino 21, of the 190 that importing the engine took.
 * `require` rather than `import()`, because a logger and a registry are made in one go; both packages are CommonJS.
 */
import { createRequire } from 'node:module';
import { getBuiltinModule } from 'node:process';

const require = createRequire(import.meta.url);

export const promClient = (): typeof import('prom-client') => require('prom-client');

export const pinoModule = (): typeof import('pino') => require('pino');

/**
 * Not by `import`, which reads every member of a built-in module: of http, one is a getter that loads an HTTP client, for
 * 50 ms of CPU.
 */
export const nodeHttp = (): typeof import('node:http') => getBuiltinModule('node:http');

export const nodeHttps = (): typeof import('node:https') => getBuiltinModule('node:https');
