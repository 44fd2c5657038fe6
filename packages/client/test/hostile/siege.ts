/**
 * Lets a client and an informer live with a hostile server for a while, and judges them: every call ends in its time,
 * nothing fails outside of a promise that somebody waits for, no error holds our token, requests keep their pace, and
 * memory comes back.
 */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { connect, createClient, createInformer, podLog, Secret } from '../../src/index.ts';
import { runInformer } from '../run-informer.ts';
import { configFor } from '../scripted-server.ts';
import { fastClock } from '../suites/fast-clock.ts';
import { type Behaviour, startHostileServer } from './hostile-server.ts';

const token = 'eyJhbGciOiJSUzI1NiIsImtpZCI6Ik1hIn0.eyJzdWIiOiJzeXN0ZW06c2VydmljZSJ9.c2lnbmF0dXJl';

/** A call and its retries end in this time, and a little more on a busy machine. */
const callMs = 400;
const graceMs = 60_000;
/** The informer's time runs so much faster, or it would back off through all of the siege. */
const factor = 50;

export interface Findings {
  /** Requests of the informer alone. */
  readonly requests: number;
  /** What `onError` was told. */
  readonly errors: number;
  /** The most that buffers outside of the heap held. */
  readonly bufferBytes: number;
}

export async function besiege(behaviour: Behaviour, random: () => number, forMs: number): Promise<Findings> {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note).on('uncaughtException', note);
  let bufferBytes = 0;
  const measuring = new AbortController();
  const measure = async () => {
    while (!measuring.signal.aborted) {
      bufferBytes = Math.max(bufferBytes, process.memoryUsage().arrayBuffers);
      await sleep(systemClock, 20, measuring.signal).catch(() => {});
    }
  };
  const measured = measure();
  try {
    const heard: unknown[] = [];
    await using calls = await startHostileServer(behaviour, random);
    await using watched = await startHostileServer(behaviour, random);
    const credentials = { type: 'token', token: new Secret(token) } as const;
    await using callTransport = connect(configFor(calls.url, { credentials }));
    await using watchTransport = connect(configFor(watched.url, { credentials }));
    const onWarning = (warning: string) => heard.push(warning);
    const client = createClient({ transport: callTransport, timeoutMs: callMs, onWarning });
    const clock = fastClock(systemClock, factor);
    const watcher = createClient({ transport: watchTransport, onWarning });
    let errors = 0;
    const informer = createInformer(watcher, ConfigMap, {
      clock,
      onError: (error) => {
        errors += 1;
        heard.push(error);
      },
    });
    {
      await using _running = runInformer(informer);
      const asked = Object.entries({
        get: () => client.get(ConfigMap, 'x/a'),
        find: () => client.find(ConfigMap, 'x/a'),
        list: () => client.list(ConfigMap, { namespace: 'x' }),
        create: () => client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }),
        delete: () => client.delete(ConfigMap, 'x/a'),
        kind: () => client.get({ group: 'g', version: 'v1', kind: 'K' }, 'x/a'),
        document: () => client.getRaw('/version'),
        watch: () => first(client.watch(ConfigMap, { timeoutMs: callMs })),
        log: () => first(podLog(client, 'x/a', { timeoutMs: callMs })),
      });
      await Promise.all(asked.map(([name, ask]) => ends(name, ask, heard)));
      await sleep(systemClock, forMs);
    }
    heard.push(informer.health);
    assert.deepEqual(unhandled, []);
    assertNoSecret(heard);
    return { requests: watched.requests, errors, bufferBytes };
  } finally {
    measuring.abort();
    await measured;
    process.off('unhandledRejection', note).off('uncaughtException', note);
  }
}

/** Whatever its end is: an answer or an error of our own, in time. */
async function ends(name: string, ask: () => Promise<unknown>, heard: unknown[]): Promise<void> {
  const late = Symbol('late');
  const settled = ask().catch((error: unknown) => {
    heard.push(error);
    const { code } = error as { readonly code?: unknown };
    assert.match(String(code), /^ERR_(API|TRANSPORT|CONFIG)$/, `${name} failed with ${inspect(error)}`);
  });
  const outcome = await Promise.race([settled, sleep(systemClock, callMs + graceMs).then(() => late)]);
  assert.notEqual(outcome, late, `${name} did not end`);
}

/** The first of a stream that may never begin; its own time bounds only its beginning. */
async function first(stream: AsyncIterable<unknown>): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  await Promise.race([iterator.next(), sleep(systemClock, callMs)]);
  iterator.return?.().catch(() => {});
}

function assertNoSecret(heard: readonly unknown[]): void {
  const text = inspect(heard, {
    depth: 12,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: 1000,
  }).toLowerCase();
  for (let at = 0; at + 14 <= token.length; at++) {
    assert.ok(!text.includes(token.slice(at, at + 14).toLowerCase()), 'a part of the token is in an error');
  }
}
