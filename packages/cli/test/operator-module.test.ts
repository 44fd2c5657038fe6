/** How the operator of a project is found and loaded, and what is said when that cannot be. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findOperator, loadOperator } from '../src/operator-module.ts';
import { runKeelson } from './test-shell.ts';

const operators = fileURLToPath(new URL('../../../operators', import.meta.url));
const field = '"keelson": { "operator": "./src/operator.ts" }';
const declared = "{ name: 'web', controllers: [{ for: { group: '', version: 'v1', kind: 'Pod', resource: 'pods' } }] }";

describe('the operator of a project', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'keelson-module-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  /** A project in a folder of its own, so that no two share a module. */
  async function project(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(root, name);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return folder;
  }

  /** A project whose operator.ts has this text. */
  const module = (name: string, text: string) =>
    project(name, { 'package.json': `{ "type": "module", ${field} }`, 'src/operator.ts': text });

  const refused = async (cwd: string, operator?: string): Promise<string> => {
    const { code, out, err } = await runKeelson(
      ['explain', ...(operator === undefined ? [] : ['--operator', operator])],
      { cwd },
    );
    assert.deepEqual([code, out], [1, '']);
    return err;
  };

  test('is found by the field of the nearest package.json, also from a folder below', async () => {
    const folder = await module('found', `export const web = ${declared};`);
    await mkdir(join(folder, 'src', 'deep'));
    const { operator, place } = await loadOperator({ cwd: join(folder, 'src', 'deep') });
    assert.equal(operator.name, 'web');
    assert.deepEqual(place, { file: join(folder, 'src', 'operator.ts'), folder, main: undefined });
  });

  test('may be exported twice, by name and as the default', async () => {
    const folder = await module('twice', `export const web = ${declared};\nexport default web;`);
    assert.equal((await loadOperator({ cwd: folder })).operator.name, 'web');
  });

  test('is also what an operator on the client alone declares, with the program that runs it', async () => {
    const { kinds, place } = await loadOperator({ cwd: operators, operator: 'echo/src/operator.ts' });
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['Echo', 'ScheduledEcho'],
    );
    assert.equal(place.main, join(operators, 'echo', 'src', 'main.ts'));
  });

  test('brings the kinds that its module exports beside those that are reconciled', async () => {
    const kind = "{ group: 'x.io', version: 'v1', kind: 'Page', resource: 'pages', definition: {} }";
    const folder = await module('kinds', `export const web = ${declared};\nexport const Page = ${kind};`);
    assert.deepEqual(
      (await loadOperator({ cwd: folder })).kinds.map(({ resource }) => resource),
      ['pages'],
    );
  });

  test('has its program by "keelson.main", or by the one entry of "bin"', async () => {
    const main = async (name: string, manifest: string) => {
      const folder = await project(name, { 'package.json': manifest, 'operator.ts': '' });
      const found = await findOperator({ cwd: folder, operator: 'operator.ts' });
      return found.main?.slice(folder.length + 1);
    };
    assert.equal(await main('main', '{ "keelson": { "main": "./a.ts" }, "bin": "./b.ts" }'), 'a.ts');
    assert.equal(await main('bin', '{ "bin": "./b.ts" }'), 'b.ts');
    assert.equal(await main('bins', '{ "bin": { "b": "./b.ts", "c": "./c.ts" } }'), undefined);
  });

  test('without a package.json, or with one that says nothing or the wrong thing, one sentence says what to do', async () => {
    const nowhere = await project('nowhere', { 'readme.md': '' });
    assert.equal(
      await refused(nowhere),
      `keelson explain: no package.json is in ${nowhere} or above it; go to the operator's folder, ` +
        'or name its file with --operator <file>.\n',
    );
    const silent = await project('silent', { 'package.json': '{}' });
    assert.match(
      await refused(silent),
      /package\.json does not say where the operator is; add "keelson": \{ "operator"/,
    );
    const broken = await project('broken', { 'package.json': '{' });
    assert.match(await refused(broken), /package\.json cannot be read: .*JSON.*; mend it\.\n$/);
    const list = await project('list', { 'package.json': '[]' });
    assert.match(await refused(list), /package\.json is no JSON object; mend it\.\n$/);
    const gone = await project('gone', { 'package.json': `{ ${field} }` });
    assert.match(await refused(gone), /names the operator \.\/src\/operator\.ts, and there is no such file; mend it/);
    assert.match(
      await refused(gone, 'none.ts'),
      /there is no file \S+none\.ts; name the one that exports the operator\.\n$/,
    );
  });

  test('that is not exported, or not alone, is named', async () => {
    assert.match(
      await refused(await module('empty', '')),
      /exports no operator \(nothing at all\); export const myOperator/,
    );
    assert.match(await refused(await module('other', 'export const a = 1, b = {};')), /exports no operator \(a, b\); /);
    const two = await module('two', `export const a = ${declared};\nexport const b = ${declared};`);
    assert.match(await refused(two), /exports several operators, a and b; export one of them alone, or name its file/);
  });

  test('whose module throws, does not parse or lacks a package is told with its place', async () => {
    const throwing = await module('throws', '\nthrow new RangeError("no size\\n  spec.size: none");');
    assert.equal(
      await refused(throwing),
      `keelson explain: ${join(throwing, 'src', 'operator.ts')} cannot be loaded: RangeError: no size\n` +
        '  spec.size: none\n    at src/operator.ts:2\n',
    );
    assert.match(await refused(await module('syntax', 'const x = ;')), /cannot be loaded: SyntaxError: [^\n]*\n/);
    const lacking = await module('lacks', "import 'is-not-installed';");
    assert.match(await refused(lacking), /cannot be loaded: Error: Cannot find package 'is-not-installed'/);
    assert.match(await refused(await module('thrown', 'throw 7;')), /cannot be loaded: 7\n$/);
  });

  test('in TypeScript needs a Node that runs it', async () => {
    const folder = await module('typed', `export const web = ${declared};`);
    await assert.rejects(loadOperator({ cwd: folder, runsTypeScript: false }), {
      message:
        `${join(folder, 'src', 'operator.ts')} is TypeScript, which Node ${process.version} does not run; ` +
        'take Node 22.18 or newer, or name the compiled file with --operator <file>.',
    });
  });
});

test('explain names the declaration that each rule follows from', async () => {
  const { out } = await runKeelson(['explain', '--operator', 'echo/src/operator.ts'], { cwd: operators });
  const lines = out.split('\n').map((line) => line.split(/ {2,}/));
  assert.deepEqual(lines[0], ['RESOURCE', 'VERBS', 'NEEDED BY']);
  const about = (resource: string) => lines.filter(([first]) => first === resource);
  assert.deepEqual(about('cronjobs.batch'), [
    ['cronjobs.batch', 'get,list,watch,create,patch', 'controller scheduledecho owns CronJob'],
  ]);
  assert.deepEqual(about('leases.coordination.k8s.io'), [
    ['leases.coordination.k8s.io', 'get,watch,create,update', 'the operator has leaderElection'],
  ]);
  assert.match(out, /^deployments\.apps \(echo-operator\) +get +the operator has leaderElection$/m);
  const removal = lines.findIndex(([first]) => first === 'jobs.batch') + 1;
  assert.deepEqual(lines[removal], ['', 'delete', 'controller echo owns removable Job']);

  const { out: text } = await runKeelson(['explain', '--operator', 'echo/src/operator.ts', '--output', 'json'], {
    cwd: operators,
  });
  assert.deepEqual(JSON.parse(text)[1], {
    rule: { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
    neededBy: [
      { declaration: 'controller scheduledecho owns CronJob', verbs: ['get', 'list', 'watch', 'create', 'patch'] },
    ],
  });
});
