import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { systemClock } from '@keelson/core/system';
import type { Fields } from '../log/logger.ts';
import { metricsAccess } from './metrics-access.ts';

/** An API server that answers when it is told to. */
function given() {
  const told = Promise.withResolvers<void>();
  let asked = 0;
  const answer = (review: object) => ({
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield Buffer.from(JSON.stringify({ metadata: {}, ...review }));
    })(),
  });
  const client = createClient({
    transport: {
      async request({ path }) {
        if (path.includes('subjectaccessreviews')) return answer({ spec: {}, status: { allowed: true } });
        asked += 1;
        await told.promise;
        return answer({ spec: {}, status: { authenticated: true, user: { username: 'me' } } });
      },
      async [Symbol.asyncDispose]() {},
    },
  });
  return {
    accessOf: metricsAccess({ client, clock: systemClock, logger: { warn() {} }, path: '/metrics' }),
    asked: () => asked,
    release: told.resolve,
  };
}

test('strangers with ever new tokens are asked about four at a time, and the others come later', async () => {
  const { accessOf, asked, release } = given();
  const answers = Array.from({ length: 50 }, (_, i) => accessOf(`Bearer token-${i}`));
  assert.deepEqual(new Set(await Promise.all(answers.slice(4))), new Set(['busy']));
  assert.equal(asked(), 4);
  release();
  assert.deepEqual(await Promise.all(answers.slice(0, 4)), Array(4).fill('allowed'));
  assert.equal(await accessOf('Bearer token-49'), 'allowed', 'and there is room again');
});

test('many who come with one token at once are one question', async () => {
  const { accessOf, asked, release } = given();
  const answers = Array.from({ length: 50 }, () => accessOf('Bearer the-same'));
  release();
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['allowed']));
  assert.equal(asked(), 1);
});

/** An API server that refuses reviews with this status and text. */
function refusing(status: number, message: string) {
  const told: unknown[] = [];
  let now = 0;
  const client = createClient({
    transport: {
      async request() {
        const text = JSON.stringify({
          kind: 'Status',
          code: status,
          reason: status === 403 ? 'Forbidden' : 'BadRequest',
          message,
        });
        const body = (async function* () {
          yield Buffer.from(text);
        })();
        return { status, headers: { 'content-type': 'application/json' }, body };
      },
      async [Symbol.asyncDispose]() {},
    },
  });
  const clock = { ...systemClock, monotonic: () => now };
  const logger = { warn: (_message: string, fields?: Fields) => void told.push(fields?.problem) };
  return {
    accessOf: metricsAccess({ client, clock, logger, path: '/metrics' }),
    told,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

test('that reviews are forbidden is told once a minute, with the rules to add', async () => {
  const { accessOf, told, advance } = refusing(403, 'tokenreviews is forbidden');
  for (let i = 0; i < 5; i++) await assert.rejects(accessOf(`Bearer token-${i}`));
  assert.equal(told.length, 1);
  assert.match(
    String(told[0]),
    /missing rules: .*\["tokenreviews"\].*\["subjectaccessreviews"\], verbs: \["create"\]$/,
  );
  advance(59_999);
  await assert.rejects(accessOf('Bearer token'));
  assert.equal(told.length, 1);
  advance(1);
  await assert.rejects(accessOf('Bearer token'));
  assert.equal(told.length, 2);
});

test("why a review failed is told, unless it quotes a part of the stranger's token", async () => {
  const plain = refusing(400, 'no such thing');
  await assert.rejects(plain.accessOf('Bearer token-of-a-stranger'));
  assert.match(String(plain.told), /no such thing/);
  for (const [token, quoted] of [
    ['token-of-a-stranger', 'you sent of-a-stranger'],
    ['short', 'you sent short'],
  ] as const) {
    const quoting = refusing(400, quoted);
    await assert.rejects(quoting.accessOf(`Bearer ${token}`));
    assert.deepEqual(quoting.told, ['the answer quotes the token, and is not shown']);
  }
});

/** An API server that knows the users of some tokens, and who may read. */
function knowing(users: Readonly<Record<string, object | undefined>>) {
  const asked: object[] = [];
  let now = 0;
  const client = createClient({
    transport: {
      async request({ path, body }) {
        const { spec } = JSON.parse(Buffer.from(body ?? '').toString());
        asked.push(spec);
        const user = users[spec.token];
        const status = path.endsWith('tokenreviews')
          ? user && { authenticated: spec.token !== 'expired', user }
          : { allowed: spec.user === 'reader' };
        const text = JSON.stringify({ metadata: {}, spec, ...(status && { status }) });
        return {
          status: 201,
          headers: { 'content-type': 'application/json' },
          body: (async function* () {
            yield Buffer.from(text);
          })(),
        };
      },
      async [Symbol.asyncDispose]() {},
    },
  });
  const clock = { ...systemClock, monotonic: () => now };
  const advance = (ms: number) => {
    now += ms;
  };
  return { accessOf: metricsAccess({ client, clock, logger: { warn() {} }, path: '/metrics' }), asked, advance };
}

const reader = { username: 'reader', uid: '1', groups: ['g'], extra: { a: ['b'] } };

test('whoever has a token that is known and may get the path is let in, and nobody else', async () => {
  const { accessOf, asked } = knowing({
    one: reader,
    two: { username: 'stranger' },
    expired: reader,
    nobody: undefined,
  });
  assert.equal(await accessOf('Bearer one'), 'allowed');
  assert.deepEqual(asked, [
    { token: 'one' },
    {
      user: 'reader',
      uid: '1',
      groups: ['g'],
      extra: { a: ['b'] },
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    },
  ]);
  assert.equal(await accessOf('bearer  one'), 'allowed', 'the word is not case-sensitive');
  assert.equal(await accessOf('Bearer two'), 'forbidden');
  assert.equal(await accessOf('Bearer expired'), 'unauthenticated');
  assert.equal(await accessOf('Bearer nobody'), 'unauthenticated');
  const before = asked.length;
  for (const nonsense of [undefined, '', 'Bearer', 'Basic one', 'Bearer one two'])
    assert.equal(await accessOf(nonsense), 'unauthenticated');
  assert.equal(asked.length, before, 'nobody is asked about what is no token');
});

test('a yes is remembered for a minute, a no for half of one', async () => {
  const { accessOf, asked, advance } = knowing({ one: reader, two: { username: 'stranger' } });
  const asks = async (token: string) => {
    const before = asked.length;
    await accessOf(`Bearer ${token}`);
    return asked.length > before;
  };
  assert.deepEqual([await asks('one'), await asks('two')], [true, true]);
  advance(29_999);
  assert.deepEqual([await asks('one'), await asks('two')], [false, false]);
  advance(1);
  assert.deepEqual([await asks('one'), await asks('two')], [false, true]);
  advance(29_999);
  assert.equal(await asks('one'), false);
  advance(1);
  assert.equal(await asks('one'), true);
});

test('a thousand answers are remembered, and the oldest is forgotten first', async () => {
  const { accessOf, asked } = knowing({});
  for (let i = 0; i < 1000; i++) await accessOf(`Bearer token-${i}`);
  await accessOf('Bearer token-0');
  assert.equal(asked.length, 1000);
  await accessOf('Bearer one-more');
  await accessOf('Bearer token-1');
  assert.equal(asked.length, 1001);
  await accessOf('Bearer token-0');
  assert.equal(asked.length, 1002, 'forgotten');
});
