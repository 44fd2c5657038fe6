/**
 * What the load does over HTTPS, in the process of the server: no sockets, and no TLS. Arguments: how many pods there are
 * before, how many are created, and how many watch.
 */
import { argv } from 'node:process';
import { createApiServer } from '@keelson/apiserver';
import { heldBytes } from '../held-bytes.ts';
import { Meter, tell } from '../subject.ts';
import { newNamespace, pod, podName, podsPath } from './pod.ts';

const [, , population = '', count = '', watchers = ''] = argv;
const { transport } = createApiServer();
const headers = { accept: 'application/json', 'content-type': 'application/json' };

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const bytes of body) length += bytes.length;
  return length;
}

async function post(path: string, body: string): Promise<void> {
  const answer = await transport.request({ method: 'POST', path, headers, body });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status}`);
  await bytesOf(answer.body);
}

async function create(namespace: string, pods: number): Promise<Meter> {
  for (const { path, body } of newNamespace(namespace)) await post(path, body);
  const bodies = Array.from({ length: pods }, (_, index) => pod(podName(index)));
  const work = new Meter();
  for (const body of bodies) await post(podsPath(namespace), body);
  return work;
}

const empty = heldBytes();
await create('population', Number(population));
const podBytes = (heldBytes() - empty) / Number(population);
const creates = await create('creates', Number(count));
const createsMs = creates.wallMs();

const listing = new Meter();
const list = await transport.request({ method: 'GET', path: podsPath('population'), headers });
const bytes = await bytesOf(list.body);
const listMs = listing.wallMs();

let missing = Number(watchers) * Number(count);
const delivered = Promise.withResolvers<void>();
for (let watcher = 0; watcher < Number(watchers); watcher += 1) {
  const path = `${podsPath('watched')}?watch=true`;
  const { body } = await transport.request({ method: 'GET', path, headers, streaming: true });
  void heard(body);
}

async function heard(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of body) {
    for (let at = piece.indexOf(0x0a); at !== -1; at = piece.indexOf(0x0a, at + 1)) missing -= 1;
    if (missing === 0) delivered.resolve();
  }
}

const watching = await create('watched', Number(count));
await delivered.promise;
tell({ podBytes, createsMs, listMs, bytes, deliveredMs: watching.wallMs() });
