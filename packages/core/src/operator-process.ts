/**
 * The process of an operator, seen from outside: where it listens and what it is told. Manifests are made of this.
 *
 * An operator that `run` of `@keelson/runtime` runs need not declare any of it.
 */
import type { EnvVar } from './generated/v1.ts';
import type { Operator } from './operator.ts';
import { servesWebhooks } from './webhook-configurations.ts';
import { webhookPort } from './webhook-names.ts';

/** Something that those who install an operator by its chart can choose, and how its process is told. */
export interface ProcessParameter {
  /** Its place among the values of the chart, such as `ha.leaderElection.leaseDurationSeconds`. */
  readonly value: string;
  /** What it is when nobody chooses. Where the process is not told, this is all that it changes of the chart. */
  readonly default: string | number | boolean | Readonly<Record<string, string>>;
  /** For those who choose. @default what the chart says of this value by itself */
  readonly description?: string | undefined;
  /** The only texts that it can be. @default any */
  readonly choices?: readonly string[] | undefined;
  /** The argument that tells the process, such as `--log-level`, in place of one of that name in `args`. */
  readonly flag?: string | undefined;
  /** The variable that tells the process, in place of one of that name in `env`. */
  readonly variable?: string | undefined;
}

/** Where an operator's process listens in its pod, and what it is told there. */
export interface OperatorProcess {
  /** Arguments of its program. Where the operator declares `leaderElection`, they or `env` tell replicas to elect. */
  readonly args: readonly string[];
  /** Variables of its program. */
  readonly env: readonly EnvVar[];
  /** The variable that says which namespaces it watches: `a,b`. Absent: it always watches all. */
  readonly namespacesVariable?: string | undefined;
  /** Where probes are answered over HTTP. */
  readonly health: { readonly port: number; readonly livenessPath: string; readonly readinessPath: string };
  /** Where metrics are answered: over HTTPS if the operator declares `secureMetrics`. Absent: nowhere. */
  readonly metrics?: { readonly port: number; readonly path: string } | undefined;
  /** Where webhooks are answered over HTTPS. Absent: nowhere. */
  readonly webhooks?: { readonly port: number } | undefined;
  /** How long it may take to stop; a pod is given longer. */
  readonly gracePeriodSeconds: number;
  /** What can be chosen when it is installed by its chart, beside its settings. @default nothing */
  readonly parameters?: readonly ProcessParameter[] | undefined;
}

const electionParameters: readonly ProcessParameter[] = [
  { value: 'ha.enabled', default: true, flag: '--leader-elect' },
  { value: 'ha.leaderElection.leaseDurationSeconds', default: 15, flag: '--leader-elect-lease-duration' },
  { value: 'ha.leaderElection.renewDeadlineSeconds', default: 10, flag: '--leader-elect-renew-deadline' },
  { value: 'ha.leaderElection.retryPeriodSeconds', default: 2, flag: '--leader-elect-retry-period' },
];

const engineParameters: readonly ProcessParameter[] = [
  { value: 'logLevel', default: 'info', choices: ['debug', 'info', 'warn', 'error'], flag: '--log-level' },
  { value: 'monitoring.port', default: 8080, flag: '--metrics-port' },
];

/** What an operator declares of its process, or what `run` of the engine does. */
export function operatorProcess(operator: Operator): OperatorProcess {
  const { process, leaderElection = false } = operator;
  return (
    process ?? {
      args: leaderElection ? ['--leader-elect'] : [],
      env: [],
      namespacesVariable: 'WATCH_NAMESPACE',
      health: { port: 8081, livenessPath: '/healthz', readinessPath: '/readyz' },
      metrics: { port: 8080, path: '/metrics' },
      webhooks: servesWebhooks(operator) ? { port: webhookPort } : undefined,
      gracePeriodSeconds: 25,
      parameters: [...(leaderElection ? electionParameters : []), ...engineParameters],
    }
  );
}
