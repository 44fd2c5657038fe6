/** What `keelson` says of itself, and to those who mistype. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const keelson = (...args: readonly string[]) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });

for (const command of ['start', 'controllers']) {
  test(`README.md shows what keelson cluster ${command} --help prints`, () => {
    const { status, stdout } = keelson('cluster', command, '--help');
    assert.equal(status, 0);
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    assert.ok(readme.includes(`\`\`\`text\n${stdout}\`\`\`\n`), stdout);
  });
}

test('without a command it lists the commands', () => {
  const { stdout } = keelson();
  assert.match(stdout, /^Commands:\n {2}cluster /m);
  assert.equal(keelson('--help').stdout, stdout);
  assert.equal(keelson('help').stdout, stdout);
});

test('--version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  assert.equal(keelson('--version').stdout, `${version}\n`);
});

for (const { args, sentence } of [
  { args: ['clutser'], sentence: /^error: unknown command 'clutser'\n/ },
  { args: ['cluster', 'strat'], sentence: /^error: unknown command 'strat'\n\(Did you mean start\?\)\n/ },
  { args: ['--port', '1'], sentence: /^error: unknown option '--port'\n/ },
  {
    args: ['cluster', 'start', '--prot', '1'],
    sentence: /^error: unknown option '--prot'\n\(Did you mean --port\?\)\n/,
  },
  { args: ['cluster', 'start', 'now'], sentence: /^error: too many arguments for 'start'/ },
  { args: ['cluster', 'start', '--port', '65536'], sentence: /argument '65536' is invalid\. It must be a number/ },
  { args: ['cluster', 'controllers'], sentence: /^error: required option '--kubeconfig <file>' not specified\n/ },
]) {
  test(`keelson ${args.join(' ')} is refused, and standard output stays empty`, () => {
    const { status, stdout, stderr } = keelson(...args);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, sentence);
  });
}
