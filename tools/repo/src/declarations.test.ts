import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { declarationsOf } from './declarations.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-declarations-'));
after(() => rmSync(folder, { recursive: true }));

writeFileSync(
  join(folder, 'index.ts'),
  `export type * from './types.ts';
export { hidden as shown, type Third } from './values.ts';
export { createThing } from '@keelson/core';
export type { Fourth } from './passed-on.ts';
`,
);
writeFileSync(
  join(folder, 'passed-on.ts'),
  `import type { First as Fourth } from './types.ts';

export type { Fourth };
`,
);
writeFileSync(
  join(folder, 'types.ts'),
  `/** The file's promise. */
import type { X } from './x.ts';

/** One. */
export interface First {}

export type Second = X;
`,
);
writeFileSync(
  join(folder, 'values.ts'),
  `/**
 * Overloads, of which the first is documented.
 */
export async function hidden(): Promise<void>;
export async function hidden(size: number): Promise<void>;

/* Not a doc comment. */
export class Third {}

/** A kind, and its type. */
export const Third = 3;
`,
);

test('the exports of a module are found through re-exports, with their comments', () => {
  const found = declarationsOf(join(folder, 'index.ts')).map(({ name, line, documented }) => [name, line, documented]);
  assert.deepEqual(found, [
    ['First', 5, true],
    ['Second', 7, false],
    ['shown', 4, true],
    ['Third', 8, true],
    ['Fourth', 5, true],
  ]);
});

test('a name that is not declared where it should be is found nowhere, and undocumented', () => {
  const file = join(folder, 'broken.ts');
  writeFileSync(file, `export { absent } from './types.ts';\n`);
  assert.deepEqual(declarationsOf(file), [
    { name: 'absent', file: join(folder, 'types.ts'), line: 0, documented: false },
  ]);
});
