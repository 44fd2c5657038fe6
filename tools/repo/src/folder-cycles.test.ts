import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderCycles } from './folder-cycles.ts';

type Files = Readonly<Record<string, readonly string[]>>;

const cycles = (files: Files) =>
  folderCycles(new Map(Object.entries(files))).map((cycle) => cycle.map(({ folder }) => folder));

test('folders that import each other are named with the way between them', () => {
  const cases: readonly (readonly [what: string, files: Files, expected: readonly (readonly string[])[]])[] = [
    ['one way', { 'a/x.ts': ['b/y.ts'], 'b/y.ts': ['c/z.ts'], 'c/z.ts': [] }, []],
    ['inside a folder', { 'a/x.ts': ['a/y.ts'], 'a/y.ts': ['a/x.ts'] }, []],
    ['two folders, though no two files', { 'a/x.ts': ['b/y.ts'], 'b/z.ts': ['a/w.ts'] }, [['a', 'b']]],
    ['three', { 'a/x.ts': ['b/x.ts'], 'b/x.ts': ['c/x.ts'], 'c/y.ts': ['a/y.ts'] }, [['a', 'b', 'c']]],
    ['a folder and one in it', { 'a/x.ts': ['a/b/y.ts'], 'a/b/y.ts': ['a/z.ts'] }, [['a', 'a/b']]],
    ['files below src stand for themselves', { 'index.ts': ['a/x.ts'], 'a/x.ts': ['value.ts'], 'value.ts': [] }, []],
    ['files below src among themselves', { 'x.ts': ['y.ts'], 'y.ts': ['x.ts'] }, []],
    ['a file below src in a circle', { 'value.ts': ['a/x.ts'], 'a/x.ts': ['value.ts'] }, [['value.ts', 'a']]],
    [
      'two circles',
      { 'a/x.ts': ['b/y.ts'], 'b/z.ts': ['a/w.ts'], 'c/x.ts': ['d/y.ts'], 'd/z.ts': ['c/w.ts'] },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
  ];
  for (const [what, files, expected] of cases) assert.deepEqual(cycles(files), expected, what);
});
