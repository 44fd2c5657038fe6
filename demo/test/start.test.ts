/** What `npm start` says when it cannot start: one sentence, exit code 1. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from '@keelson/tools-kubernetes';
import { firstLine, start } from './start-process.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-start-'));
});
after(() => rm(folder, { recursive: true }));

async function fails(args: readonly string[], sentence: RegExp): Promise<void> {
  const process = start(args);
  assert.equal(await process.ended, 1, process.printed());
  assert.match(process.errors(), sentence);
  assert.equal(process.errors().trimEnd().split('\n').length, 1, process.errors());
  assert.doesNotMatch(process.printed(), /top-secret-token/);
}

const kubeconfig = async (name: string, server: string) => {
  const file = join(folder, name);
  const text = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'top-secret-token' } }],
  };
  await writeFile(file, JSON.stringify(text));
  return file;
};

test('a context without a file is refused', () =>
  fails(['--context', 'x'], /^npm start: --context chooses from a file/));

test('an unknown option is named', () => fails(['--kubeconfg', 'x'], /Unknown option '--kubeconfg'/));

test('a kubeconfig that cannot be read is named with the reason', () =>
  fails(['--kubeconfig', join(folder, 'missing')], /^npm start: .*missing.* (does not exist|no such file)/));

test('a kubeconfig that is not one is named with the reason', async () => {
  const file = join(folder, 'nonsense');
  await writeFile(file, 'just text');
  await fails(['--kubeconfig', file], /^npm start: .*nonsense/);
});

test('a context that is not there is named', async () =>
  fails(['--kubeconfig', await kubeconfig('contexts', 'http://127.0.0.1:1'), '--context', 'nowhere'], /nowhere/));

test('a cluster that does not answer is named, and no secret is', async () => {
  const server = `127.0.0.1:${await freePort('127.0.0.1')}`;
  await fails(['--kubeconfig', await kubeconfig('refused', `http://${server}`)], new RegExp(`^npm start: .*${server}`));
});

test('a cluster on another machine has to be named', async () => {
  const file = await kubeconfig('far', 'https://far.invalid:6443');
  await fails(
    ['--kubeconfig', file],
    /^npm start: .*far leads to https:\/\/far\.invalid:6443.* name it with --context NAME/,
  );
  await fails(['--kubeconfig', file, '--context', 'c'], /--webhook-url/);
});

test('with a kubeconfig, too, it says within one second that it is alive', async () => {
  const file = join(folder, 'missing');
  assert.equal(await firstLine(['--kubeconfig', file]), `Connecting to the cluster of ${file}…`);
});

test('--help says how to use it', async () => {
  const process = start(['--help']);
  assert.equal(await process.ended, 0);
  assert.match(process.printed(), /^Usage: npm start \[-- --kubeconfig FILE/);
});
