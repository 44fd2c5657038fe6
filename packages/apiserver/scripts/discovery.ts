/**
 * Writes data/discovery-api.json.gz, data/discovery-apis.json.gz and data/openapi-v2.json.gz: what a real API server
 * without any custom resources says that it serves.
 *
 *     kubectl proxy & node packages/apiserver/scripts/discovery.ts http://127.0.0.1:8001
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { gzipSync } from 'node:zlib';

const server = argv[2];
if (server === undefined) throw new TypeError('needs the address of a proxy to a real API server');

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const files = [
  ['api', aggregated, 'discovery-api'],
  ['apis', aggregated, 'discovery-apis'],
  ['openapi/v2', 'application/json', 'openapi-v2'],
] as const;

for (const [path, accept, file] of files) {
  const answer = await fetch(`${server}/${path}`, { headers: { accept } });
  if (!answer.ok) throw new Error(`${server}/${path}: ${answer.status}`);
  const bytes = gzipSync(JSON.stringify(await answer.json()), { level: 9 });
  bytes[9] = 0xff; // the operating system, which gzip writes into its header, must not show
  writeFileSync(join(import.meta.dirname, `../data/${file}.json.gz`), bytes);
}
