import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { echoOperator } from './operator.ts';
import { settingsFrom, variables } from './settings.ts';

test('the process that the manifests are made for is told to elect, and listens where they say', () => {
  const { env = [], health, metrics } = echoOperator.process ?? {};
  const told = Object.fromEntries(env.map(({ name, value = 'from-the-pod' }) => [name, value]));
  const settings = settingsFrom(told, 'a');
  assert.deepEqual([settings.ha !== undefined, settings.logJson, settings.namespace], [true, true, 'from-the-pod']);
  assert.deepEqual([settings.healthPort, settings.metrics], [health?.port, metrics]);
});

test('without variables there is one replica with four workers, metrics on 2112 and probes on 8081', () => {
  assert.deepEqual(settingsFrom({}, 'node-a'), {
    namespace: 'default',
    numWorkers: 4,
    image: 'busybox:1.33.1',
    ttlSecondsAfterFinished: 3600,
    ha: undefined,
    metrics: { path: '/metrics', port: 2112 },
    healthPort: 8081,
    logJson: false,
    logLevel: 'info',
  });
});

test('high availability has the times of client-go, and the host as its identity, unless told otherwise', () => {
  assert.deepEqual(settingsFrom({ HA_ENABLED: 'true' }, 'node-a').ha, {
    nodeId: 'node-a',
    leaseName: 'echo-operator',
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  });
  const { ha } = settingsFrom(
    { HA_ENABLED: 'true', HA_NODE_ID: 'b', HA_LEASE_LOCK_NAME: 'l', HA_LEASE_DURATION_SECONDS: '30' },
    'node-a',
  );
  assert.deepEqual([ha?.nodeId, ha?.leaseName, ha?.leaseDurationMs], ['b', 'l', 30_000]);
});

test('metrics can be switched off, and moved', () => {
  assert.equal(settingsFrom({ METRICS_ENABLED: 'false' }, 'a').metrics, undefined);
  assert.deepEqual(settingsFrom({ METRICS_PATH: '/m', METRICS_PORT: '9' }, 'a').metrics, { path: '/m', port: 9 });
});

const bad: readonly (readonly [variables: Readonly<Record<string, string>>, message: string])[] = [
  [{ NUM_WORKERS: '0' }, 'NUM_WORKERS must be a whole number from 1 to 256, not "0"'],
  [{ NUM_WORKERS: 'four' }, 'NUM_WORKERS must be a whole number from 1 to 256, not "four"'],
  [{ NUM_WORKERS: '1e2' }, 'NUM_WORKERS must be a whole number from 1 to 256, not "1e2"'],
  [{ HA_ENABLED: 'yes' }, 'HA_ENABLED must be true or false, not "yes"'],
  [{ ENV: 'test' }, 'ENV must be one of local, production, not "test"'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of debug, info, warn, error, not "loud"'],
  [{ METRICS_PATH: 'metrics' }, 'METRICS_PATH must be a path that begins with /, not "metrics"'],
  [{ METRICS_PORT: '65536' }, 'METRICS_PORT must be a whole number from 0 to 65535, not "65536"'],
  [
    { TTL_SECONDS_AFTER_FINISHED: '-1' },
    'TTL_SECONDS_AFTER_FINISHED must be a whole number from 0 to 2147483647, not "-1"',
  ],
  [{ HA_RENEW_DEADLINE_SECONDS: '15' }, 'HA_LEASE_DURATION_SECONDS must be greater than HA_RENEW_DEADLINE_SECONDS'],
  [
    { HA_RETRY_PERIOD_SECONDS: '9' },
    'HA_RENEW_DEADLINE_SECONDS must be greater than 1.2 times HA_RETRY_PERIOD_SECONDS',
  ],
  [
    { HA_ENABLED: 'no', ENV: 'x' },
    'HA_ENABLED must be true or false, not "no"; ENV must be one of local, production, not "x"',
  ],
];

test('a bad value is named with what is allowed, and all of them at once', () => {
  for (const [variables, message] of bad) {
    assert.throws(() => settingsFrom(variables, 'a'), { name: 'SettingsError', message });
  }
});

test('the README and --help have every variable that is read', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const read = new Set<string>(['KUBECONFIG']);
  settingsFrom(
    new Proxy(
      {},
      {
        get(_, name) {
          read.add(String(name));
          return undefined;
        },
      },
    ),
    'a',
  );
  assert.deepEqual([...read].sort(), variables.map(([name]) => name).sort());
  for (const name of read) assert.ok(readme.includes(`\`${name}\``), name);
});
