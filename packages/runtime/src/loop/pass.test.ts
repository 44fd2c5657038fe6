import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import { rememberingLogger } from '../../test/widget.ts';
import { isPassTimeout, Pass, type PassOptions } from './pass.ts';

function given(options: Partial<PassOptions> = {}) {
  const clock = new VirtualClock();
  const logger = rememberingLogger();
  const stop = new AbortController();
  const late: Error[] = [];
  const pass = new Pass({
    what: 'reconcile of widget default/a',
    timeoutMs: 5000,
    stop: stop.signal,
    clock,
    logger,
    onLateCall: (error) => void late.push(error),
    ...options,
  });
  const hanging = Promise.withResolvers<string>();
  const part = {
    name: 'part',
    get: async (_kind: object, _key?: unknown) => 'got',
    apply: (_kind: object, _object?: unknown) => hanging.promise,
    tell: () => 'told',
    with: () => ({ apply: async () => hanging.promise }),
  };
  const effects = { get: 'read', apply: 'write', tell: 'tell', watch: 'stream' } as const;
  const effectOf = (method: string) => effects[method as keyof typeof effects];
  const guarded = pass.guard('client', part, effectOf);
  const isSettled = async () => {
    let settled = false;
    void pass.settled.then(() => {
      settled = true;
    });
    await clock.settle();
    return settled;
  };
  return { clock, logger, stop, late, pass, guarded, hanging, isSettled, effectOf };
}

test('a pass gives what its function gives, and its calls what they give', async () => {
  const { pass, guarded, isSettled, late } = given();
  const answer = await pass.run(async () => [guarded.name, await guarded.get(ConfigMap), guarded.tell()]);
  assert.deepEqual(answer, ['part', 'got', 'told']);
  assert.deepEqual([pass.signal.aborted, await isSettled(), late], [false, true, []]);
});

test('what throws, now or later, is a rejection, and the pass is over', async () => {
  for (const work of [() => assert.fail('at once'), async () => assert.fail('later')]) {
    const { pass, isSettled, late, guarded } = given();
    await assert.rejects(pass.run(work), /at once|later/);
    assert.ok(await isSettled());
    await assert.rejects(guarded.get(ConfigMap), /was called after the reconcile of widget default\/a had ended/);
    assert.deepEqual(late, [], 'who failed may have left something behind');
  }
});

test('its time is up after the timeout, whether or not it heeds its signal; it comes to rest later', async () => {
  const { clock, pass, guarded, hanging, isSettled, logger, late } = given();
  const work = Promise.withResolvers<void>();
  const running = pass.run(() => work.promise);
  const failed = running.catch((error: unknown) => error);
  await clock.advance(4999);
  assert.equal(pass.signal.aborted, false);
  await clock.advance(1);
  const error = (await failed) as Error;
  assert.ok(isPassTimeout(error));
  assert.deepEqual(
    [error.name, error.message, 'code' in error && error.code],
    ['PassTimeoutError', 'reconcile of widget default/a did not finish within 5 s', 'ERR_PASS_TIMEOUT'],
  );
  assert.equal(pass.signal.reason, error);
  assert.equal(await isSettled(), false);
  const refusal =
    'client.apply(ConfigMap default/x) was called after the reconcile of widget default/a had timed out; nothing was sent';
  await assert.rejects(guarded.apply(ConfigMap, 'default/x'), { message: refusal });
  assert.deepEqual(logger.said('error'), [`A call on the context was refused: its pass is over: ${refusal}`]);
  assert.equal(logger.lines[0]?.fields.call, 'client.apply(ConfigMap default/x)');
  assert.deepEqual(late, []);
  assert.throws(pass.assertOpen, /^NotAwaitedError: reconcile of widget default\/a has timed out; nothing was sent$/);
  work.resolve();
  assert.equal(await isSettled(), true);
  hanging.resolve('');
});

test('without a limit there is none', async () => {
  const { clock, pass } = given({ timeoutMs: Number.POSITIVE_INFINITY });
  const work = Promise.withResolvers<string>();
  const running = pass.run(() => work.promise);
  await clock.advance(100_000_000);
  work.resolve('late');
  assert.equal(await running, 'late');
});

test('a pass that returns before its writes have ended has forgotten an await, and rests when they have', async () => {
  const { pass, guarded, hanging, isSettled } = given();
  const running = pass.run(async () => {
    void guarded.apply(ConfigMap, { metadata: { name: 'x', namespace: 'default' } });
    void guarded.with().apply();
  });
  await assert.rejects(running, {
    name: 'NotAwaitedError',
    code: 'ERR_NOT_AWAITED',
    message:
      'reconcile of widget default/a returned while client.apply(ConfigMap default/x), client.apply() was still running: an await is missing',
  });
  assert.equal(pass.signal.aborted, true);
  assert.equal(await isSettled(), false);
  hanging.resolve('');
  assert.equal(await isSettled(), true);
});

test('a read that nobody waits for is given up when the pass ends', async () => {
  const { pass, effectOf, isSettled } = given();
  const reading = Promise.withResolvers<void>();
  const guarded = pass.guard('client', { get: () => reading.promise }, effectOf);
  await pass.run(async () => void guarded.get());
  assert.match(String(pass.signal.reason), /reconcile of widget default\/a has ended/);
  reading.reject(new Error('aborted'));
  assert.ok(await isSettled());
});

test('a call after the end is refused, logged, and told to who wants to know', async () => {
  const { pass, guarded, late, logger, effectOf } = given();
  await pass.run(async () => {});
  const message =
    'client.get(ConfigMap) was called after the reconcile of widget default/a had ended: an await is missing; nothing was sent';
  await assert.rejects(guarded.get(ConfigMap, {}), { message });
  assert.deepEqual(
    late.map((error) => error.message),
    [message],
  );
  assert.equal(guarded.tell(), undefined);
  const streaming = pass.guard('client', { watch: () => [] }, effectOf);
  assert.throws(() => streaming.watch(), /client.watch\(\) was called after/);
  assert.equal(logger.said('error').length, 3);
  assert.throws(pass.assertOpen, /has ended; nothing was sent/);
  const unheard = given({ onLateCall: undefined as never });
  await unheard.pass.run(async () => {});
  await assert.rejects(unheard.guarded.get(ConfigMap));
});

test('when the operator has to stop, the signal says so; afterwards it does not concern the pass', async () => {
  const { pass, stop } = given();
  const running = pass.run(
    () => new Promise((_, reject) => pass.signal.addEventListener('abort', () => reject(pass.signal.reason))),
  );
  stop.abort(new Error('stopping'));
  await assert.rejects(running, /stopping/);

  const ended = given();
  await ended.pass.run(async () => {});
  ended.stop.abort(new Error('stopping'));
  assert.equal(ended.pass.signal.aborted, false);

  const late = given();
  late.stop.abort(new Error('stopped already'));
  await late.pass.run(async () => {});
  assert.match(String(late.pass.signal.reason), /stopped already/);
});

test('what a call is about is its kind and the name that it is given', async () => {
  const { pass, guarded, logger } = given();
  await pass.run(async () => {});
  for (const args of [
    [undefined],
    [null],
    [{}],
    [ConfigMap],
    [ConfigMap, null],
    [ConfigMap, { metadata: {} }],
    [ConfigMap, { metadata: { name: 'x' } }],
  ])
    await guarded.get(...(args as [object, unknown])).catch(() => {});
  assert.deepEqual(
    logger.lines.map(({ fields }) => fields.call),
    ['()', '()', '()', '(ConfigMap)', '(ConfigMap)', '(ConfigMap)', '(ConfigMap x)'].map((call) => `client.get${call}`),
  );
});
