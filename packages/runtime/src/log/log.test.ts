import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import type { Clock } from '@keelson/core';
import { jsonLogger, type LogOptions, levels, textLogger } from './log.ts';

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

test('what JSON lines begin with is made with the first line that is written, of what it was when it was given', () => {
  const { lines, options } = captured();
  let made = 0;
  const key = {
    toJSON() {
      made += 1;
      return 'a';
    },
  };
  const fields = { key, step: 1 };
  const logger = jsonLogger(options).with(fields);
  fields.step = 2;
  logger.debug('nobody listens');
  assert.deepEqual([made, lines.length], [0, 0]);
  logger.info('one');
  logger.info('two');
  assert.equal(made, 1);
  for (const line of lines) assert.match(line, /"key":"a","step":1/);
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

test('lines below the level are not written, and below info none is unless it is asked for', () => {
  const messages = (line: string) => /debug|info|warn|error/.exec(line.replace(/"level":"\w+"/, ''))?.[0];
  for (const make of [jsonLogger, textLogger]) {
    for (const [level, expected] of [
      ['debug', ['debug', 'info', 'warn', 'error']],
      [undefined, ['info', 'warn', 'error']],
      ['warn', ['warn', 'error']],
    ] as const) {
      const { lines, options } = captured(level && { level });
      const logger = make(options);
      for (const each of levels) logger[each](each);
      assert.deepEqual(lines.map(messages), expected);
    }
  }
});

test('every level has its word and its colour, and the fields of all loggers above it', () => {
  const { lines, options } = captured({ color: true, level: 'debug' });
  const logger = textLogger(options).with({ a: 1 });
  for (const level of levels) logger[level]('Hello', { b: 2 });
  const gray = (text: string) => `\u001b[90m${text}\u001b[0m`;
  const painted = [gray('DEBUG'), '\u001b[32mINFO \u001b[0m', '\u001b[33mWARN \u001b[0m', '\u001b[31mERROR\u001b[0m'];
  assert.deepEqual(
    lines,
    painted.map((word) => `${gray('12:30:05')} ${word} Hello ${gray('a=')}1 ${gray('b=')}2\n`),
  );
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

test('an error is shown to people in one line, with the place where its author can mend it', () => {
  const { lines, options } = captured();
  const error = new Error('x', { cause: new Error('y') });
  error.stack = `Error: x
    at inner (file:///app/node_modules/other/index.js:1:2)
    at async reconcile (file:///app/src/my%20operator.ts:12:7)
    at async pass (file:///app/src/main.ts:1:1)`;
  textLogger(options).error('Reconciler error', { error });
  error.stack = 'Error: x\n    at inner (file:///app/node_modules/other/index.js:1:2)';
  textLogger(options).error('Reconciler error', { error });
  assert.deepEqual(lines, [
    '12:30:05 ERROR Reconciler error error=x cause=y at="/app/src/my%20operator.ts:12"\n',
    '12:30:05 ERROR Reconciler error error=x cause=y at=/app/node_modules/other/index.js:1\n',
  ]);
});

test('an error that comes again within a minute is counted, but at level debug shown each time with its stack', () => {
  let nowMs = 0;
  const moving: Clock = { ...clock, monotonic: () => nowMs };
  const shownAt = (level: 'info' | 'debug') => {
    nowMs = 0;
    const { lines, options } = captured({ clock: moving, level });
    const logger = textLogger(options);
    for (const atMs of [0, 5, 59_999, 60_000, 70_000]) {
      nowMs = atMs;
      logger.error('Reconciler error', { name: 'a', error: new Error('x'), retryInMs: atMs });
    }
    logger.with({ name: 'b' }).error('Reconciler error', { error: new Error('x') });
    logger.error('Reconciler error', { name: 'a', error: new Error('z') });
    for (let i = 0; i < 2; i += 1) logger.error('Odd', { name: 'a' }); // no error, and so never the same
    return lines;
  };
  const brief = shownAt('info').map((line) => line.replace(/^\S+ ERROR (.*?)( at=\S+)?( times=\d+)?\n$/, '$1$3'));
  assert.deepEqual(brief, [
    'Reconciler error name=a error=x retryInMs=0',
    'Reconciler error name=a error=x retryInMs=60000 times=3',
    'Reconciler error name=b error=x',
    'Reconciler error name=a error=z',
    'Odd name=a',
    'Odd name=a',
  ]);
  const whole = shownAt('debug');
  assert.equal(whole.length, 9);
  assert.match(whole[1] ?? '', /^12:30:05 ERROR Reconciler error name=a error=x retryInMs=5\n(\s+at .*\n)+$/);
});

test('causes and joined errors are shown, to people and to machines', () => {
  const refused = new Error('refused');
  const error = new AggregateError([new Error('first'), 'second'], 'both failed', { cause: refused });
  const text = captured({ level: 'debug' });
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

test('of causes and of joined errors, the first five are shown', () => {
  const chained = (depth: number): Error => new Error(`cause ${depth}`, depth < 9 ? { cause: chained(depth + 1) } : {});
  const text = captured({ level: 'debug' });
  textLogger(text.options).error('Odd', { error: chained(0) });
  assert.deepEqual(
    [...(text.lines[0] ?? '').matchAll(/caused by "(.*)"/g)].map(([, cause]) => cause),
    ['cause 1', 'cause 2', 'cause 3', 'cause 4', 'cause 5'],
  );
  const json = captured();
  const joined = Array.from({ length: 7 }, (_, i) => new Error(`error ${i}`));
  jsonLogger(json.options).error('Odd', { error: new AggregateError(joined, 'all', { cause: chained(1) }) });
  let { error } = JSON.parse(json.lines[0] ?? '');
  assert.equal(error.errors.length, 5);
  const causes: string[] = [];
  for (error = error.cause; error !== undefined; error = error.cause) causes.push(error.message);
  assert.deepEqual(causes, ['cause 1', 'cause 2', 'cause 3', 'cause 4', 'cause 5']);
});

test('a cause that is no error ends the causes; an error without a stack has no place', () => {
  const { lines, options } = captured({ level: 'debug' });
  const error = new Error('x', { cause: 'a word' });
  Reflect.deleteProperty(error, 'stack');
  textLogger(options).error('Odd', { error });
  assert.deepEqual(lines, ['12:30:05 ERROR Odd error=x\n  caused by "a word"\n']);
});

test('a value that JSON does not know is shown as it is', () => {
  const hostile = { toJSON: () => assert.fail('no') };
  const { lines, options } = captured();
  textLogger(options).info('Odd', { sign: Symbol('x'), hostile, big: 1n });
  assert.deepEqual(lines, ['12:30:05 INFO  Odd sign=Symbol(x) hostile="{ toJSON: [Function: toJSON] }" big="1n"\n']);
  const unreadable = Object.defineProperty(new Error('x'), 'message', { get: () => assert.fail('no') });
  const json = captured();
  jsonLogger(json.options).info('Odd', { error: unreadable });
  assert.equal(typeof JSON.parse(json.lines[0] ?? '').error, 'string');
});
