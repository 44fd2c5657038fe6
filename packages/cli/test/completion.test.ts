/** Completion: the script for bash is run by bash; those for zsh and fish are looked at. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { runKeelson } from './test-shell.ts';

test('bash completes commands, flags, choices and files', async () => {
  const { out: script } = await runKeelson(['completion', 'bash']);
  const lines = [
    'in',
    'cluster ',
    'cluster start --po',
    'uninstall --y',
    'doctor --output ',
    'completion z',
    'install --context ',
    'run --kubeconfig pack',
  ];
  const ask = lines.map((line) => {
    const words = ['keelson', ...line.split(' ')].map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _keelson; echo "\${COMPREPLY[*]}"`;
  });
  const cwd = new URL('..', import.meta.url);
  const answers = execFileSync('bash', ['-c', `${script}\n${ask.join('\n')}`], { encoding: 'utf8', cwd }).split('\n');
  assert.deepEqual(answers.slice(0, -1), [
    'init install',
    'start controllers --help',
    '--port --pods',
    '--yes',
    'text json',
    'zsh',
    '',
    'package.json',
  ]);
});

test('zsh runs the same functions, and fish has a line for each command and flag', async () => {
  const [bash, zsh, fish] = await Promise.all(
    ['bash', 'zsh', 'fish'].map(async (shell) => (await runKeelson(['completion', shell])).out),
  );
  assert.equal(zsh, `autoload -U +X bashcompinit && bashcompinit\n${bash}`);
  assert.match(
    fish ?? '',
    /^complete -c keelson -f -n 'test \(__keelson_path\) = "keelson cluster"' -a start -d 'Run an API server/m,
  );
  assert.match(fish ?? '', /"keelson doctor"' -l output -x -a 'text json' -d 'text for people, json for scripts'$/m);
});
