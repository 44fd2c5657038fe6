import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wantedUser } from './impersonate.ts';

test('headers that say nothing of a user ask for nobody', () => {
  assert.equal(wantedUser(new Map()), undefined);
  assert.equal(wantedUser(new Map([['impersonate-user', ['']]])), undefined);
});

test('a user is asked for with uid, groups and extra values, whose keys are escaped and have no case', () => {
  const headers = new Map([
    ['impersonate-user', ['jane']],
    ['impersonate-uid', ['u']],
    ['impersonate-group', ['a', 'b, c']],
    ['impersonate-extra-example.com%2fteam', ['blue']],
    ['impersonate-extra-%zz', ['kept as it is']],
  ]);
  assert.deepEqual(wantedUser(headers), {
    name: 'jane',
    uid: 'u',
    groups: ['a', 'b, c'],
    extra: { 'example.com/team': ['blue'], '%zz': ['kept as it is'] },
  });
});

test('extra values may have the names of what every JavaScript object has', () => {
  const headers = new Map([
    ['impersonate-user', ['jane']],
    ['impersonate-extra-constructor', ['a']],
    ['impersonate-extra-__proto__', ['b']],
    ['impersonate-extra-__PROTO__', ['c']],
  ]);
  const expected = {
    name: 'jane',
    groups: [],
    extra: Object.fromEntries([
      ['constructor', ['a']],
      ['__proto__', ['b', 'c']],
    ]),
  };
  assert.deepEqual(wantedUser(headers), expected);
});

test('groups without a user are refused in the words of a Go struct', () => {
  assert.throws(() => wantedUser(new Map([['impersonate-group', ['g']]])), {
    name: 'StatusError',
    message:
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
  });
  const extra = new Map([
    ['impersonate-extra-b', ['2', '3']],
    ['impersonate-extra-a', ['1']],
  ]);
  assert.throws(() => wantedUser(extra), {
    message:
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"1"}, "b":[]string{"2", "3"}}} without impersonating a user name',
  });
});
