import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleWordsProblems } from './words.ts';

const enough = {
  displayName: 'Sites',
  description: 'Runs sites.',
  provider: { name: 'Example' },
  maintainers: [{ name: 'Ada', email: 'ada@example.com' }],
};

test('four fields are enough', () => assert.deepEqual(bundleWordsProblems(enough), []));

const cases: readonly (readonly [string, unknown, readonly RegExp[]])[] = [
  ['nothing', null, [/null|object/]],
  ['an empty file', {}, [/^description: Required/, /^displayName: Required/, /^maintainers/, /^provider/]],
  ['nobody', { ...enough, maintainers: [] }, [/^maintainers: .*1 item/]],
  [
    'an address that is none',
    { ...enough, maintainers: [{ name: 'Ada', email: 'ada' }] },
    [/^maintainers\[0\]\.email/],
  ],
  ['a field that does not exist', { ...enough, channel: 'stable' }, [/^channel: no such field/]],
  [
    'a category that OperatorHub does not know',
    { ...enough, categories: ['Caches'] },
    [/^categories\[0\].*"Database"/],
  ],
  ['a level that does not exist', { ...enough, capabilities: 'Some' }, [/^capabilities.*"Auto Pilot"/]],
  ['a version of Kubernetes that is none', { ...enough, minKubeVersion: 'v1.29' }, [/^minKubeVersion/]],
];
for (const [what, value, expected] of cases) {
  test(`${what} is told with the field`, () => {
    const problems = bundleWordsProblems(value);
    assert.equal(problems.length, expected.length, problems.join('\n'));
    for (const [i, pattern] of expected.entries()) assert.match([...problems].sort()[i] ?? '', pattern);
  });
}
