import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '@keelson/client';
import { isOnThisMachine } from './chosen-cluster.ts';
import { versionIn } from './server-version.ts';

test('a cluster is on this machine if its address says so and no proxy stands between', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['https://127.0.0.1:6443', true],
    ['https://127.8.9.10', true],
    ['https://localhost:6443/prefix', true],
    ['https://kind.localhost', true],
    ['http://[::1]:8080', true],
    ['https://10.0.0.1:6443', false],
    ['https://127.0.0.1.example.com', false],
    ['https://localhost.example.com', false],
    ['https://prod.example.com', false],
    ['https://[::2]', false],
  ];
  for (const [server, expected] of cases) assert.equal(isOnThisMachine({ server }), expected, server);
  assert.ok(!isOnThisMachine({ server: 'https://127.0.0.1', proxyUrl: new Secret('http://proxy:3128') }));
});

test('a server is too old below 1.29, and what cannot be read is not', () => {
  const cases: readonly (readonly [unknown, string, boolean])[] = [
    [{ major: '1', minor: '36', gitVersion: 'v1.36.4' }, 'v1.36.4', false],
    [{ major: '1', minor: '29+', gitVersion: 'v1.29.0-eks-1' }, 'v1.29.0-eks-1', false],
    [{ major: '1', minor: '28', gitVersion: 'v1.28.9' }, 'v1.28.9', true],
    [{ major: '0', minor: '99' }, '0.99', true],
    [{ major: '2', minor: '0' }, '2.0', false],
    ['?', 'undefined.undefined', false],
  ];
  for (const [answer, text, isTooOld] of cases) assert.deepEqual(versionIn(answer), { text, isTooOld });
});
