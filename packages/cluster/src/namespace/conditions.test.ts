import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionsOf, type Findings } from './conditions.ts';

const clean: Findings = { discovery: undefined, failures: [], remaining: new Map(), finalizers: new Map() };
const wallMs = Date.parse('2026-01-01T00:00:00Z');
const [then, later] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'];

test('a namespace without content says so five times, as Kubernetes does', () => {
  assert.deepEqual(
    conditionsOf([], clean, wallMs).map(({ type, status, reason, message, lastTransitionTime }) => [
      type,
      status,
      reason,
      message,
      lastTransitionTime,
    ]),
    [
      [
        'NamespaceDeletionDiscoveryFailure',
        'False',
        'ResourcesDiscovered',
        'All resources successfully discovered',
        then,
      ],
      [
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
        then,
      ],
      [
        'NamespaceDeletionContentFailure',
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
        then,
      ],
      ['NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed', then],
      [
        'NamespaceFinalizersRemaining',
        'False',
        'ContentHasNoFinalizers',
        'All content-preserving finalizers finished',
        then,
      ],
    ],
  );
});

test('what remains and what failed is listed in a stable order', () => {
  const findings: Findings = {
    discovery: 'some groups are away',
    failures: ['b', 'a'],
    remaining: new Map([
      ['widgets.example.com', 1],
      ['pods.', 2],
    ]),
    finalizers: new Map([
      ['example.com/z', 1],
      ['example.com/a', 2],
    ]),
  };
  const messages = conditionsOf([], findings, wallMs).map(({ status, message }) => [status, message]);
  assert.deepEqual(messages, [
    ['True', 'some groups are away'],
    ['False', 'All legacy kube types successfully parsed'],
    ['True', 'Failed to delete all resource types, 2 remaining: a, b'],
    [
      'True',
      'Some resources are remaining: pods. has 2 resource instances, widgets.example.com has 1 resource instances',
    ],
    [
      'True',
      'Some content in the namespace has finalizers remaining: example.com/a in 2 resource instances, example.com/z in 1 resource instances',
    ],
  ]);
});

test('conditions that stay as they are stay the same array, and times change with the status only', () => {
  const remaining = (count: number): Findings => ({ ...clean, remaining: new Map([['pods.', count]]) });
  const before = conditionsOf([], remaining(2), wallMs);
  assert.equal(conditionsOf(before, remaining(2), wallMs + 60_000), before);
  const timesAt = (findings: Findings) =>
    conditionsOf(before, findings, wallMs + 60_000).find(({ type }) => type === 'NamespaceContentRemaining')
      ?.lastTransitionTime;
  assert.equal(timesAt(remaining(1)), then);
  assert.equal(timesAt(clean), later);
});
