/** Applies the samples of a project: the files in config/samples, whatever kinds they are of. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createDiscovery, type Discovery } from '@keelson/client';
import { isObject, type JsonObject, type NewObjectMeta } from '@keelson/core';
import { parseAllDocuments } from 'yaml';

/** The files, or none when there is no such folder. */
export async function sampleFiles(folder: string): Promise<readonly string[]> {
  const samples = join(folder, 'config', 'samples');
  const names = await readdir(samples).catch(() => []);
  return names
    .filter((name) => /\.ya?ml$/.test(name) && name !== 'kustomization.yaml')
    .sort()
    .map((name) => join(samples, name));
}

/** What became of a file: the objects that were applied, such as `Memcached default/memcached-sample`, and what went wrong. */
export interface AppliedFile {
  readonly file: string;
  readonly applied: readonly string[];
  readonly problem?: string | undefined;
}

/** Applies each file, whatever becomes of the others. */
export async function applySamples(client: Client, files: readonly string[]): Promise<readonly AppliedFile[]> {
  const discovery = createDiscovery(client);
  const results: AppliedFile[] = [];
  for (const file of files) {
    const applied: string[] = [];
    try {
      for (const document of parseAllDocuments(await readFile(file, 'utf8'))) {
        const object: unknown = document.toJS();
        if (object !== null) applied.push(await applySample(client, discovery, object)); // else nothing but comments
      }
      results.push({ file, applied });
    } catch (error) {
      results.push({ file, applied, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  return results;
}

async function applySample(client: Client, discovery: Discovery, object: unknown): Promise<string> {
  if (!isSample(object)) throw new TypeError('it holds no Kubernetes object');
  const { apiVersion, kind: name, metadata } = object;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const kind = await discovery.find({ group, version, kind: name });
  if (kind === undefined) throw new TypeError(`the cluster has no kind ${name} in ${apiVersion}`);
  const namespace = kind.scope === 'Cluster' ? undefined : (metadata.namespace ?? 'default');
  await client.apply(kind, asByKubectl({ ...object, metadata: { ...metadata, namespace } }));
  return `${name} ${namespace === undefined ? '' : `${namespace}/`}${metadata.name}`;
}

/** With the note by which "kubectl apply" of the same file later knows what it has to change; without it, it warns. */
function asByKubectl<T extends { readonly metadata: NewObjectMeta }>(object: T): T {
  const { metadata } = object;
  const annotations = { ...metadata.annotations };
  const lastApplied = `${JSON.stringify({ ...object, metadata: { ...metadata, annotations } }, inOrder)}\n`;
  const note = { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied };
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, ...note } } };
}

/** Go writes the fields of an object in the order of their names. */
const inOrder = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

type Sample = JsonObject & { readonly apiVersion: string; readonly kind: string; readonly metadata: NewObjectMeta };

function isSample(value: unknown): value is Sample {
  if (!isObject(value)) return false;
  const { apiVersion, kind, metadata } = value;
  return typeof apiVersion === 'string' && typeof kind === 'string' && isObject(metadata);
}
