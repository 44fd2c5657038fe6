import assert from 'node:assert/strict';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { test } from 'node:test';
import { createApiServer, type Listening } from '@keelson/apiserver';
import { configMap, configMaps } from './fixtures.ts';

/** Kubeconfigs of this server are written line by line, so that a test can read them so. */
function field(kubeconfig: string, name: string): string {
  const value = new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1];
  assert.ok(value);
  return name.endsWith('-data') ? Buffer.from(value, 'base64').toString() : value;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function send(options: RequestOptions & { readonly url: string; readonly body?: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(options.url, { agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(options.body);
  });
}

const trusting = ({ kubeconfig }: Listening) => ({ ca: field(kubeconfig, 'certificate-authority-data') });
const asAdmin = (listening: Listening) => ({
  ...trusting(listening),
  cert: field(listening.kubeconfig, 'client-certificate-data'),
  key: field(listening.kubeconfig, 'client-key-data'),
});

test('the kubeconfig names a server that its authority vouches for, and its user may do everything', async () => {
  await using server = createApiServer();
  await using listening = await server.listen();
  assert.equal(field(listening.kubeconfig, 'server'), listening.url);
  const answer = await send({ ...asAdmin(listening), url: `${listening.url}${configMaps}` });
  assert.equal(answer.status, 200);
  const review = await send({
    ...asAdmin(listening),
    url: `${listening.url}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } } }),
  });
  assert.equal(JSON.parse(review.text).status.allowed, true);
});

test('without credentials a caller is anonymous, and one with unknown credentials is refused', async () => {
  await using server = createApiServer({ tokens: new Map([['secret', { name: 'somebody', groups: ['people'] }]]) });
  await using listening = await server.listen();
  const url = `${listening.url}${configMaps}`;
  const anonymous = await send({ ...trusting(listening), url });
  assert.equal(anonymous.status, 403);
  assert.match(
    JSON.parse(anonymous.text).message,
    /^configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"$/,
  );
  assert.equal((await send({ ...trusting(listening), url: `${listening.url}/readyz` })).text, 'ok');
  assert.equal((await send({ ...trusting(listening), url, headers: { authorization: 'Bearer wrong' } })).status, 401);
  const known = await send({ ...trusting(listening), url, headers: { authorization: 'Bearer secret' } });
  assert.equal(known.status, 403);
  assert.match(known.text, /User \\"somebody\\" cannot list/);
});

test('a closed listening takes its watches with it, and the next one finds everything as it was', async () => {
  await using server = createApiServer();
  const listening = await server.listen();
  const created = await send({
    ...asAdmin(listening),
    url: `${listening.url}${configMaps}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(configMap('kept')),
  });
  assert.equal(created.status, 201);
  const watching = send({ ...asAdmin(listening), url: `${listening.url}${configMaps}?watch=1` });
  const idle = send({ ...asAdmin(listening), url: `${listening.url}/version` });
  await idle;
  await listening[Symbol.asyncDispose]();
  await watching.then(
    ({ text }) => assert.match(text, /^(?:|\{"type":"ADDED".*\}\n)$/),
    (error: NodeJS.ErrnoException) => assert.match(String(error.code), /ECONNRESET|ECONNREFUSED/),
  );
  await assert.rejects(send({ ...asAdmin(listening), url: `${listening.url}/version` }), { code: 'ECONNREFUSED' });

  await using again = await server.listen({ port: listening.port });
  assert.equal(again.kubeconfig, listening.kubeconfig);
  const found = await send({ ...asAdmin(listening), url: `${again.url}${configMaps}/kept` });
  assert.deepEqual(JSON.parse(found.text), JSON.parse(created.text));
});

test('a body that is too large is refused', async () => {
  await using server = createApiServer();
  await using listening = await server.listen();
  const answer = await send({
    ...asAdmin(listening),
    url: `${listening.url}${configMaps}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'a' }, data: { x: 'y'.repeat(3 * 1024 * 1024) } }),
  });
  assert.equal(answer.status, 413);
});
