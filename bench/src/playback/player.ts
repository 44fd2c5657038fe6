/**
 * A program that plays a recording over HTTPS, as an API server would: argv is the file with the recording, how many
 * Caches there are, and after how many milliseconds a write is answered. It tells its parent where it is, and when all
 * Caches are Available.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { argv } from 'node:process';
import { json } from 'node:stream/consumers';
import { systemClock, systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import { Script, type Told } from './script.ts';

process.once('disconnect', () => process.exit()); // whoever started it is gone

/** What it tells its parent. */
export type PlayerMessage =
  | { readonly type: 'listening'; readonly server: string; readonly certificateAuthority: string }
  | { readonly type: 'available' };

const [, , file = '', count = '1', answerMs = '0'] = argv;
const script = new Script(JSON.parse(readFileSync(file, 'utf8')));
const watches = new Map<string, ServerResponse[]>();
const made = new Set<number>();
const available = new Set<number>();
const say = (message: PlayerMessage) => process.send?.(message);

const after = (delayMs: number, act: () => void) => {
  if (delayMs > 0) systemClock.setTimer(delayMs, act);
  else act();
};

function tell({ kind, line }: Told): void {
  for (const watch of watches.get(kind) ?? []) watch.write(`${line}\n`);
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

const kinds = { caches: 'Cache', deployments: 'Deployment', pods: 'Pod' } as const;

/** A list that is streamed, and what comes after it. */
function watch(resource: keyof typeof kinds, response: ServerResponse): void {
  const kind = kinds[resource];
  response.writeHead(200, { 'content-type': 'application/json' });
  watches.set(kind, [...(watches.get(kind) ?? []), response]);
  if (kind === 'Cache') for (let i = 0; i < Number(count); i++) response.write(`${script.initial(i).line}\n`);
  const { resourceVersion } = script;
  const metadata = { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } };
  response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
}

function makeDeployment(index: number, response: ServerResponse): void {
  if (made.has(index))
    throw new RangeError(`cache-${index}: its Deployment is written twice; the recording has one write`);
  made.add(index);
  const { answer: object, told } = script.deploymentMade(index);
  answer(response, 201, object);
  tell(told);
  for (const { afterMs, tell: next } of script.following()) after(afterMs, () => tell(next(index)));
}

function writeStatus(index: number, status: object, response: ServerResponse): void {
  const { answer: object, told, isAvailable } = script.statusWritten(index, status);
  answer(response, 200, object);
  tell(told);
  if (isAvailable) available.add(index);
  if (available.size === Number(count)) say({ type: 'available' });
}

function write(path: string, body: { readonly status?: object }, response: ServerResponse): void {
  const [, resource, index, subresource] = /\/(deployments|caches)\/cache-(\d+)(\/status)?\?/.exec(path) ?? [];
  if (resource === 'deployments') makeDeployment(Number(index), response);
  else if (subresource !== undefined) writeStatus(Number(index), body.status ?? {}, response);
  // Whatever the operator asks about its rights, it has them; and Events are taken as they are.
  else answer(response, 201, JSON.stringify({ ...body, status: { allowed: true } }));
}

const authority = createAuthority(systemRandom);
const { certificate: cert, key } = authority.issueServer('player', ['127.0.0.1']);
const server = createServer({ cert, key }, (request, response) => {
  const { url = '', method } = request;
  const resource = /\/(caches|deployments|pods)\?.*watch=(?:true|1)/.exec(url)?.[1];
  if (method === 'GET' && resource !== undefined) watch(resource as keyof typeof kinds, response);
  else if (method === 'GET') answer(response, 404, JSON.stringify({ kind: 'Status', code: 404, reason: 'NotFound' }));
  // A failure ends the program: what an operator does about it must not be measured.
  else void json(request).then((body) => after(Number(answerMs), () => write(url, body as object, response)));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  say({ type: 'listening', server: `https://127.0.0.1:${port}`, certificateAuthority: authority.certificate });
});
