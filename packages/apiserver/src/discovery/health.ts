/** What the server says of itself: alive, ready, which version, and which paths it has. */
import { readFileSync } from 'node:fs';
import { dataFile } from '../data-file.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, jsonType, textResponse } from '../request/exchange.ts';
import { isTrue } from '../request/request-info.ts';
import type { Registry } from '../resource/registry.ts';
import { apiVersionOf } from '../resource/resource.ts';

/** The version whose behaviour is served, as clients compare it with their own. */
function versionInfo(): Readonly<Record<string, string>> {
  const gitVersion = readFileSync(dataFile('openapi/VERSION'), 'utf8').trim();
  const [major = '', minor = ''] = gitVersion.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'none',
    compiler: 'none',
    platform: 'keelson',
  };
}

const indented = (value: unknown): ApiResponse => ({
  status: 200,
  headers: { 'content-type': jsonType },
  body: [Buffer.from(JSON.stringify(value, null, 2))],
});

/** `/`, `/version`, `/healthz` and their like; `undefined` for everything else. */
export function health({ path, query, method }: ApiRequest, registry: Registry): ApiResponse | undefined {
  const match = /^\/(?<check>healthz|livez|readyz)(?:\/(?<part>[\w-]+))?\/?$/.exec(path)?.groups;
  if (match !== undefined) {
    const { check, part } = match;
    if (part !== undefined && part !== 'ping') return textResponse(404, '404 page not found\n');
    const isVerbose = query.has('verbose') && isTrue(query.get('verbose'));
    return textResponse(200, isVerbose ? `[+]ping ok\n${check} check passed\n` : 'ok');
  }
  if (method !== 'GET') return undefined;
  if (path === '/version' || path === '/version/') return indented(versionInfo());
  if (path === '/') return indented({ paths: pathsOf(registry) });
  if (path === '/metrics')
    return jsonResponse(501, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'metrics are not implemented by this server',
      reason: 'NotImplemented',
      code: 501,
    });
  return undefined;
}

function pathsOf(registry: Registry): readonly string[] {
  const groups = registry
    .groups()
    .flatMap(({ group, versions }) => [
      ...(group === '' ? [] : [`/apis/${group}`]),
      ...versions.map(({ version }) => `/${group === '' ? 'api' : 'apis'}/${apiVersionOf({ group, version })}`),
    ]);
  return ['/api', '/apis', ...groups, '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'].sort();
}
