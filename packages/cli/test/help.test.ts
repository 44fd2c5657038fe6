/** What `keelson` says of itself, and to those who mistype. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { programFor } from '../src/program.ts';
import { processShell } from '../src/shell.ts';
import { runKeelson } from './test-shell.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Each command line that runs something, such as `cluster start`. */
function linesOf(command: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  return command.commands.length === 0
    ? [path]
    : command.commands.flatMap((each) => linesOf(each, [...path, each.name()]));
}

for (const path of linesOf(programFor(processShell()))) {
  test(`docs/cli.md shows what keelson ${path.join(' ')} --help prints`, async () => {
    const { code, out } = await runKeelson([...path, '--help']);
    assert.equal(code, 0);
    const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
    assert.ok(page.includes(`## keelson ${path.join(' ')}\n`), `there is no heading "## keelson ${path.join(' ')}"`);
    assert.ok(page.includes(`\`\`\`text\n${out}\`\`\`\n`), out);
  });
}

test('without a command it lists the commands', async () => {
  const { code, out, err } = await runKeelson([]);
  assert.match(out, /^Commands:\n(.*\n)* {2}cluster /m);
  assert.deepEqual(await runKeelson(['--help']), { code, out, err });
  assert.deepEqual(await runKeelson(['help']), { code: 0, out, err: '' });
});

test('--version is that of the package', async () => {
  assert.equal((await runKeelson(['--version'])).out, `${version}\n`);
  assert.equal((await runKeelson(['version'])).out, `keelson  ${version}\nnode     ${process.version}\n`);
  const { out } = await runKeelson(['version', '--output', 'json']);
  assert.deepEqual(JSON.parse(out), { keelson: version, node: process.version });
});

test('as a process it exits with the code of the command', () => {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'clutser'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /unknown command 'clutser'/);
});

const misuse: readonly (readonly [line: string, sentence: RegExp])[] = [
  [
    'clutser',
    /^error: unknown command 'clutser'\n\(Did you mean cluster\?\)\n\(keelson --help lists the commands\)\n$/,
  ],
  ['cluster strat', /^error: unknown command 'strat'\n\(Did you mean start\?\)\n/],
  ['--port 1', /^error: unknown option '--port'\n/],
  [
    'cluster start --prot 1',
    /^error: unknown option '--prot'\n\(Did you mean --port\?\)\n\(keelson cluster start --help lists the options\)\n$/,
  ],
  ['cluster start now', /^error: too many arguments for 'start'/],
  ['cluster start --port 65536', /argument '65536' is invalid\. It must be a number/],
  ['cluster controllers', /^error: required option '--kubeconfig <file>' not specified\n/],
  ['explain --output xml', /argument 'xml' is invalid\. Allowed choices are text, json\.\n/],
];
for (const [line, sentence] of misuse) {
  test(`keelson ${line} is refused with exit code 2, and standard output stays empty`, async () => {
    const { code, out, err } = await runKeelson(line.split(' '));
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, sentence);
  });
}
