import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionFor, type OwnerState } from './decision.ts';

const owners = (...states: readonly OwnerState[]) =>
  states.map((state, i) => ({
    state,
    reference: { apiVersion: 'v1', kind: 'ConfigMap', name: `o${i}`, uid: `o${i}` },
  }));
const remove = (policy: string, unblockOwners = false) => ({ type: 'delete', policy, unblockOwners });

test('owners, finalizers and dependents decide what becomes of an object', () => {
  const cases = [
    ['without owners', owners(), [], [], { type: 'keep' }],
    ['all solid', owners('solid', 'solid'), [], [], { type: 'keep' }],
    ['one of two gone', owners('solid', 'absent'), [], [], { type: 'forget owners', uids: new Set(['o1']) }],
    ['one of two waiting', owners('waiting', 'solid'), [], [], { type: 'forget owners', uids: new Set(['o0']) }],
    ['all gone', owners('absent', 'absent'), [], [], remove('Background')],
    ['all gone, orphans asked for', owners('absent'), ['orphan'], [], remove('Orphan')],
    ['all gone, foreground asked for', owners('absent'), ['foregroundDeletion'], [], remove('Foreground')],
    ['waited for, without dependents', owners('waiting'), [], [], remove('Background')],
    ['waited for, with dependents', owners('waiting'), [], [false], remove('Foreground')],
    [
      'waited for, and a dependent waits too',
      owners('waiting', 'absent'),
      [],
      [false, true],
      remove('Foreground', true),
    ],
  ] as const;
  for (const [name, of, finalizers, dependents, decision] of cases) {
    const found = decisionFor(
      of,
      finalizers,
      dependents.map((isDeletingDependents) => ({ isDeletingDependents })),
    );
    assert.deepEqual(found, decision, name);
  }
});
