import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobSpec } from '@keelson/core/batch/v1';
import { pod } from '../../test/pods.ts';
import { isCounted, matchFailure } from './failure-policy.ts';

type Rules = NonNullable<NonNullable<JobSpec['podFailurePolicy']>['rules']>;

const exited = (name: string, exitCode: number) => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode } },
});
const failed = pod('p', {
  status: {
    phase: 'Failed',
    containerStatuses: [exited('web', 0), exited('log', 3)],
    conditions: [{ type: 'DisruptionTarget', status: 'True' }],
  },
});
const match = (...rules: Rules) => matchFailure({ rules }, failed);

test('the first rule that matches decides, and says why', () => {
  const disruption = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] } as const;
  const code = { action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } } as const;
  assert.equal(
    match(code, disruption)?.message,
    'Container log for pod default/p failed with exit code 3 matching FailJob rule at index 0',
  );
  assert.equal(match(disruption, code)?.action, 'Ignore');
  assert.ok(!isCounted({ rules: [disruption] }, failed));
  assert.equal(
    match({ ...disruption, action: 'FailJob' })?.message,
    'Pod default/p has condition DisruptionTarget matching FailJob rule at index 0',
  );
});

test('rules that do not match leave a failure to be counted', () => {
  const cases: Rules = [
    { action: 'Ignore', onExitCodes: { operator: 'In', values: [4] } },
    { action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [3] } },
    { action: 'Ignore', onExitCodes: { containerName: 'web', operator: 'NotIn', values: [3] } },
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'False' }] },
  ];
  assert.equal(match(...cases), undefined);
  assert.ok(isCounted({ rules: cases }, failed));
  assert.ok(isCounted(undefined, failed));
});
