import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { errorOf, isError, shown } from './thrown.ts';

const unprintable = new Proxy(
  {},
  {
    get() {
      throw new Error('no');
    },
    getPrototypeOf() {
      throw new Error('no');
    },
  },
);

test('what is thrown becomes an error that says who threw what', () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /^reconcile threw undefined, which is no Error/],
    [null, /^reconcile threw null,/],
    ['boom', /^reconcile threw 'boom',/],
    [42, /^reconcile threw 42,/],
    [
      { reason: 'full', at: { deep: { deeper: 1 } } },
      /^reconcile threw \{ reason: 'full', at: \{ deep: \[Object\] \} \},/,
    ],
    [Symbol('sign'), /^reconcile threw Symbol\(sign\),/],
    ['x'.repeat(10_000), /^reconcile threw 'x{200}'... 9800 more characters,/],
    [Array(100).fill('long'), /^reconcile threw \[ ?.{298}…, which/],
    [{ a: 'x'.repeat(100), b: 'y'.repeat(170) }, /^reconcile threw \{ a: 'x{100}', b: 'y{170}' \},/],
  ];
  for (const [thrown, message] of cases) {
    const error = errorOf(thrown, 'reconcile');
    assert.match(error.message, message);
    assert.equal(error.cause, thrown);
    assert.deepEqual([error.name, 'code' in error && error.code], ['ThrownValueError', 'ERR_THROWN_VALUE']);
  }
});

test('an error stays itself, also one of another realm', () => {
  for (const error of [new TypeError('x'), runInNewContext('new RangeError("foreign")')]) {
    assert.equal(errorOf(error, 'reconcile'), error);
  }
});

test('what does not want to be looked at does not do harm', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const hostile of [unprintable, proxy]) {
    assert.equal(isError(hostile), false);
    assert.match(errorOf(hostile, 'reconcile').message, /^reconcile threw .+, which is no Error/);
    assert.equal(typeof shown(hostile), 'string');
  }
});
