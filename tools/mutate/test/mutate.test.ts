import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const source = `
export const limit = 3;
export function countDown(from: number): number {
  let left = from;
  while (left > 0) left -= 1;
  return left;
}
export function isSmall(n: number): boolean {
  if (n > 100) return false;
  return n < limit;
}
`;
const tests = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countDown, isSmall, limit } from './numbers.ts';
test('it ends at 0', () => assert.equal(countDown(2), 0));
test('small is below the limit', () => assert.deepEqual([isSmall(limit - 1), isSmall(4), limit], [true, false, 3]));
`;

test('mutants are killed by a failing test, or by one that does not end; the others are named', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-mutated-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'src/numbers.ts'), source);
  await writeFile(join(folder, 'src/numbers.test.ts'), tests);
  const report = join(folder, 'report.json');

  const { stdout } = await promisify(execFile)(process.execPath, [main, folder, '--report', report]);

  assert.match(stdout, /survived src\/numbers.ts:10 n < limit → n <= limit\n/);
  assert.match(stdout, /unreached src\/numbers.ts:9 false → true\n/);
  const results = JSON.parse(await readFile(report, 'utf8')) as {
    from: string;
    to: string;
    type: string;
    by?: string;
  }[];
  const became = (from: string, to: string) => results.find((each) => each.from === from && each.to === to);
  assert.equal(became('left -= 1', 'left += 1')?.type, 'endless');
  assert.deepEqual([became('3', '4')?.type, became('3', '4')?.by], ['killed', 'small is below the limit']);
  assert.equal(await readFile(join(folder, 'src/numbers.ts'), 'utf8'), source);
});
