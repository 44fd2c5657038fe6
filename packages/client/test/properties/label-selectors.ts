/** Label selectors: what the server lists is what ours match, and what it refuses ours refuse. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { matchesLabels, parseLabelSelector, printLabelSelector } from '@keelson/core';
import fc from 'fast-check';
import { ask, type Given, must, unlessRefused } from './given.ts';

const keys = ['k', 'example.com/k', 'in', 'constructor', 'number'] as const;
const values = ['', 'a', 'b', 'notin', '9', '10', '99999999999999999999'] as const;

const population = fc
  .sample(
    fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values)), { selector: ([key]) => key }),
    {
      seed: 6,
      numRuns: 30,
    },
  )
  .map((labels, index) => ({ name: `labeled-${index}`, labels: Object.fromEntries(labels) }));

const key = fc.constantFrom(...keys);
const value = fc.constantFrom(...values);
const set = fc.array(value, { maxLength: 3 }).map((list) => `(${list.join(',')})`);
const space = fc.constantFrom('', '', ' ', '\t');
const spaced = (...parts: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(...parts.flatMap((part) => [space, part])).map((list) => list.join(''));
const term = fc.oneof(
  spaced(key),
  spaced(fc.constant('!'), key),
  spaced(key, fc.constantFrom('=', '==', '!='), value),
  spaced(key, fc.constantFrom('<', '>'), fc.constantFrom('9', '10', '100')),
  fc.tuple(key, fc.constantFrom(' in ', ' notin ', '\nin'), set).map((parts) => parts.join('')),
);
const wellFormed = fc.array(term, { maxLength: 3 }).map((terms) => terms.join(','));
const tokens = [
  ...keys,
  'a',
  'notin',
  '10',
  '=',
  '==',
  '!=',
  '!',
  '(',
  ')',
  ',',
  '<',
  '>',
  ' ',
  '-x',
  'a/b/c',
  'X.y/k',
  'ü',
];
const anyTokens = fc.array(fc.constantFrom(...tokens), { maxLength: 7 }).map((list) => list.join(''));
const long = fc.constantFrom(
  `${'k'.repeat(63)}`,
  `${'k'.repeat(64)}`,
  `k=${'v'.repeat(63)}`,
  `k in (${'v'.repeat(64)})`,
);

export function labelSelectorProperties(given: () => Given): void {
  const path = () => `/api/v1/namespaces/${given().namespace}/secrets`;

  before(async () => {
    for (const { name, labels } of population) {
      await must(ask(given().transport, 'POST', path(), { body: { metadata: { name, labels } } }));
    }
  });

  /** The names of what the server selects; `undefined` when it refuses. */
  async function selected(labelSelector: string): Promise<readonly string[] | undefined> {
    const { code, body } = await ask(given().transport, 'GET', path(), { query: { labelSelector } });
    if (code === 400) return undefined;
    assert.equal(code, 200, JSON.stringify(body));
    const names = (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    return names.filter((name) => name.startsWith('labeled-')).sort();
  }

  test('a label selector selects what it selects on the server, and is refused where it is refused there', async () => {
    const text = fc.oneof({ weight: 6, arbitrary: wellFormed }, { weight: 4, arbitrary: anyTokens }, long);
    await fc.assert(
      fc.asyncProperty(text, async (selector) => {
        const requirements = unlessRefused(
          () => parseLabelSelector(selector),
          (error) => error instanceof TypeError,
        );
        const ours = requirements && population.filter(({ labels }) => matchesLabels(requirements, labels));
        const theirs = await selected(selector);
        assert.deepEqual(ours?.map(({ name }) => name).sort(), theirs);
        if (requirements)
          assert.deepEqual(await selected(printLabelSelector(requirements)), theirs, 'as printed by us');
      }),
      { numRuns: 500 },
    );
  });
}
