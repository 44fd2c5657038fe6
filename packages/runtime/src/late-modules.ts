/**
 * The two libraries that only a running operator needs, loaded when one starts.
 *
 * An operator is also imported by what never runs it: generators, tests, a CLI that prints its rules. prom-client (with
 * the API of OpenTelemetry behind it) took 62 ms of CPU to load and pino 21, of the 190 that importing the engine took.
 * `require` rather than `import()`, because a logger and a registry are made in one go; both packages are CommonJS.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const promClient = (): typeof import('prom-client') => require('prom-client');

export const pinoModule = (): typeof import('pino') => require('pino');
