import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { ownerHere } from './owner.ts';

test('who has no entry among the users is known by number', (t) => {
  t.mock.method(os, 'userInfo', () => assert.fail('no such user'));
  t.mock.method(os, 'hostname', () => 'My_Laptop.');
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.equal(ownerHere(), `${process.getuid?.()}-my-laptop`);
});
