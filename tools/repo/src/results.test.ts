import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Result, sentence, total } from './results.ts';

const sentences = [
  { result: { passed: 0, failed: 0, skipped: 0 }, expected: '0 passed, 0 failed' },
  { result: { passed: 12, failed: 3, skipped: 0 }, expected: '12 passed, 3 failed' },
  { result: { passed: 1, failed: 0, skipped: 2 }, expected: '1 passed, 0 failed, 2 skipped' },
];

for (const { result, expected } of sentences) {
  test(`a result reads "${expected}"`, () => {
    assert.equal(sentence(result), expected);
  });
}

const line = (result: Result) => `${JSON.stringify(result)}\n`;
const totals = [
  { says: 'nothing reported', text: '', expected: { passed: 0, failed: 0, skipped: 0 } },
  {
    says: 'one command',
    text: line({ command: 'unit', passed: 5, failed: 1, skipped: 2 }),
    expected: { passed: 5, failed: 1, skipped: 2 },
  },
  {
    says: 'several commands, one of them twice',
    text:
      line({ command: 'unit', passed: 5, failed: 0, skipped: 2 }) +
      line({ command: 'check', passed: 6, failed: 1, skipped: 0 }) +
      line({ command: 'check', passed: 7, failed: 0, skipped: 0 }),
    expected: { passed: 18, failed: 1, skipped: 2 },
  },
];

for (const { says, text, expected } of totals) {
  test(`the total of ${says} is ${sentence(expected)}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-results-'));
    try {
      const file = join(folder, 'results');
      writeFileSync(file, text);
      assert.deepEqual(total(file), expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
