import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { systemRandom } from '@keelson/core/system';
import { createAuthority, type Identity } from '@keelson/core/x509';
import { VirtualClock } from '@keelson/testing';
import { maxBodyBytes, type WebhookCall, type WebhookHandler } from '../src/webhooks/webhook-handler.ts';
import { serveWebhooks } from '../src/webhooks/webhook-server.ts';

const host = '127.0.0.1';
const authority = createAuthority(systemRandom);
const identity = authority.issueServer('web', [host]);

/** A server with a certificate that can be taken away, and what stops it. */
async function given(handler: WebhookHandler, onError: (error: Error) => void = assert.fail) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const giveUp = new AbortController();
  let listener = () => {};
  const certificates = {
    current: identity as Identity | undefined,
    subscribe(heard: () => void) {
      listener = heard;
      return { [Symbol.dispose]() {} };
    },
  };
  const parts = { handler, certificates, onError, clock, drainMs: 5000 };
  const server = await serveWebhooks({ host, port: 0 }, { ...parts, stop: stop.signal, giveUp: giveUp.signal });
  const show = (current: Identity | undefined) => {
    certificates.current = current;
    listener();
  };
  return { clock, stop, giveUp, server, show, port: server.port };
}

/** Posts to the server; resolves with its answer. */
async function call(port: number, body: string | Buffer = '{}', connections?: Agent) {
  const agent = connections ?? new Agent({ keepAlive: true });
  const sent = request({
    agent,
    host,
    port,
    path: '/validate/x?timeout=1s',
    method: 'POST',
    ca: authority.certificate,
  });
  sent.setHeader('content-type', 'application/json');
  sent.end(body);
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  if (connections === undefined) agent.destroy();
  return { status: answer.statusCode as number, text, connection: answer.headers.connection as string | undefined };
}

const echo: WebhookHandler = async ({ path, body }) => ({
  status: 200,
  contentType: 'application/json',
  body: `${path} ${body.byteLength}`,
});

test('a call reaches the handler whole, and one with too long a body does not', async () => {
  const calls: WebhookCall[] = [];
  const world = await given((each) => {
    calls.push(each);
    return echo(each);
  });
  await using _server = world.server;
  assert.deepEqual(await call(world.port, '{"a":1}'), {
    status: 200,
    text: '/validate/x?timeout=1s 7',
    connection: 'keep-alive',
  });
  const { method, contentType, signal } = calls[0] ?? {};
  assert.deepEqual([method, contentType, signal?.aborted], ['POST', 'application/json', false]);
  const long = await call(world.port, Buffer.alloc(maxBodyBytes + 1));
  assert.deepEqual([long.status, long.text, long.connection], [413, 'the limit is 7340032 bytes\n', 'close']);
  assert.equal(calls.length, 1);
});

test('a new certificate is shown to the next caller, and without a valid one nobody is answered', async () => {
  const world = await given(echo);
  await using _server = world.server;
  const other = createAuthority(systemRandom);
  const kept = new Agent({ keepAlive: true });
  await call(world.port, '{}', kept);
  world.show(undefined);
  await assert.rejects(call(world.port), { code: /ECONNRESET|EPIPE/ });
  await assert.rejects(call(world.port, '{}', kept), { code: /ECONNRESET|EPIPE/ });
  kept.destroy();
  world.show(other.issueServer('web', [host]));
  await assert.rejects(call(world.port), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  const socket = connect({ host, port: world.port, ca: other.certificate });
  await once(socket, 'secureConnect');
  assert.equal(socket.authorized, true);
  socket.destroy();
  world.show(identity);
  assert.equal((await call(world.port)).status, 200);
});

test('a stop answers on for a while, then takes no new caller, and ends when the last call is answered', async () => {
  const answers: PromiseWithResolvers<void>[] = [];
  const called: (() => void)[] = [];
  const world = await given(async (each) => {
    const answer = Promise.withResolvers<void>();
    answers.push(answer);
    called.shift()?.();
    await answer.promise;
    return echo(each);
  });
  const begin = async () => {
    const begun = new Promise<void>((resolve) => void called.push(resolve));
    const answering = call(world.port);
    await begun;
    return { answering };
  };
  const before = await begin();
  world.stop.abort(new Error('SIGTERM'));
  let isOver = false;
  const ended = world.server[Symbol.asyncDispose]().then(() => {
    isOver = true;
  });
  const during = await begin();
  await world.clock.advance(4999);
  assert.equal(world.server.isListening, true);
  const late = await begin();
  await world.clock.advance(1);
  await assert.rejects(call(world.port), { code: 'ECONNREFUSED' });
  for (const [answer, { answering }] of [
    [answers[1], during],
    [answers[2], late],
  ] as const) {
    answer?.resolve();
    assert.equal((await answering).connection, 'close');
  }
  assert.deepEqual([isOver, world.server.isListening], [false, false]);
  answers[0]?.resolve();
  assert.equal((await before.answering).status, 200);
  await ended;
});

test('calls that have no answer when time is up are given up', async () => {
  const begun = Promise.withResolvers<AbortSignal | undefined>();
  const world = await given(({ signal }) => {
    begun.resolve(signal);
    return new Promise(() => {});
  });
  const answering = call(world.port);
  const signal = await begun.promise;
  world.stop.abort();
  const ended = world.server[Symbol.asyncDispose]();
  await world.clock.advance(5000);
  world.giveUp.abort();
  await ended;
  await assert.rejects(answering, { code: 'ECONNRESET' });
  assert.equal(signal?.aborted, true);
});

test('a caller that leaves before its answer keeps nobody waiting', async () => {
  const begun = Promise.withResolvers<void>();
  const world = await given(async (each) => {
    begun.resolve();
    await once(each.signal ?? assert.fail(), 'abort');
    return echo(each);
  });
  const agent = new Agent();
  const left = assert.rejects(call(world.port, '{}', agent), { code: 'ECONNRESET' });
  await begun.promise;
  agent.destroy();
  await left;
  await world.server[Symbol.asyncDispose]();
});

test('a handler that fails ends the call, and is reported', async () => {
  const errors: string[] = [];
  const failing = () => Promise.reject(new Error('by mistake'));
  const world = await given(failing, ({ message }) => void errors.push(message));
  await using _server = world.server;
  await assert.rejects(call(world.port), { code: 'ECONNRESET' });
  assert.deepEqual(errors, ['by mistake']);
});

test('a certificate that comes while the port is taken is shown, too', async () => {
  const certificates = {
    current: undefined as Identity | undefined,
    subscribe() {
      certificates.current = identity;
      return { [Symbol.dispose]() {} };
    },
  };
  const never = new AbortController().signal;
  const parts = { handler: echo, certificates, onError: assert.fail, clock: new VirtualClock(), drainMs: 0 };
  await using server = await serveWebhooks({ host, port: 0 }, { ...parts, stop: never, giveUp: never });
  assert.equal((await call(server.port)).status, 200);
});
