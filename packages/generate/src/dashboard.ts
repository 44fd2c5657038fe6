/** A dashboard for Grafana: what an operator does, how long it takes, what waits, what it watches, and who leads. */
import { isOnEngine, selected } from './alerts.ts';
import type { Installation } from './installation.ts';

interface Panel {
  readonly title: string;
  readonly unit: 'ops' | 's' | 'short' | 'bool_on_off';
  /** Legend and PromQL; `SELECTED` stands for what selects the series. */
  readonly queries: readonly (readonly [legend: string, expr: string])[];
  /** @default always */
  readonly isFor?: (installation: Installation) => boolean;
}

const rate = (metric: string) => `rate(${metric}{SELECTED}[$__rate_interval])`;
const slowest = (metric: string, by: string) =>
  `histogram_quantile(0.99, sum by (le, ${by}) (${rate(`${metric}_bucket`)}))`;
const webhooks = (installation: Installation) =>
  isOnEngine(installation) && installation.process.webhooks !== undefined;

const panels: readonly Panel[] = [
  {
    title: 'Passes',
    unit: 'ops',
    queries: [
      ['{{controller}}: {{result}}', `sum by (controller, result) (${rate('controller_runtime_reconcile_total')})`],
    ],
  },
  {
    title: 'Failed passes',
    unit: 'ops',
    queries: [['{{controller}}', `sum by (controller) (${rate('controller_runtime_reconcile_errors_total')})`]],
  },
  {
    title: 'How long 99 % of the passes take at most',
    unit: 's',
    queries: [['{{controller}}', slowest('controller_runtime_reconcile_time_seconds', 'controller')]],
    isFor: isOnEngine,
  },
  {
    title: 'Objects that wait',
    unit: 'short',
    queries: [['{{name}}', 'sum by (name) (workqueue_depth{SELECTED})']],
  },
  {
    title: 'How long 99 % of them wait at most',
    unit: 's',
    queries: [['{{name}}', slowest('workqueue_queue_duration_seconds', 'name')]],
  },
  { title: 'Retries', unit: 'ops', queries: [['{{name}}', `sum by (name) (${rate('workqueue_retries_total')})`]] },
  {
    title: 'Workers that are busy',
    unit: 'short',
    queries: [
      ['{{controller}}', 'sum by (controller) (controller_runtime_active_workers{SELECTED})'],
      ['{{controller}}: of', 'max by (controller) (controller_runtime_max_concurrent_reconciles{SELECTED})'],
    ],
    isFor: isOnEngine,
  },
  {
    title: 'Objects that are reconciled in vain, and slowed',
    unit: 'short',
    queries: [
      ['{{controller}}', 'sum by (controller) (keelson_reconcile_slowed_objects{SELECTED})'],
      ['{{controller}}: new', `sum by (controller) (increase(keelson_reconcile_storms_total{SELECTED}[1h]))`],
    ],
    isFor: isOnEngine,
  },
  {
    title: 'Replicas that lead',
    unit: 'short',
    queries: [['{{name}}', 'sum by (name) (leader_election_master_status{SELECTED})']],
    isFor: ({ operator }) => operator.leaderElection ?? false,
  },
  {
    title: 'Watches that fail',
    unit: 'bool_on_off',
    queries: [['{{resource}}', 'max by (resource) (keelson_watch_degraded{SELECTED})']],
  },
  {
    title: 'Objects in the cache',
    unit: 'short',
    queries: [['{{resource}}', 'max by (resource) (keelson_cache_objects{SELECTED})']],
  },
  {
    title: 'Requests to the API server',
    unit: 'ops',
    queries: [['{{method}} {{code}}', `sum by (method, code) (${rate('rest_client_requests_total')})`]],
    isFor: isOnEngine,
  },
  {
    title: 'How long 99 % of the requests take at most',
    unit: 's',
    queries: [['{{verb}}', slowest('rest_client_request_duration_seconds', 'verb')]],
    isFor: isOnEngine,
  },
  {
    title: 'How long 99 % of the answers of webhooks take at most',
    unit: 's',
    queries: [['{{webhook}}', slowest('controller_runtime_webhook_latency_seconds', 'webhook')]],
    isFor: webhooks,
  },
  {
    title: 'How long the certificate of the webhooks is still good',
    unit: 's',
    queries: [['', 'min(keelson_webhook_certificate_remaining_seconds{SELECTED})']],
    isFor: webhooks,
  },
];

/** The ConfigMap that carries it, and the label by which Grafana's sidecar finds such. */
export const dashboardName = ({ name }: Pick<Installation, 'name'>): string => `${name}-dashboard`;
export const dashboardLabels = { grafana_dashboard: '1' };

/** The model that Grafana imports; none where there are no metrics. Data source and namespace are chosen there. */
export function dashboard(installation: Installation): object | undefined {
  const { name, process } = installation;
  if (process.metrics === undefined) return undefined;
  const datasource = { type: 'prometheus', uid: `$\{datasource}` };
  const series = selected(installation, '$namespace');
  const chosen = panels.filter(({ isFor = () => true }) => isFor(installation));
  return {
    title: name,
    uid: name.slice(0, 40),
    tags: ['keelson', name],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'namespace',
          label: 'Namespace',
          type: 'query',
          datasource,
          query: `label_values(workqueue_adds_total{job="${name}-metrics"}, namespace)`,
          refresh: 2,
        },
      ],
    },
    panels: chosen.map(({ title, unit, queries }, i) => ({
      id: i + 1,
      title,
      type: 'timeseries',
      datasource,
      // Three in a row.
      gridPos: { x: (i % 3) * 8, y: Math.floor(i / 3) * 8, w: 8, h: 8 },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([legendFormat, expr], j) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + j),
        datasource,
        expr: expr.replaceAll('SELECTED', series),
        legendFormat,
      })),
    })),
  };
}
