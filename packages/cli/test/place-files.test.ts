/** A process that dies between any two steps leaves nothing that looks whole and is not. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { placeFiles, placeProject } from '../src/place-files.ts';

const files = [
  { path: 'package.json', text: '{}\n' },
  { path: 'src/a.ts', text: 'a\n' },
  { path: 'src/b/c.ts', text: 'c\n' },
];

/** What changes the disk; each call of one of these is a step. */
const steps = ['mkdirSync', 'writeFileSync', 'renameSync', 'rmSync'] as const;

/** Runs it as a process that is killed before its step `last`: from there on nothing reaches the disk any more. */
function killedBefore(last: number, run: () => void): { readonly isDone: boolean } {
  const { mkdirSync, writeFileSync, renameSync, rmSync } = fs;
  const real = { mkdirSync, writeFileSync, renameSync, rmSync };
  let count = 0;
  for (const name of steps) {
    Object.assign(fs, {
      [name]: (...args: never[]) => {
        count += 1;
        if (count >= last) throw new Error('killed');
        return (real[name] as (...args: never[]) => unknown)(...args);
      },
    });
  }
  syncBuiltinESMExports();
  try {
    run();
    return { isDone: true };
  } catch (error) {
    assert.ok(count >= last, String(error)); // whatever is thrown after that, nobody hears it
    return { isDone: false };
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}

const exists = (folder: string, { path, text }: { readonly path: string; readonly text: string }) =>
  fs.existsSync(join(folder, path)) && fs.readFileSync(join(folder, path), 'utf8') === text;

describe('files of a project', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'keelson-place-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  test('a new folder is there with all its files, or not at all; the next call cleans up', () => {
    const parent = fs.mkdtempSync(join(root, 'new-'));
    const target = join(parent, 'web');
    let last = 1;
    while (!killedBefore(last, () => placeProject(target, files)).isDone) {
      if (fs.existsSync(target))
        assert.ok(
          files.every((file) => exists(target, file)),
          `killed before step ${last}`,
        );
      placeProject(join(parent, 'other'), files);
      assert.deepEqual(
        fs.readdirSync(parent).filter((entry) => entry.startsWith('.')),
        [],
      );
      for (const entry of ['web', 'other']) fs.rmSync(join(parent, entry), { recursive: true, force: true });
      last += 1;
    }
    assert.ok(last > 8, `${last} steps`);
  });

  test('in a folder that exists, package.json comes last, and the same call finishes what was interrupted', () => {
    let last = 1;
    for (let isDone = false; !isDone; last += 1) {
      const target = fs.mkdtempSync(join(root, 'existing-'));
      fs.mkdirSync(join(target, '.git'));
      isDone = killedBefore(last, () => placeProject(target, files)).isDone;
      const isWhole = fs.existsSync(join(target, 'package.json'));
      if (!isWhole) placeProject(target, files);
      assert.ok(
        files.every((file) => exists(target, file)),
        `killed before step ${last}`,
      );
      if (!isWhole || isDone) assert.deepEqual(fs.readdirSync(target), ['.git', 'package.json', 'src']);
      // What is whole is a project of somebody, and no rest of ours.
      assert.throws(() => placeProject(target, files), /is not empty: it has package\.json, src;/);
    }
    assert.ok(last > 12, `${last} steps`);
  });

  test('a file that differs from what is written stands in the way, also where package.json is missing', () => {
    const target = fs.mkdtempSync(join(root, 'edited-'));
    fs.mkdirSync(join(target, 'src'));
    fs.writeFileSync(join(target, 'src/a.ts'), 'mine\n');
    assert.throws(() => placeProject(target, files), /is not empty: it has src;/);
    assert.equal(fs.readFileSync(join(target, 'src/a.ts'), 'utf8'), 'mine\n');
  });

  test('nothing is written through a symlink, and one that leads nowhere is told', () => {
    const folder = fs.mkdtempSync(join(root, 'linked-'));
    const outside = fs.mkdtempSync(join(root, 'outside-'));
    fs.symlinkSync(outside, join(folder, 'src'));
    assert.throws(() => placeProject(folder, files), /is not empty: it has src;/);
    const list = { path: 'list', text: 'new\n' };
    assert.throws(() => placeFiles(folder, files, list), /^CommandError: src in \S+ is a symlink, through which/);
    assert.deepEqual(fs.readdirSync(outside), []);
    fs.rmSync(join(folder, 'src'));
    fs.symlinkSync(join(outside, 'list'), join(folder, 'list'));
    assert.throws(() => placeFiles(folder, files, list), /^CommandError: list in \S+ is a symlink, through which/);
    assert.throws(() => placeProject(folder, files), /is not empty: it has list;/);
    assert.throws(
      () => placeProject(join(folder, 'list'), files),
      /list is a symlink that leads nowhere; name a folder/,
    );
  });

  test('files are added before the one that names them, and taken back when one cannot be written', () => {
    const folder = fs.mkdtempSync(join(root, 'added-'));
    fs.writeFileSync(join(folder, 'list'), 'old\n');
    const list = { path: 'list', text: 'new\n' };
    let last = 1;
    while (!killedBefore(last, () => placeFiles(folder, files, list)).isDone) {
      if (exists(folder, list))
        assert.ok(
          files.every((file) => exists(folder, file)),
          `killed before step ${last}`,
        );
      else {
        assert.ok(exists(folder, { path: 'list', text: 'old\n' }));
        placeFiles(folder, files, list); // the same call finishes it
        assert.ok([...files, list].every((file) => exists(folder, file)));
        assert.deepEqual(fs.readdirSync(folder), ['list', 'package.json', 'src']);
      }
      for (const entry of ['src', 'package.json']) fs.rmSync(join(folder, entry), { recursive: true, force: true });
      fs.writeFileSync(join(folder, 'list'), 'old\n');
      last += 1;
    }
    assert.ok(last > 12, `${last} steps`);
    fs.rmSync(join(folder, 'src'), { recursive: true });
    fs.rmSync(join(folder, 'package.json'));
    fs.writeFileSync(join(folder, 'src'), 'a file, where a folder is needed\n');
    fs.writeFileSync(join(folder, 'list'), 'old\n');
    assert.throws(() => placeFiles(folder, files, list), /cannot be written to: .*; nothing was written\.$/);
    assert.deepEqual(fs.readdirSync(folder), ['list', 'src']);
    assert.ok(exists(folder, { path: 'list', text: 'old\n' }));
  });

  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    test(`keelson init that gets a ${signal} while it starts leaves nothing, or a whole project`, async () => {
      const parent = fs.mkdtempSync(join(root, 'process-'));
      const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
      const child = spawn(process.execPath, [main, 'init', 'web'], { cwd: parent, stdio: 'ignore' });
      const watcher = fs.watch(parent, () => child.kill(signal)); // the first trace of it on the disk
      await once(child, 'close');
      watcher.close();
      const target = join(parent, 'web');
      if (fs.existsSync(target)) assert.ok(fs.existsSync(join(target, 'src/controllers/web.test.ts')));
      if (signal === 'SIGINT') assert.deepEqual(fs.readdirSync(parent), ['web']);
    });
  }
});
