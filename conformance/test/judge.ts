/** Runs the whole suite on a server, so many cases at a time, one subtest for each. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { areas, casesOf, runCases, type Session } from '@keelson/conformance';

export async function judge(t: TestContext, session: Session, concurrency: number): Promise<void> {
  const subtests: Promise<void>[] = [];
  try {
    await runCases(session, casesOf(areas), {
      concurrency,
      report({ case: { name }, outcome }) {
        subtests.push(
          t.test(name, { skip: outcome.type === 'skipped' ? outcome.reason : false }, () => {
            if (outcome.type === 'failed') assert.fail(outcome.report);
          }),
        );
      },
    });
    await Promise.all(subtests);
  } finally {
    assert.deepEqual(await session.close(), [], 'nothing is left behind');
  }
}
