/**
 * The OpenAPI documents in packages/apiserver/openapi: the bytes that the API server sent, compressed.
 *
 * Below that folder, `apis/apps/v1.json.gz` is what /openapi/v3/apis/apps/v1 gives, `index.json.gz` is /openapi/v3
 * itself, and VERSION names the server's version.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Documents, OpenApiDocument } from './openapi.ts';

export interface Snapshot {
  /** Such as `v1.36.4`. */
  readonly version: string;
  readonly index: Buffer;
  /** By path in the index, such as `apis/apps/v1`. */
  readonly documents: ReadonlyMap<string, Buffer>;
}

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export function parse({ documents }: Snapshot): Documents {
  return new Map([...documents].map(([path, bytes]) => [path, JSON.parse(bytes.toString()) as OpenApiDocument]));
}

export function readSnapshot(folder: string): Snapshot {
  const read = (path: string) => gunzipSync(readFileSync(fileOf(folder, path)));
  const index = read('index');
  return {
    version: readFileSync(join(folder, 'VERSION'), 'utf8').trim(),
    index,
    documents: new Map(Object.keys(addressesOf(index)).map((path) => [path, read(path)])),
  };
}

/** Asks a server for all documents; `get` takes a path with its query. The server must serve Kubernetes' own APIs only. */
export async function fetchSnapshot(get: (path: string) => Promise<Buffer>): Promise<Snapshot> {
  const { gitVersion } = JSON.parse((await get('/version')).toString()) as { gitVersion: string };
  const definitions = JSON.parse((await get(`${definitionsPath}?limit=1`)).toString()) as { items: readonly unknown[] };
  if (definitions.items.length > 0) throw new Error('the server has CustomResourceDefinitions; take a new one');
  const index = await get('/openapi/v3');
  const documents = new Map<string, Buffer>();
  for (const [path, address] of Object.entries(addressesOf(index))) documents.set(path, await get(address));
  const snapshot = { version: gitVersion, index, documents };
  const [damaged] = damagedIn(snapshot);
  // The server was still putting its documents together.
  if (damaged !== undefined) throw new Error(`/openapi/v3/${damaged} changed while it was read; try again`);
  return snapshot;
}

/** Documents whose bytes are not those that the index has the hash of. */
export function damagedIn({ index, documents }: Snapshot): readonly string[] {
  const addresses = Object.entries(addressesOf(index));
  return addresses.flatMap(([path, address]) => {
    const hash = createHash('sha512')
      .update(documents.get(path) ?? '')
      .digest('hex')
      .toUpperCase();
    return address.endsWith(`?hash=${hash}`) ? [] : path;
  });
}

/** Makes `folder` hold the snapshot, and leaves files alone that do: compressors differ between machines. */
export function writeSnapshot(folder: string, { version, index, documents }: Snapshot): void {
  const wanted = new Map(
    [...documents, ['index', index] as const].map(([path, bytes]) => [fileOf(folder, path), bytes]),
  );
  mkdirSync(folder, { recursive: true });
  for (const path of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
    if (!path.endsWith('.json.gz')) continue;
    const file = join(folder, path);
    const bytes = wanted.get(file);
    if (bytes?.equals(gunzipSync(readFileSync(file)))) wanted.delete(file);
    else rmSync(file);
  }
  for (const [file, bytes] of wanted) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, gzipSync(bytes, { level: 9 }));
  }
  writeFileSync(join(folder, 'VERSION'), `${version}\n`);
}

function addressesOf(index: Buffer): Readonly<Record<string, string>> {
  const { paths } = JSON.parse(index.toString()) as { paths: Record<string, { serverRelativeURL: string }> };
  return Object.fromEntries(Object.entries(paths).map(([path, { serverRelativeURL }]) => [path, serverRelativeURL]));
}

function fileOf(folder: string, path: string): string {
  return join(folder, `${path}.json.gz`);
}
