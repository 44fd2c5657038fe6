/** What reaches the pods of a chart, and what the API server is told: Services, policies, webhooks, definitions. */
import { admissionPolicies } from '../admission-policies.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { metricsService, networkPolicy } from '../monitoring.ts';
import { webhookConfigurations, webhookService } from '../webhooks.ts';
import { Guarded, Template } from '../yaml.ts';
import { chartFile } from './chart-file.ts';
import type { ChartInstallation } from './chart-installation.ts';
import { portOf } from './chart-workload.ts';

export function networkFiles(chart: ChartInstallation): readonly GeneratedFile[] {
  const { everywhere } = chart;
  const service = webhookService(everywhere);
  const conditions = ['if $.Values.webhooks.enabled'];
  // With the namespaces that are watched: these are asked about only where some are chosen.
  const configurations = webhookConfigurations(chart.somewhere ?? everywhere);
  return [
    ...chartFile('metrics-service.yaml', metricsDocuments(chart)),
    ...chartFile('network-policy.yaml', [{ conditions: ['if $.Values.networkPolicy.enabled'], object: policy(chart) }]),
    ...chartFile('webhook-service.yaml', service === undefined ? [] : [{ object: service }]),
    ...chartFile(
      'webhooks.yaml',
      configurations.map(({ object }) => ({ conditions, object })),
    ),
    ...chartFile(
      'admission-policies.yaml',
      admissionPolicies(everywhere)
        .flat()
        .map((object) => ({ conditions: ['if $.Values.policies.enabled'], object })),
    ),
    ...everywhere.definitions.flatMap(({ kind, crd }) =>
      chartFile(`crd-${kind.group}_${kind.resource}.yaml`, [
        {
          conditions: ['if $.Values.crds.install'],
          object: {
            ...crd,
            metadata: {
              ...crd.metadata,
              annotations: new Guarded('if $.Values.crds.keep', { 'helm.sh/resource-policy': 'keep' }),
            },
          },
        },
      ]),
    ),
  ];
}

const isMonitored = 'if $.Values.monitoring.enabled';

function metricsDocuments(chart: ChartInstallation) {
  const service = metricsService(chart.everywhere);
  if (service === undefined) return [];
  const ports = service.spec?.ports?.map((port) => ({ ...port, port: portOf(chart, port.port) }));
  return [{ conditions: [isMonitored], object: { ...service, spec: { ...service.spec, ports } } }];
}

function policy(chart: ChartInstallation) {
  const object = networkPolicy(chart.everywhere);
  const matchLabels = new Template('{{- toYaml $.Values.networkPolicy.metricsFrom | nindent INNER }}');
  const ingress = object.spec?.ingress?.map((rule) => {
    if (rule.from === undefined) return rule;
    const ports = rule.ports?.map((port) => ({ ...port, port: portOf(chart, Number(port.port)) }));
    return new Guarded(isMonitored, { ...rule, from: [{ namespaceSelector: { matchLabels } }], ports });
  });
  return { ...object, spec: { ...object.spec, ...(ingress && { ingress }) } };
}
