/** What a chart tells Prometheus and Grafana: where to read, when to warn, what to show. */
import { prometheusRule } from '../alerts.ts';
import { dashboard, dashboardLabels, dashboardName } from '../dashboard.ts';
import { type GeneratedFile, jsonFile } from '../generated-file.ts';
import { managerLabelsOf } from '../installation.ts';
import { serviceMonitor } from '../monitoring.ts';
import { Guarded, Inserted, Template } from '../yaml.ts';
import { chartFile } from './chart-file.ts';
import { type ChartInstallation, releaseNamespace } from './chart-installation.ts';

export function monitoringFiles({ everywhere, parameters }: ChartInstallation): readonly GeneratedFile[] {
  const monitor = serviceMonitor(everywhere);
  const rule = prometheusRule(everywhere);
  const board = dashboard(everywhere);
  if (monitor === undefined || rule === undefined || board === undefined) return [];
  const hasPath = parameters.some(({ value }) => value === 'monitoring.path');
  const endpoints = monitor.spec.endpoints.map((endpoint) => ({
    ...endpoint,
    ...(hasPath && { path: new Template('{{ $.Values.monitoring.path | quote }}') }),
    interval: new Guarded('with $.Values.monitoring.interval', new Template('{{ quote . }}')),
  }));
  return [
    ...chartFile('service-monitor.yaml', [
      {
        conditions: [ifKnown('ServiceMonitor', 'serviceMonitor')],
        object: {
          ...monitor,
          metadata: placed(monitor.metadata),
          spec: { ...monitor.spec, namespaceSelector: { matchNames: [releaseNamespace] }, endpoints },
        },
      },
    ]),
    ...chartFile('prometheus-rule.yaml', [
      {
        conditions: [ifKnown('PrometheusRule', 'prometheusRule')],
        object: { ...rule, metadata: placed(rule.metadata) },
      },
    ]),
    ...chartFile('dashboard.yaml', [
      {
        conditions: ['if and $.Values.monitoring.enabled $.Values.monitoring.dashboard'],
        object: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: placed({
            name: dashboardName(everywhere),
            labels: { ...managerLabelsOf(everywhere), ...dashboardLabels },
          }),
          data: { 'dashboard.json': new Template('{{ $.Files.Get "dashboard.json" | toJson }}') },
        },
      },
    ]),
    jsonFile('chart/dashboard.json', board),
  ];
}

/** In the namespace and with the labels that those who monitor look for. */
const placed = (metadata: { readonly name: string; readonly labels: object }) => ({
  ...metadata,
  namespace: new Template('{{ $.Values.monitoring.namespace | default $.Release.Namespace | quote }}'),
  labels: {
    ...metadata.labels,
    more: new Inserted('{{- with $.Values.monitoring.labels }}', '{{- toYaml . | nindent HERE }}', '{{- end }}'),
  },
});

/** There only if the cluster has the kind; when that comes later, the next upgrade makes it. */
const ifKnown = (kind: string, value: string): string =>
  `if and $.Values.monitoring.enabled $.Values.monitoring.${value} ($.Capabilities.APIVersions.Has "monitoring.coreos.com/v1/${kind}")`;
