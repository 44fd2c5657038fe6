/** What the operator needs, as a value of core: roles are made of it, and tests run under them. */
import { operator, removable } from '@keelson/core';
import { CronJob, Job } from '@keelson/core/batch/v1';
import { Echo, ScheduledEcho } from './api/v1alpha1.ts';

/** Makes a Job for every Echo and a CronJob for every ScheduledEcho. */
export const echoOperator = operator({
  name: 'echo-operator',
  controllers: [
    { for: Echo, owns: [removable(Job)] },
    { for: ScheduledEcho, owns: [CronJob] },
  ],
  leaderElection: true,
  process: {
    args: [],
    env: [
      { name: 'HA_ENABLED', value: 'true' },
      { name: 'NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'ENV', value: 'production' },
    ],
    health: { port: 8081, livenessPath: '/healthz', readinessPath: '/readyz' },
    metrics: { port: 2112, path: '/metrics' },
    gracePeriodSeconds: 15,
  },
});
