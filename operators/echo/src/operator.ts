/** What the operator needs, as a value of core: roles are made of it, and tests run under them. */
import { operator, removable } from '@keelson/core';
import { CronJob, Job } from '@keelson/core/batch/v1';
import { Echo, ScheduledEcho } from './api/v1alpha1.ts';
import { levels } from './logger.ts';

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
    // The names and defaults of the chart that document 003 installs.
    parameters: [
      { value: 'ha.enabled', default: true, variable: 'HA_ENABLED' },
      { value: 'ha.replicaCount', default: 3 },
      { value: 'ha.leaderElection.leaseDurationSeconds', default: 15, variable: 'HA_LEASE_DURATION_SECONDS' },
      { value: 'ha.leaderElection.renewDeadlineSeconds', default: 10, variable: 'HA_RENEW_DEADLINE_SECONDS' },
      { value: 'ha.leaderElection.retryPeriodSeconds', default: 2, variable: 'HA_RETRY_PERIOD_SECONDS' },
      {
        value: 'numWorkers',
        default: 4,
        description: 'Objects that are worked on at a time.',
        variable: 'NUM_WORKERS',
      },
      {
        value: 'env',
        default: 'production',
        description: 'production logs JSON, local text.',
        choices: ['local', 'production'],
        variable: 'ENV',
      },
      { value: 'logLevel', default: 'info', choices: levels, variable: 'LOG_LEVEL' },
      { value: 'echoImage', default: 'busybox:1.33.1', description: 'The image that prints.', variable: 'ECHO_IMAGE' },
      {
        value: 'ttlSecondsAfterFinished',
        default: 3600,
        description: 'How long finished Jobs are kept.',
        variable: 'TTL_SECONDS_AFTER_FINISHED',
      },
      { value: 'monitoring.enabled', default: true, variable: 'METRICS_ENABLED' },
      { value: 'monitoring.path', default: '/metrics', variable: 'METRICS_PATH' },
      { value: 'monitoring.port', default: 2112, variable: 'METRICS_PORT' },
      { value: 'monitoring.interval', default: '10s' },
      { value: 'monitoring.labels', default: { release: 'monitoring' } },
    ],
  },
});
