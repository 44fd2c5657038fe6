/**
 * What the operator installs and makes, whole, against what is written down.
 *
 * A change that is meant is written down by: UPDATE_GOLDENS=1 npm test -- operators/echo/test/golden.test.ts
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { rulesOf } from '@keelson/core';
import { crdOf } from '@keelson/schema';
import { Echo, ScheduledEcho } from '../src/api/v1alpha1.ts';
import { desiredCronJob, desiredJob } from '../src/desired.ts';
import { echoOperator } from '../src/operator.ts';
import { echo, image, scheduledEcho } from './fixtures.ts';

const goldens = {
  'echo-definition': crdOf(Echo),
  'scheduled-echo-definition': crdOf(ScheduledEcho),
  job: desiredJob(echo(), image),
  'cron-job': desiredCronJob(scheduledEcho({ timeZone: 'Europe/Madrid' }), image),
  rules: rulesOf(echoOperator),
};

for (const [name, made] of Object.entries(goldens)) {
  test(`${name}: what is made is what is written down`, () => {
    const file = new URL(`./golden/${name}.json`, import.meta.url);
    if (process.env.UPDATE_GOLDENS) writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`);
    assert.deepEqual(made, JSON.parse(readFileSync(file, 'utf8')));
  });
}
