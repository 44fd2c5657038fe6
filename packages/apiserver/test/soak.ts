/**
 * What a busy cluster does to the server, hour after hour: objects change, come and go, are listed and watched, and so do
 * definitions with objects of theirs.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { configMap, configMaps, type Talk, type Watching } from './fixtures.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are really held, on the heap and beside it. */
export function heldBytes(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = 'x'.repeat(4000);
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

async function drain(watching: Watching): Promise<void> {
  while ((await watching.next()) !== undefined);
}

/** One round is a second of such a cluster; watches last a minute, definitions five. */
export async function soak(
  talk: Talk,
  { rounds, pass }: { readonly rounds: number; pass(): Promise<void> },
): Promise<void> {
  const streams: { readonly watching: Watching; readonly drained: Promise<void> }[] = [];
  const watch = async (path: string) => {
    const watching = await talk.watch(path);
    streams.push({ watching, drained: drain(watching).catch(() => {}) });
  };
  for (let round = 0; round < rounds; round += 1) {
    if (round % 60 === 0) {
      for (const { watching } of streams) watching[Symbol.dispose]();
      await Promise.all(streams.splice(0).map(({ drained }) => drained));
      const { metadata } = await talk.ok('GET', configMaps);
      await talk.ok('GET', configMaps, undefined, table);
      await watch(`${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
      await watch('/api/v1/configmaps?watch=1&labelSelector=a%3Db');
    }
    const name = `config-${round % 50}`;
    if (round < 50) await talk.send('POST', configMaps, configMap(name)); // there already, the second time
    await talk.mergePatch(`${configMaps}/${name}`, { data: { text, round: String(round) } });
    if (round % 10 === 0) {
      await talk.ok('POST', configMaps, { metadata: { name: `short-${round}` }, data: { text } });
      await talk.ok('DELETE', `${configMaps}/short-${round}`);
    }
    if (round % 300 === 150) await defineAndForget(talk, round);
    await pass();
  }
  for (const { watching } of streams) watching[Symbol.dispose]();
  await Promise.all(streams.map(({ drained }) => drained));
}

async function defineAndForget(talk: Talk, round: number): Promise<void> {
  const group = `g${round}.example.com`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await talk.ok('POST', definitions, {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  const path = `/apis/${group}/v1/namespaces/default/things`;
  for (let index = 0; index < 20; index += 1) {
    const metadata = { name: `thing-${index}` };
    await talk.ok('POST', path, { apiVersion: `${group}/v1`, kind: 'Thing', metadata, spec: { text } });
    await talk.ok('GET', `${path}/thing-${index}`);
  }
  await talk.ok('GET', path);
  await talk.ok('DELETE', `${definitions}/things.${group}`);
}
