/** The operator's command line, without a cluster. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const home = mkdtempSync(join(tmpdir(), 'keelson-memcached-'));
after(() => rmSync(home, { recursive: true }));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: home } });

test('--help lists the options', () => {
  const { status, stdout } = run('--help');
  assert.equal(status, 0);
  assert.match(stdout, /^Usage: memcached-operator \[options\]/);
  assert.match(stdout, /--kubeconfig FILE/);
});

test('an argument that cannot be used is one sentence and exit code 2, a kubeconfig that is not there 1', () => {
  for (const [args, sentence, expected = 2] of [
    [['--health-port', 'x'], '--health-port must be a port from 0 to 65535, received "x"'],
    [['--kubeconfig', join(home, 'missing')], join(home, 'missing'), 1],
  ] as const) {
    const { status, stderr } = run(...args);
    assert.equal(status, expected, stderr);
    assert.ok(stderr.startsWith('memcached-operator: ') && stderr.includes(sentence), stderr);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  }
});

test('without any configuration it says where it looked', () => {
  const { status, stderr } = run();
  assert.equal(status, 1);
  assert.match(stderr, /KUBECONFIG|kubeconfig/);
});
