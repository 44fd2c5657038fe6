/** How the operator's metrics are reached: a Service, what Prometheus and Grafana are told, and who may connect at all. */
import type { NewNetworkPolicy } from '@keelson/core/networking/v1';
import type { NewService } from '@keelson/core/v1';
import { prometheusRule } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import { type GeneratedFile, jsonFile, yamlFile } from './generated-file.ts';
import { type Installation, managerLabelsOf, metricsName } from './installation.ts';

/** The Service of `config/manager`. */
export function metricsServiceFile(installation: Installation): readonly GeneratedFile[] {
  const service = metricsService(installation);
  return service ? [yamlFile('config/manager/metrics_service.yaml', service)] : [];
}

/** The Service of its metrics; none where there are none. */
export function metricsService(installation: Installation): NewService | undefined {
  const { process, namespace } = installation;
  if (process.metrics === undefined) return undefined;
  const labels = managerLabelsOf(installation);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: metricsName(installation), namespace, labels },
    spec: {
      selector: labels,
      ports: [{ name: 'metrics', port: process.metrics.port, targetPort: 'metrics' }],
    },
  };
}

/** `config/prometheus`: what Prometheus reads and when it warns, and a dashboard. */
export function prometheusFiles(installation: Installation): readonly GeneratedFile[] {
  const monitor = serviceMonitor(installation);
  const rule = prometheusRule(installation);
  const board = dashboard(installation);
  return [
    ...(monitor ? [yamlFile('config/prometheus/service_monitor.yaml', monitor)] : []),
    ...(rule ? [yamlFile('config/prometheus/prometheus_rule.yaml', rule)] : []),
    ...(board ? [jsonFile('config/prometheus/dashboard.json', board)] : []),
  ];
}

/** What the Prometheus operator is told; nothing where there are no metrics. */
export function serviceMonitor(installation: Installation) {
  const { operator, process, namespace } = installation;
  if (process.metrics === undefined) return undefined;
  const labels = managerLabelsOf(installation);
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: metricsName(installation), namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      endpoints: [
        {
          port: 'metrics',
          path: process.metrics.path,
          ...(operator.secureMetrics && {
            scheme: 'https',
            bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
            // The certificate is the operator's own; whoever reads is known by the token.
            tlsConfig: { insecureSkipVerify: true },
          }),
        },
      ],
    },
  };
}

/** `config/network-policy`. */
export function networkPolicyFile(installation: Installation): GeneratedFile {
  return yamlFile('config/network-policy/network_policy.yaml', networkPolicy(installation));
}

/**
 * Who may connect: metrics for namespaces with the label `metrics: enabled`, webhooks for
 * everybody, and nothing else. Probes come from the node, which is always let in.
 */
export function networkPolicy(installation: Installation): NewNetworkPolicy {
  const { process, name, namespace } = installation;
  const labels = managerLabelsOf(installation);
  const { metrics, webhooks } = process;
  const at = (port: number) => ({ ports: [{ protocol: 'TCP', port } as const] });
  const ingress = [
    ...(metrics
      ? [{ from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }], ...at(metrics.port) }]
      : []),
    // Where API servers call from is for the cluster to know.
    ...(webhooks ? [at(webhooks.port)] : []),
  ];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress'],
      ...(ingress.length > 0 && { ingress }),
    },
  };
}
