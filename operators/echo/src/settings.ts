/** Configuration by environment variables, as a ConfigMap sets them. A bad value is named with what is allowed. */
import { type Level, levels } from './logger.ts';

/** How replicas elect the one that works. */
interface HighAvailability {
  readonly nodeId: string;
  readonly leaseName: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** What the operator can be told. */
export interface Settings {
  /** Where the Lease is. */
  readonly namespace: string;
  readonly numWorkers: number;
  /** Which image prints. */
  readonly image: string;
  readonly ttlSecondsAfterFinished: number;
  /** Absent: one replica, which works without an election. */
  readonly ha: HighAvailability | undefined;
  readonly metrics: { readonly path: string; readonly port: number } | undefined;
  readonly healthPort: number;
  /** JSON lines for machines, as in production, or text for people. */
  readonly logJson: boolean;
  readonly logLevel: Level;
}

/** The variables: name, default and what they are for. */
export const variables: readonly (readonly [name: string, fallback: string, what: string])[] = [
  ['KUBECONFIG', 'in-cluster, then ~/.kube/config', 'the cluster'],
  ['NAMESPACE', 'default', 'where the Lease is'],
  ['NUM_WORKERS', '4', 'objects that are worked on at a time'],
  ['ECHO_IMAGE', 'busybox:1.33.1', 'the image that prints'],
  ['TTL_SECONDS_AFTER_FINISHED', '3600', 'how long finished Jobs are kept'],
  ['HA_ENABLED', 'false', 'whether replicas elect one that works'],
  ['HA_NODE_ID', 'host name and a random part', 'who a replica is'],
  ['HA_LEASE_LOCK_NAME', 'echo-operator', 'the Lease'],
  ['HA_LEASE_DURATION_SECONDS', '15', 'how long others wait for a leader'],
  ['HA_RENEW_DEADLINE_SECONDS', '10', 'how long it leads without a renewal'],
  ['HA_RETRY_PERIOD_SECONDS', '2', 'how often it renews, or looks'],
  ['METRICS_ENABLED', 'true', 'whether there are metrics'],
  ['METRICS_PATH', '/metrics', 'their path'],
  ['METRICS_PORT', '2112', 'their port'],
  ['HEALTH_PORT', '8081', 'the port of /healthz and /readyz'],
  ['ENV', 'local', 'production logs JSON'],
  ['LOG_LEVEL', 'info', 'debug, info, warn or error'],
];

/** Variables that cannot be what they are: all of them, each with what is allowed. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** What the variables say; `identity` is who we are where none of them tells. Throws a SettingsError. */
export function settingsFrom(environment: NodeJS.ProcessEnv, identity: string): Settings {
  const problems: string[] = [];
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, allowed: string): T => {
    const text = environment[name];
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value === undefined) problems.push(`${name} must be ${allowed}, not ${JSON.stringify(text)}`);
    return value ?? fallback;
  };
  const text = (name: string, fallback: string) => environment[name] || fallback;
  const integer = (name: string, fallback: number, least: number, most: number) =>
    read(name, fallback, (value) => within(value, least, most), `a whole number from ${least} to ${most}`);
  const flag = (name: string, fallback: boolean) =>
    read(name, fallback, (value) => ({ true: true, false: false })[value], 'true or false');
  const oneOf = <const T extends string>(name: string, fallback: T, all: readonly T[]) =>
    read(name, fallback, (value) => all.find((each) => each === value), `one of ${all.join(', ')}`);

  const seconds = (name: string, fallback: number) => integer(name, fallback, 1, 3600) * 1000;
  const ha: HighAvailability = {
    nodeId: text('HA_NODE_ID', identity),
    leaseName: text('HA_LEASE_LOCK_NAME', 'echo-operator'),
    leaseDurationMs: seconds('HA_LEASE_DURATION_SECONDS', 15),
    renewDeadlineMs: seconds('HA_RENEW_DEADLINE_SECONDS', 10),
    retryPeriodMs: seconds('HA_RETRY_PERIOD_SECONDS', 2),
  };
  if (ha.leaseDurationMs <= ha.renewDeadlineMs) {
    problems.push('HA_LEASE_DURATION_SECONDS must be greater than HA_RENEW_DEADLINE_SECONDS');
  }
  if (ha.renewDeadlineMs <= 1.2 * ha.retryPeriodMs) {
    problems.push('HA_RENEW_DEADLINE_SECONDS must be greater than 1.2 times HA_RETRY_PERIOD_SECONDS');
  }
  const path = read(
    'METRICS_PATH',
    '/metrics',
    (value) => (value.startsWith('/') ? value : undefined),
    'a path that begins with /',
  );
  const port = integer('METRICS_PORT', 2112, 0, 65_535);
  const settings: Settings = {
    namespace: text('NAMESPACE', 'default'),
    numWorkers: integer('NUM_WORKERS', 4, 1, 256),
    image: text('ECHO_IMAGE', 'busybox:1.33.1'),
    ttlSecondsAfterFinished: integer('TTL_SECONDS_AFTER_FINISHED', 3600, 0, 2 ** 31 - 1),
    ha: flag('HA_ENABLED', false) ? ha : undefined,
    metrics: flag('METRICS_ENABLED', true) ? { path, port } : undefined,
    healthPort: integer('HEALTH_PORT', 8081, 0, 65_535),
    logJson: oneOf('ENV', 'local', ['local', 'production']) === 'production',
    logLevel: oneOf('LOG_LEVEL', 'info', levels),
  };
  if (problems.length > 0) throw new SettingsError(problems.join('; '));
  return settings;
}

function within(text: string, least: number, most: number): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}
