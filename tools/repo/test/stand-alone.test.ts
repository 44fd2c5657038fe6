/**
 * Tests stand alone: what must not exist lies in a temporary folder of theirs, and a server listens on a free port.
 *
 * Found by reading: a path such as `/nowhere` exists on somebody's machine, and then a test that relies on its absence
 * does what it wanted to avoid. (Once a whole run of the benchmarks.)
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../src/workspace.ts';

const rules: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'hopes that a path does not exist', pattern: /'\/(nowhere|nope|missing|absent|no|not|does|non-?existent)\// },
  { what: 'hopes that a path does not exist', pattern: /'\/(nowhere|nope|missing|absent|non-?existent)'/ },
  { what: 'hopes that a port is free', pattern: /\.listen\(\s*[1-9]/ },
  { what: 'writes to a folder of the checkout', pattern: /(writeFile|mkdir|appendFile)(Sync)?\(\s*new URL\(/ },
];

/** Where a test needs the very thing: by file and rule. */
const exceptions: ReadonlySet<string> = new Set([
  // Whether this test or somebody else holds the demo's usual port is all the same to it.
  'demo/test/e2e/embedded.test.ts hopes that a port is free',
]);

function findings(file: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) =>
    rules
      .filter(({ what, pattern }) => pattern.test(line) && !exceptions.has(`${file} ${what}`))
      // No files: a JSON pointer, an HTTP path. And what a real server answers is recorded, when asked to, and checked in.
      .filter(() => !/\bop: '|request|getRaw|streamRaw|\bt\.|recorded/.test(line))
      .map(({ what }) => `${file}:${index + 1} ${what}`),
  );
}

test('no test relies on a path or a port that it did not make', () => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed
    .toString()
    .split('\n')
    .filter((file) => /\.test\.ts$|\/test\/.*\.ts$/.test(file) && file !== 'tools/repo/test/stand-alone.test.ts')
    .filter((file) => existsSync(join(root, file)));
  assert.ok(files.length > 100, `${files.length} files of tests were found`);
  assert.deepEqual(
    files.flatMap((file) => findings(file, readFileSync(join(root, file), 'utf8'))),
    [],
  );
});

for (const line of [
  `const found = read('/nowhere/rows.json');`,
  `env: { HOME: '/nowhere' }`,
  `requireSpace('/does/not/exist', 0)`,
  `server.listen(8080, '127.0.0.1')`,
  `writeFileSync(new URL('./out.json', import.meta.url), '{}')`,
]) {
  test(`a test with the line ${line} is found`, () => {
    assert.equal(findings('a.test.ts', line).length, 1);
  });
}
