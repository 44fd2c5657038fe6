/** A reporter for Node's test runner: one JSON line with the counts and the reason of every skipped test. */
import type { TestEvent } from 'node:test/reporters';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

// Node's runner takes a reporter only as a default export.
// biome-ignore lint/style/noDefaultExport: required by node --test-reporter
export default async function* tally(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  const skipped: { name: string; reason: string }[] = [];
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, skip = false, details } = event.data;
    // A skipped suite reports none of its tests, so it counts itself; `t.skip()` without a reason gives an empty one.
    if (skip !== false) skipped.push({ name, reason: skip === true || skip === '' ? 'no reason given' : skip });
    else if (details.type === 'suite') continue;
    else if (event.type === 'test:pass') passed += 1;
    else failed += 1;
  }
  yield `${JSON.stringify({ passed, failed, skipped } satisfies Tally)}\n`;
}
