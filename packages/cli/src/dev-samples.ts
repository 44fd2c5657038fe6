/** Applies the samples of a project: the files in config/samples, whatever kinds they are of. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createDiscovery } from '@keelson/client';
import { isObject, type JsonObject, type NewObjectMeta } from '@keelson/core';
import { parseAllDocuments } from 'yaml';
import { CommandError } from './command-error.ts';

/** The files, or none when there is no such folder. */
export async function sampleFiles(folder: string): Promise<readonly string[]> {
  const samples = join(folder, 'config', 'samples');
  const names = await readdir(samples).catch(() => []);
  return names
    .filter((name) => /\.ya?ml$/.test(name) && name !== 'kustomization.yaml')
    .sort()
    .map((name) => join(samples, name));
}

/** Resolves with what was applied, such as `Memcached default/memcached-sample`. */
export async function applySamples(client: Client, files: readonly string[]): Promise<readonly string[]> {
  const discovery = createDiscovery(client);
  const applied: string[] = [];
  for (const file of files) {
    for (const document of parseAllDocuments(await readFile(file, 'utf8'))) {
      const object: unknown = document.toJS();
      if (object === null) continue; // nothing but comments
      if (!isSample(object)) throw new CommandError(`${file} holds no Kubernetes object`, 'mend it');
      const { apiVersion, kind: name, metadata } = object;
      const [version = '', group = ''] = apiVersion.split('/').reverse();
      const kind = await discovery.find({ group, version, kind: name });
      if (kind === undefined)
        throw new CommandError(`${file}: the cluster has no kind ${name} in ${apiVersion}`, 'mend it');
      const namespace = kind.scope === 'Cluster' ? undefined : (metadata.namespace ?? 'default');
      await client.apply(kind, { ...object, metadata: { ...metadata, namespace } });
      applied.push(`${name} ${namespace === undefined ? '' : `${namespace}/`}${metadata.name}`);
    }
  }
  return applied;
}

type Sample = JsonObject & { readonly apiVersion: string; readonly kind: string; readonly metadata: NewObjectMeta };

function isSample(value: unknown): value is Sample {
  if (!isObject(value)) return false;
  const { apiVersion, kind, metadata } = value;
  return typeof apiVersion === 'string' && typeof kind === 'string' && isObject(metadata);
}
