import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOnThisMachine } from './on-this-machine.ts';
import { Secret } from './secret.ts';

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
