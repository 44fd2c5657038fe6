/** The catalogue that `keelson bundle` writes, before opm: its channels, their heads and every kind of edge between versions. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { availability, peerProgram } from '@keelson/tools-kubernetes';
import { runKeelson } from '../test-shell.ts';

const execute = promisify(execFile);
const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
const possible = await availability();

describe('opm', { skip: !possible.available && possible.reason }, () => {
  let folder: string;
  let opm: string;
  let words: string;
  before(async () => {
    opm = await peerProgram('opm');
    folder = await mkdtemp(join(tmpdir(), 'keelson-catalogue-'));
    await cp(join(checkout, 'operators/echo'), join(folder, 'echo'), { recursive: true });
    await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
    words = await readFile(join(folder, 'echo/config/bundle.yaml'), 'utf8');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Adds a version, and has opm judge the whole. */
  async function offer(catalogue: string, said: string, ...flags: readonly string[]): Promise<void> {
    const cwd = join(folder, 'echo');
    await writeFile(join(cwd, 'config/bundle.yaml'), words.replace(/^channels:.*\n/m, '') + said);
    const { code, err } = await runKeelson(['bundle', '--catalogue', join(folder, catalogue), ...flags], { cwd });
    assert.deepEqual([code, err], [0, '']);
    await execute(opm, ['validate', join(folder, catalogue)]);
  }
  const listed = async (what: string, catalogue: string) => {
    const { stdout } = await execute(opm, ['alpha', 'list', what, join(folder, catalogue)]);
    return stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s{2,}/));
  };

  test('takes channels with replaced, skipped and ranged versions, and sees one head in each', async () => {
    const both = ['--channels', 'stable,candidate'];
    await offer('files', '', ...both, '--version', '1.0.0');
    await offer('files', '', ...both, '--version', '1.1.0', '--replaces', '1.0.0');
    await offer('files', '', '--channels', 'candidate', '--version', '1.2.0-rc.1', '--replaces', '1.1.0');
    const passing = "skips: ['1.2.0-rc.1']\nskipRange: '>=1.0.0 <1.2.0'\n";
    await offer('files', passing, ...both, '--version', '1.2.0', '--replaces', '1.1.0');
    assert.deepEqual(await listed('channels', 'files'), [
      ['echo-operator', 'candidate', 'echo-operator.v1.2.0'],
      ['echo-operator', 'stable', 'echo-operator.v1.2.0'],
    ]);
    const [first, second, rc, third] = ['1.0.0', '1.1.0', '1.2.0-rc.1', '1.2.0'].map(
      (each) => `echo-operator.v${each}`,
    );
    const known = [[first], [second, first], [third, second, rc, '>=1.0.0 <1.2.0']];
    assert.deepEqual(await listed('bundles', 'files'), [
      ...[...known, [rc, second]].map((each) => ['echo-operator', 'candidate', ...each]),
      ...known.map((each) => ['echo-operator', 'stable', ...each]),
    ]);
    const [[, , defaultChannel] = []] = await listed('packages', 'files');
    assert.equal(defaultChannel, 'stable');
  });

  test('takes a catalogue that names the images of bundles', async () => {
    const image = 'registry.example.com/echo-bundle:1.0.0';
    await offer('images', '', '--version', '1.0.0', '--bundle-image', image);
    assert.deepEqual(await listed('bundles', 'images'), [['echo-operator', 'stable', 'echo-operator.v1.0.0', image]]);
  });
});
