import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { record } from './recording.ts';

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

async function inFolder(run: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));
  try {
    await run(join(folder, 'lines'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the lines up to the last one are recorded, however they were cut', () =>
  inFolder(async (file) => {
    const recording = await record(file, chunks('{"a":1}\n{"b', '":"ü"}\n{"c":3}\n', '{"d":4}\n'), (line) =>
      line.startsWith('{"c'),
    );
    assert.deepEqual(recording, { file, lines: 3, bytes: 27 });
    assert.equal(readFileSync(file, 'utf8'), '{"a":1}\n{"b":"ü"}\n{"c":3}\n');
  }));

test('a stream that ends before its last line is an error', () =>
  inFolder(async (file) => {
    await assert.rejects(
      record(file, chunks('1\n2\n'), (_line, lines) => lines === 3),
      /ended after 2 lines/,
    );
  }));
