/** `.ci/run` counts honestly: tried with an npm that only pretends, in a folder that has what the script reads. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { env, execPath } from 'node:process';
import { test } from 'node:test';
import { root } from '../src/workspace.ts';

const commands = ['ci', 'test', 'run check', 'run build', 'run test:real'] as const;
type Command = (typeof commands)[number];

interface Behaviour {
  readonly status?: number;
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
  /** Ends without having counted anything. */
  readonly silent?: boolean;
}

/** What each npm command does; the others count one success. `npm ci` counts nothing, here as in truth. */
type Behaviours = Partial<Readonly<Record<Command, Behaviour>>>;

function npm(behaviours: Behaviours, log: string): string {
  const cases = commands.map((command) => {
    const { status = 0, passed = 1, failed = 0, skipped = 0, silent = command === 'ci' } = behaviours[command] ?? {};
    const count = `echo '${JSON.stringify({ command, passed, failed, skipped })}' >>"$KEELSON_RESULTS"`;
    return `'${command}') ${silent ? ':' : count}; exit ${status};;`;
  });
  return `#!/bin/sh\necho "$*" >>${log}\ncase "$*" in\n${cases.join('\n')}\nesac\nexit 99\n`;
}

function run(behaviours: Behaviours, { installed = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-ci-'));
  try {
    for (const file of ['.ci/run', 'tools/repo/src/results.ts']) cpSync(join(root, file), join(folder, file));
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    if (installed) symlinkSync(execPath, join(folder, 'node_modules/.bin/node'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'bin/npm'), npm(behaviours, join(folder, 'log')));
    chmodSync(join(folder, 'bin/npm'), 0o755);
    const PATH = join(folder, 'bin') + delimiter + env.PATH;
    const { status, stdout } = spawnSync(join(folder, '.ci/run'), { encoding: 'utf8', env: { ...env, PATH } });
    return { status, stdout, ran: readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const cases: readonly { says: string; behaviours: Behaviours; last: string; status: number }[] = [
  { says: 'adds up what all commands counted', behaviours: {}, last: '4 passed, 0 failed', status: 0 },
  {
    says: 'mentions skipped tests without failing for them',
    behaviours: { 'run test:real': { passed: 0, skipped: 3 } },
    last: '3 passed, 0 failed, 3 skipped',
    status: 0,
  },
  {
    says: 'goes on after a failure',
    behaviours: { test: { passed: 40, failed: 2, status: 1 } },
    last: '43 passed, 2 failed',
    status: 1,
  },
  {
    says: 'counts a command that died without counting',
    behaviours: { 'run build': { silent: true, status: 137 } },
    last: '3 passed, 1 failed',
    status: 1,
  },
  {
    says: 'counts a command that failed although it counted only successes',
    behaviours: { 'run check': { passed: 6, status: 1 } },
    last: '9 passed, 1 failed',
    status: 1,
  },
  {
    says: 'does not believe a command that says nothing',
    behaviours: { 'run test:real': { silent: true } },
    last: '3 passed, 1 failed',
    status: 1,
  },
  {
    says: 'counts an install that failed as one failure',
    behaviours: { ci: { status: 1 } },
    last: '3 passed, 1 failed',
    status: 1,
  },
];

for (const { says, behaviours, last, status } of cases) {
  test(`.ci/run ${says}: ${last}`, () => {
    const result = run(behaviours);
    assert.equal(result.stdout.trimEnd().split('\n').at(-1), last);
    assert.equal(result.status, status);
    assert.deepEqual(result.ran, behaviours.ci ? commands.filter((command) => command !== 'test') : commands);
  });
}

test('.ci/run gives a count even when Node could not be installed', () => {
  const silent = { silent: true, status: 127 };
  const behaviours = { ci: silent, 'run check': silent, 'run build': silent, 'run test:real': silent };
  const { status, stdout } = run(behaviours, { installed: false });
  assert.equal(stdout.trimEnd().split('\n').at(-1), '0 passed, 4 failed');
  assert.equal(status, 1);
});

test('the test command of README.md is the one that .ci/run calls', () => {
  const [, command] = /^step '(.*)'$/m.exec(readFileSync(join(root, '.ci/run'), 'utf8')) ?? [];
  assert.equal(command, 'npm ci && npm test');
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  assert.match(readme, /^npm ci && npm test\b/m);
});
