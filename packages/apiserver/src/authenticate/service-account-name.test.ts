import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountOf, accountUserName } from './service-account-name.ts';

test('the user of a service account names it', () => {
  assert.deepEqual(accountOf(accountUserName('place', 'my.account')), { namespace: 'place', name: 'my.account' });
});

for (const name of [
  'jane',
  'system:serviceaccount:',
  'system:serviceaccount:place',
  'system:serviceaccount:place:',
  'system:serviceaccount::account',
  'system:serviceaccount:place:account:more',
  'system:serviceaccount:my.place:account',
  'system:serviceaccount:place:Account',
]) {
  test(`${name} is no service account`, () => assert.equal(accountOf(name), undefined));
}
