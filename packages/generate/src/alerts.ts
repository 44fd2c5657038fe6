/**
 * The PrometheusRule of an operator: what somebody should be woken for, or look at tomorrow.
 *
 * An alert names only metrics that the operator serves: those of the engine are there unless it declares a process of its
 * own, which shares the metrics of reconciles, watches and the election.
 */
import { type Installation, managerLabelsOf, metricsName } from './installation.ts';

/** One alert, before it is told which operator it is about. */
interface Alert {
  readonly alert: string;
  readonly isFor: (installation: Installation) => boolean;
  /** PromQL; `SELECTED` stands for what selects the series of this operator. */
  readonly expr: string;
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  readonly description: string;
}

const always = () => true;
/** Whether it runs on the engine, whose metrics are known. */
export const isOnEngine = ({ operator }: Installation): boolean => operator.process === undefined;
const elects = ({ operator }: Installation): boolean => operator.leaderElection ?? false;
const servesWebhooks = (installation: Installation): boolean =>
  isOnEngine(installation) && installation.process.webhooks !== undefined;

const alerts: readonly Alert[] = [
  {
    alert: 'OperatorDown',
    isFor: always,
    expr: 'absent(up{SELECTED} == 1)',
    for: '5m',
    severity: 'critical',
    summary: 'OPERATOR answers nowhere',
    description: 'Nothing that it looks after is reconciled. See its pods and their Events.',
  },
  {
    alert: 'OperatorLeaderMissing',
    isFor: elects,
    expr: 'sum(leader_election_master_status{SELECTED}) < 1',
    for: '5m',
    severity: 'critical',
    summary: 'No replica of OPERATOR leads',
    description: 'Its replicas run, and none of them works. See their logs for why the Lease cannot be won.',
  },
  {
    alert: 'OperatorReconcileErrors',
    isFor: always,
    expr: 'sum by (controller) (rate(controller_runtime_reconcile_errors_total{SELECTED}[5m])) / sum by (controller) (rate(controller_runtime_reconcile_total{SELECTED}[5m])) > 0.1',
    for: '15m',
    severity: 'warning',
    summary: 'OPERATOR fails at what it reconciles',
    description:
      'More than a tenth of the passes of the controller {{ $labels.controller }} fail. The log names the objects and the reasons.',
  },
  {
    alert: 'OperatorReconcileStorm',
    isFor: isOnEngine,
    expr: 'max by (controller) (keelson_reconcile_slowed_objects{SELECTED}) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'OPERATOR reconciles objects again and again in vain',
    description:
      '{{ $value }} objects of the controller {{ $labels.controller }} are slowed. Their Events name what keeps waking them.',
  },
  {
    alert: 'OperatorWatchBroken',
    isFor: always,
    expr: 'max by (resource) (keelson_watch_degraded{SELECTED}) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'OPERATOR does not see what changes',
    description:
      'The watch of {{ $labels.resource }} fails. The log says why, and which right is missing if that is the reason.',
  },
  {
    alert: 'OperatorCertificateEnding',
    isFor: servesWebhooks,
    expr: 'min(keelson_webhook_certificate_remaining_seconds{SELECTED}) < 14 * 86400',
    for: '1h',
    severity: 'warning',
    summary: 'The certificate of the webhooks of OPERATOR ends soon',
    description:
      'It should have been renewed already. When it ends, the API server cannot ask the operator: writes are refused, or let through unexamined where failurePolicy is Ignore, and objects are not converted between versions.',
  },
];

/** Whoever scrapes by the generated ServiceMonitor gives series the name of the Service as their job. */
export const selected = ({ name }: Pick<Installation, 'name'>, namespace: string): string =>
  `job="${metricsName({ name })}",namespace="${namespace}"`;

/** The alerts of an operator; none where there are no metrics. */
export function prometheusRule(installation: Installation) {
  const { name, namespace, process } = installation;
  if (process.metrics === undefined) return undefined;
  const rules = alerts
    .filter(({ isFor }) => isFor(installation))
    .map(({ alert, expr, for: lasting, severity, summary, description }) => ({
      alert,
      expr: expr.replaceAll('SELECTED', selected(installation, namespace)),
      for: lasting,
      labels: { severity, operator: name },
      annotations: { summary: summary.replace('OPERATOR', name), description },
    }));
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name, namespace, labels: managerLabelsOf(installation) },
    spec: { groups: [{ name, rules }] },
  };
}
