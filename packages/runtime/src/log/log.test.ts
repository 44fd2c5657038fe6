import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import type { Clock } from '@keelson/core';
import { jsonLogger, type LogOptions, textLogger } from './log.ts';

const clock: Clock = {
  now: () => Date.UTC(2026, 0, 1, 12, 30, 5),
  monotonic: () => 0,
  setTimer: () => assert.fail('a logger needs no timer'),
};

function captured(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  return { lines, options: { name: 'example', clock, write: (line: string) => void lines.push(line), ...options } };
}

test('a JSON line has level, ts, logger, msg and the fields of all loggers above it', () => {
  const { lines, options } = captured();
  jsonLogger(options).with({ controller: 'memcached' }).info('Starting workers', { 'worker count': 1 });
  assert.equal(lines.length, 1);
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    level: 'info',
    ts: '2026-01-01T12:30:05.000Z',
    logger: 'example',
    controller: 'memcached',
    'worker count': 1,
    msg: 'Starting workers',
  });
});

test('an error is logged with its cause, and without members that may hold a secret', () => {
  const { lines, options } = captured();
  const error = Object.assign(new Error('get secrets a/b: no', { cause: new Error('refused') }), {
    code: 'ERR_API',
    headers: { authorization: 'Bearer top-secret' },
  });
  jsonLogger(options).error('Reconciler error', { error });
  const { error: logged } = JSON.parse(lines[0] ?? '');
  assert.equal(logged.message, 'get secrets a/b: no');
  assert.equal(logged.code, 'ERR_API');
  assert.equal(logged.cause.message, 'refused');
  assert.doesNotMatch(lines[0] ?? '', /top-secret/);
});

test('lines below the level are not written', () => {
  for (const make of [jsonLogger, textLogger]) {
    const { lines, options } = captured({ level: 'warn' });
    const logger = make(options);
    logger.debug('no');
    logger.info('no');
    logger.warn('yes');
    logger.error('yes');
    assert.equal(lines.length, 2);
  }
});

test('the form for people is one line, whatever a cluster puts into a value', () => {
  const { lines, options } = captured();
  textLogger(options)
    .with({ name: 'cache', empty: undefined })
    .warn('Odd', { text: 'a\n\u001b[31mb', error: new Error('x y') });
  assert.deepEqual(lines, ['12:30:05 WARN  Odd name=cache text="a\\n\\u001b[31mb" error="x y"\n']);
});

test('what cannot be written as JSON is still written', () => {
  const circle = new Error('round');
  circle.cause = circle;
  for (const error of [circle, Object.create(null), { big: 1n }]) {
    for (const make of [jsonLogger, textLogger]) {
      const { lines, options } = captured();
      make(options).error('Odd', { error });
      assert.equal(lines.length, 1);
    }
  }
});

test('an error is shown to people with the place where it was thrown', () => {
  const { lines, options } = captured();
  textLogger(options).error('Reconciler error', { error: new Error('x') });
  assert.match(lines[0] ?? '', /^12:30:05 ERROR Reconciler error error=x\n\s+at .*log\.test\.ts/);
});

test('causes and joined errors are shown, to people and to machines', () => {
  const refused = new Error('refused');
  const error = new AggregateError([new Error('first'), 'second'], 'both failed', { cause: refused });
  const text = captured();
  textLogger(text.options).error('Reconciler error', { error });
  assert.match(text.lines[0] ?? '', /error="both failed"\n(\s+at .*\n)+ {2}caused by refused\n\s+at /);
  const json = captured();
  jsonLogger(json.options).error('Reconciler error', { error });
  const { error: logged } = JSON.parse(json.lines[0] ?? '');
  assert.equal(logged.cause.message, 'refused');
  assert.deepEqual(
    logged.errors.map((each: { message?: string } | string) => (typeof each === 'string' ? each : each.message)),
    ['first', "'second'"],
  );
});

test('an error of another realm, or one that cannot be read, is logged all the same', () => {
  const hostile = new Error('x');
  Object.defineProperty(hostile, 'message', {
    get() {
      throw new Error('no');
    },
  });
  for (const [error, expected] of [
    [runInNewContext('new RangeError("foreign")'), /foreign/],
    [hostile, /Reconciler error/],
  ] as const) {
    for (const make of [jsonLogger, textLogger]) {
      const { lines, options } = captured();
      make(options).error('Reconciler error', { error });
      assert.match(lines.join(''), expected);
    }
  }
});

test('colour is only where it is asked for', () => {
  const { lines, options } = captured({ color: true });
  textLogger(options).info('Hello');
  assert.ok(lines[0]?.includes('\u001b[32mINFO '));
});
