/** The reports that docs/runtime.md shows: the tests compare what is printed with the page, word for word. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../docs/runtime.md', import.meta.url), 'utf8');

/** The lines of the first text block behind these words. */
export function documented(words: string): readonly string[] {
  const at = page.indexOf(words);
  const block = at < 0 ? undefined : /^```text\n(.+?)\n```$/ms.exec(page.slice(at))?.[1];
  assert.ok(block, `docs/runtime.md has no text block behind "${words}"`);
  return block.split('\n');
}
