import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonInLog } from './failure-reason.ts';

for (const [log, expected] of [
  [
    'I0101 fine\nE0101 10:00:00 run.go:72] "command failed" err="x"\nI0101 bye\n',
    'E0101 10:00:00 run.go:72] "command failed" err="x"',
  ],
  ['Error: unknown flag: --bogus\n', 'Error: unknown flag: --bogus'],
  ['{"level":"fatal","msg":"listen tcp"}\n{"level":"info"}\n', '{"level":"fatal","msg":"listen tcp"}'],
  ['just this\n', 'just this'],
  ['', 'it printed nothing'],
] as const) {
  test(`the reason is found in the log ${JSON.stringify(log)}`, () => assert.equal(reasonInLog(log), expected));
}
