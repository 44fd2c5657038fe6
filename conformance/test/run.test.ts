import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type Case, runCase, runCases, Session } from '@keelson/conformance';

/** A server that keeps nothing and says what it is told to say. */
async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const session = new Session({
    server: `http://127.0.0.1:${port}`,
    certificateAuthority: undefined,
    skipVerification: false,
    clientCertificate: undefined,
    clientKey: undefined,
    token: 'secret',
  });
  return {
    session,
    async [Symbol.asyncDispose]() {
      await session.close();
      server.close();
    },
  };
}

const caseOf = (proof: Case['proof'], needs?: Case['needs']): Case => ({
  area: 'area',
  sentence: 'sentence',
  name: 'area: sentence',
  needs,
  proof,
});

test('a failure shows the request and the answer that disagreed, without the token', async () => {
  await using server = await startServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"kind":"Doodad"}');
  });
  const outcome = await runCase(
    server.session,
    caseOf(async (t) => {
      (await t.put('/things/a', { size: 1 }, { query: { dryRun: 'All' } })).is(200, { kind: 'Gadget' });
    }),
  );
  assert(outcome.type === 'failed');
  assert.equal(
    outcome.report,
    `kind: expected "Gadget", got "Doodad"
> PUT /things/a?dryRun=All
> user-agent: conformance/1.0
> accept: application/json
> authorization: …
> content-type: application/json
> {"size":1}
< 200
< content-type: application/json
< {"kind":"Doodad"}`,
  );
});

test('a refusal is compared whole', async () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'NotFound', code: 404 };
  await using server = await startServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...status, message: 'gone', details: { name: 'a', kind: 'things', uid: 'u' } }));
  });
  const outcome = await runCase(
    server.session,
    caseOf(async (t) => {
      const details = { name: 'a', kind: 'things' };
      (await t.get('/things/a')).refuses({ code: 404, reason: 'NotFound', message: 'gone', details });
    }),
  );
  assert(outcome.type === 'failed');
  assert.match(outcome.report, /^details\.uid: expected nothing, got "u"\n/);
});

test('a watch that shows another event than the expected one fails with the events until then', async () => {
  await using server = await startServer((_, response) => {
    response.end('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n');
  });
  const outcome = await runCase(
    server.session,
    caseOf(async (t) => {
      const watch = await t.watch('/things');
      await watch.next({ type: 'DELETED' });
    }),
  );
  assert(outcome.type === 'failed');
  assert.match(outcome.report, /^type: expected "DELETED", got "ADDED"\nevents until then:\n\{"type":"ADDED"/);
});

test('what a case has made is removed after it, the last first', async () => {
  const seen: string[] = [];
  await using server = await startServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.statusCode = request.method === 'POST' ? 201 : 404;
    response.end('{"metadata":{"name":"made"}}');
  });
  const outcome = await runCase(
    server.session,
    caseOf(async (t) => {
      await t.post('/one', {});
      await t.post('/two', {});
      await t.post('/dry', {}, { query: { dryRun: 'All' } });
    }),
  );
  assert.equal(outcome.type, 'passed');
  assert.deepEqual(
    seen.filter((line) => line.startsWith('DELETE')).map((line) => line.split('?')[0]),
    ['DELETE /two/made', 'DELETE /one/made'],
  );
});

test('what cannot be removed is told', async () => {
  await using server = await startServer((request, response) => {
    response.statusCode = request.method === 'POST' ? 201 : 500;
    response.end(request.method === 'POST' ? '{"metadata":{"name":"made"}}' : 'no');
  });
  const outcome = await runCase(
    server.session,
    caseOf(async (t) => {
      await t.post('/one', {});
    }),
  );
  assert.deepEqual(outcome.type === 'passed' && outcome.leftBehind, ['/one/made: no']);
});

test('a case that needs what is not there is skipped with the reason, and the others run', async () => {
  await using server = await startServer((_, response) => void response.end('{}'));
  const outcomes: string[] = [];
  await runCases(server.session, [caseOf(async () => {}, 'compaction'), caseOf(async () => {})], {
    concurrency: 2,
    report: ({ outcome }) => outcomes.push(outcome.type === 'skipped' ? outcome.reason : outcome.type),
  });
  assert.deepEqual(outcomes, ['passed', 'this runner cannot compact the history of the server']);
});
