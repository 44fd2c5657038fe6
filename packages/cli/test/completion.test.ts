/** Completion, as the shells themselves answer; one that is not on this machine is not asked, and that is said. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createProjects } from './projects.ts';
import { runKeelson } from './test-shell.ts';

/** What is on the line when the tab key is pressed, and what is offered then. */
const answers: Readonly<Record<string, readonly string[]>> = {
  in: ['init', 'install'],
  'cluster ': ['controllers', 'start'],
  'cluster start --po': ['--pods', '--port'],
  'uninstall --y': ['--yes'],
  'undeploy --d': ['--definitions'],
  'doctor --output ': ['json', 'text'],
  'completion z': ['zsh'],
  'install --context ': [],
  'run --kubeconfig pack': ['package.json'],
  'plan --kubeconfig=pack': [],
};
const lines = Object.keys(answers);

const without = (shell: string) =>
  spawnSync(shell, ['--version']).error === undefined ? false : `${shell} is not installed on this machine`;

async function scriptFor(shell: string) {
  const projects = await createProjects();
  await projects.write('script', (await runKeelson(['completion', shell])).out);
  await projects.write('package.json', '{}');
  return projects;
}

/** Flags are offered by bash and zsh before one begins with a dash; `--help` stands for them. */
const offered = (words: string) =>
  words
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '--help')
    .sort();

test('bash completes commands, flags, choices and files', async () => {
  await using projects = await scriptFor('bash');
  const ask = lines.map((line) => {
    const words = ['keelson', ...line.split(' ')].map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _keelson; echo "\${COMPREPLY[*]}"`;
  });
  const text = execFileSync('bash', ['-c', `source ./script\n${ask.join('\n')}`], {
    encoding: 'utf8',
    cwd: projects.root,
  });
  assert.deepEqual(text.split('\n').slice(0, -1).map(offered), Object.values(answers));
});

test('fish completes the same', { skip: without('fish') }, async () => {
  await using projects = await scriptFor('fish');
  const ask = lines.map((line) => `echo (complete -C 'keelson ${line}' | string replace -r '\\t.*' '')`);
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', `source ./script\n${ask.join('\n')}`], {
    encoding: 'utf8',
    cwd: projects.root,
  });
  assert.equal(stderr, '');
  const found = { ...answers, 'plan --kubeconfig=pack': ['--kubeconfig=package.json'] };
  assert.deepEqual(stdout.split('\n').slice(0, -1).map(offered), Object.values(found));
});

/** Writes each match into a file, and with Ctrl-X that the line is done. */
const zshSetup = `
PS1=''
source ./script
compadd() { local -a hits; builtin compadd -A hits "$@"; print -rn -- "$hits " >> ./offered; builtin compadd "$@" }
line-done() { print >> ./offered; BUFFER='' }
zle -N line-done
bindkey '^X' line-done
bindkey '^I' complete-word
print ready
`;

/** Types the lines into a zsh that has a terminal, without which it completes nothing. */
const zshTypist = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./setup'
zpty -r shell seen '*ready*'
for line in "$@"; do zpty -n -w shell "keelson $line"$'\\t\\x18'; done
zpty -w shell "print fin''ished"
zpty -r shell seen '*finished*'
`;

test('zsh completes the same, even if nothing has told it to complete before', { skip: without('zsh') }, async () => {
  await using projects = await scriptFor('zsh');
  await projects.write('setup', zshSetup);
  const env = { ...process.env, ZDOTDIR: projects.root };
  const typed = spawnSync('zsh', ['-f', '-c', zshTypist, 'typist', ...lines], {
    encoding: 'utf8',
    cwd: projects.root,
    env,
    timeout: 300_000,
  });
  assert.equal(typed.status, 0, typed.stderr);
  const text = readFileSync(`${projects.root}/offered`, 'utf8');
  assert.deepEqual(text.split('\n').slice(0, -1).map(offered), Object.values(answers));
});
