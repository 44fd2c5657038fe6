/**
 * The operator's own workload: namespace, Deployment and, where replicas elect a leader, a second one and a budget.
 *
 * The pods meet the `restricted` Pod Security Standard, which the namespace enforces. The image names a user by number.
 */
import type { NewDeployment } from '@keelson/core/apps/v1';
import type { NewPodDisruptionBudget } from '@keelson/core/policy/v1';
import type { Container, NewNamespace, PodSpec } from '@keelson/core/v1';
import { type GeneratedFile, yamlFile } from './generated-file.ts';
import { type Installation, labelsOf, managerLabelsOf, tagOf } from './installation.ts';
import { settingsFile, settingsIn, settingsName } from './settings-file.ts';

/** `config/manager`. */
export function managerFiles(installation: Installation): readonly GeneratedFile[] {
  const budget = managerBudget(installation);
  return [
    yamlFile('config/manager/namespace.yaml', managerNamespace(installation)),
    ...settingsFile(installation),
    yamlFile('config/manager/deployment.yaml', managerDeployment(installation)),
    ...(budget ? [yamlFile('config/manager/pod_disruption_budget.yaml', budget)] : []),
  ];
}

function managerNamespace(installation: Installation): NewNamespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: installation.namespace,
      labels: { ...labelsOf(installation), 'pod-security.kubernetes.io/enforce': 'restricted' },
    },
  };
}

/** The Deployment of its pods. */
export function managerDeployment(installation: Installation): NewDeployment {
  const { operator, name, namespace, version } = installation;
  const labels = managerLabelsOf(installation);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace,
      labels: { ...labels, ...(version !== undefined && { 'app.kubernetes.io/version': tagOf(version) }) },
    },
    spec: {
      replicas: operator.leaderElection ? 2 : 1,
      // Without an election two would work at once, so the old one goes first.
      ...(!operator.leaderElection && { strategy: { type: 'Recreate' } }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { 'kubectl.kubernetes.io/default-container': 'manager' } },
        spec: podSpec(installation),
      },
    },
  };
}

function podSpec(installation: Installation): PodSpec {
  const { operator, name, process } = installation;
  return {
    serviceAccountName: name,
    // Or a Service beside it, such as "metrics", would bring variables that look like settings (METRICS_PORT).
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    // What comes last in a stop (giving the lease back, the last lines of the log) still has its time.
    terminationGracePeriodSeconds: Math.max(30, process.gracePeriodSeconds + 5),
    ...(operator.leaderElection && {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: managerLabelsOf(installation) },
        },
      ],
    }),
    containers: [managerContainer(installation)],
  };
}

function managerContainer(installation: Installation): Container {
  const { image, process, namespaces } = installation;
  const { args, health, metrics, webhooks, namespacesVariable } = process;
  const env = [
    ...process.env,
    ...(namespaces && namespacesVariable ? [{ name: namespacesVariable, value: namespaces.join(',') }] : []),
  ];
  const probe = (path: string) => ({ httpGet: { path, port: 'health' } });
  return {
    name: 'manager',
    image,
    ...(args.length > 0 && { args }),
    ...(settingsIn(installation).length > 0 && { envFrom: [{ configMapRef: { name: settingsName(installation) } }] }),
    ...(env.length > 0 && { env }),
    ports: [
      { name: 'health', containerPort: health.port },
      ...(metrics ? [{ name: 'metrics', containerPort: metrics.port }] : []),
      ...(webhooks ? [{ name: 'webhook', containerPort: webhooks.port }] : []),
    ],
    livenessProbe: { ...probe(health.livenessPath), initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { ...probe(health.readinessPath), periodSeconds: 5 },
    resources: { requests: { cpu: '10m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
  };
}

/** Nodes can be drained, one replica at a time; without an election there is only one, and no budget. */
export function managerBudget(installation: Installation): NewPodDisruptionBudget | undefined {
  const { name, namespace, operator } = installation;
  if (!operator.leaderElection) return undefined;
  const labels = managerLabelsOf(installation);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}
