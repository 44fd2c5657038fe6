import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import tally, { type Tally } from './tally.ts';

interface Outcome {
  readonly type: 'test:pass' | 'test:fail' | 'test:diagnostic';
  readonly name?: string;
  readonly skip?: string | boolean;
  readonly suite?: boolean;
}

/** The part of the runner's events that a tally reads. */
async function* events(outcomes: readonly Outcome[]): AsyncGenerator<TestEvent> {
  for (const { type, name = 'a test', skip, suite = false } of outcomes) {
    const data = { name, ...(skip !== undefined && { skip }), details: { type: suite ? 'suite' : 'test' } };
    yield { type, data } as unknown as TestEvent;
  }
}

async function tallyOf(outcomes: readonly Outcome[]): Promise<Tally> {
  const chunks: string[] = [];
  for await (const chunk of tally(events(outcomes))) chunks.push(chunk);
  assert.equal(chunks.length, 1);
  return JSON.parse(chunks.join('')) as Tally;
}

const cases: readonly { says: string; outcomes: readonly Outcome[]; expected: Partial<Tally> }[] = [
  { says: 'no test', outcomes: [], expected: {} },
  { says: 'a passed test', outcomes: [{ type: 'test:pass' }], expected: { passed: 1 } },
  { says: 'a failed test', outcomes: [{ type: 'test:fail' }], expected: { failed: 1 } },
  {
    says: 'a suite as its tests alone',
    outcomes: [
      { type: 'test:pass' },
      { type: 'test:fail' },
      { type: 'test:fail', suite: true },
      { type: 'test:pass', suite: true },
    ],
    expected: { passed: 1, failed: 1 },
  },
  {
    says: 'a skipped test with its reason',
    outcomes: [{ type: 'test:pass', name: 'pods run', skip: 'not root' }],
    expected: { skipped: [{ name: 'pods run', reason: 'not root' }] },
  },
  {
    says: 'a skipped suite, whose tests are never reported',
    outcomes: [{ type: 'test:pass', name: 'real Kubernetes', skip: 'Go is missing', suite: true }],
    expected: { skipped: [{ name: 'real Kubernetes', reason: 'Go is missing' }] },
  },
  {
    says: 'a skip without a reason',
    outcomes: [
      { type: 'test:pass', name: 'by option', skip: true },
      { type: 'test:pass', name: 'by t.skip()', skip: '' },
    ],
    expected: {
      skipped: [
        { name: 'by option', reason: 'no reason given' },
        { name: 'by t.skip()', reason: 'no reason given' },
      ],
    },
  },
  {
    says: 'nothing but results',
    outcomes: [{ type: 'test:diagnostic' }, { type: 'test:pass', skip: false }],
    expected: { passed: 1 },
  },
];

for (const { says, outcomes, expected } of cases) {
  test(`the tally counts ${says}`, async () => {
    assert.deepEqual(await tallyOf(outcomes), { passed: 0, failed: 0, skipped: [], ...expected });
  });
}
