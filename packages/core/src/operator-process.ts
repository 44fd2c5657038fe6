/**
 * The process of an operator, seen from outside: where it listens and what it is told. Manifests are made of this.
 *
 * An operator that `run` of `@keelson/runtime` runs need not declare any of it.
 */
import type { EnvVar } from './generated/v1.ts';
import type { Operator } from './operator.ts';
import { servesWebhooks } from './webhook-configurations.ts';
import { webhookPort } from './webhook-names.ts';

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
}

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
    }
  );
}
