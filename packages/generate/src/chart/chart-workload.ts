/** The workload of a chart: account, settings, Deployment and budget, with what the values choose. */
import type { ProcessParameter, Setting } from '@keelson/core';
import type { GeneratedFile } from '../generated-file.ts';
import { labelsOf } from '../installation.ts';
import { managerBudget, managerDeployment } from '../manager.ts';
import { serviceAccount } from '../operator-roles.ts';
import { settingsIn, settingsName } from '../settings-file.ts';
import { Guarded, Inserted, Template } from '../yaml.ts';
import { chartFile } from './chart-file.ts';
import { type ChartInstallation, isSomewhere } from './chart-installation.ts';

/** Under the files' own conditions. */
export function workloadFiles(chart: ChartInstallation): readonly GeneratedFile[] {
  const { everywhere } = chart;
  const account = serviceAccount(everywhere);
  const budget = managerBudget(everywhere);
  return [
    ...chartFile('service-account.yaml', [
      {
        conditions: ['if $.Values.serviceAccount.create'],
        object: {
          ...account,
          metadata: {
            ...account.metadata,
            name: accountName(chart),
            annotations: new Guarded('with $.Values.serviceAccount.annotations', block('.')),
          },
        },
      },
    ]),
    ...(hasSettings(chart) ? chartFile('settings.yaml', [{ object: settingsObject(chart) }]) : []),
    ...chartFile('deployment.yaml', [{ object: deployment(chart) }]),
    ...chartFile(
      'pod-disruption-budget.yaml',
      budget === undefined
        ? []
        : [
            {
              conditions: ['if and $.Values.ha.enabled $.Values.podDisruptionBudget.enabled'],
              object: {
                ...budget,
                spec: {
                  ...budget.spec,
                  maxUnavailable: new Template('{{ toJson $.Values.podDisruptionBudget.maxUnavailable }}'),
                },
              },
            },
          ],
    ),
  ];
}

/** The name of the account, as the values have it. */
export const accountName = ({ everywhere: { name } }: ChartInstallation) =>
  new Template(`{{ $.Values.serviceAccount.name | default "${name}" | quote }}`);

/** A value that is an object or a list, as YAML below its field. */
const block = (value: string) => new Template(`{{- toYaml ${value} | nindent INNER }}`);
/** The same, and without the field where there is nothing. */
const optional = (value: string) => new Guarded(`with $.Values.${value}`, block('.'));
/** The entries of a value beside those that are there. */
const more = (value: string) =>
  new Inserted(`{{- with $.Values.${value} }}`, '{{- toYaml . | nindent HERE }}', '{{- end }}');

/** A list that a value makes longer. */
const listOf = (items: readonly unknown[], value: string) =>
  items.length === 0 ? optional(value) : [...items, more(value)];

function deployment(chart: ChartInstallation) {
  const { operator, image: _, ...everywhere } = chart.everywhere;
  const object = managerDeployment(chart.everywhere);
  const { template, strategy, ...spec } = object.spec ?? {};
  const pod = template?.spec;
  const [container] = pod?.containers ?? [];
  const led = operator.leaderElection ?? false;
  const {
    securityContext: _pod,
    topologySpreadConstraints: _spread,
    containers: _containers,
    ...restOfPod
  } = pod ?? {};
  return {
    ...object,
    spec: {
      ...spec,
      replicas: led ? new Template('{{ ternary (int $.Values.ha.replicaCount) 1 $.Values.ha.enabled }}') : 1,
      // Said either way, so that the way back is a change, too.
      strategy: led ? { type: new Template('{{ ternary "RollingUpdate" "Recreate" $.Values.ha.enabled }}') } : strategy,
      template: {
        metadata: {
          labels: { ...template?.metadata?.labels, podLabels: more('podLabels') },
          annotations: {
            ...template?.metadata?.annotations,
            // Pods read their settings when they start.
            ...(hasSettings(chart) && {
              'checksum/settings': new Template(
                '{{ include (print $.Template.BasePath "/settings.yaml") $ | sha256sum }}',
              ),
            }),
            podAnnotations: more('podAnnotations'),
          },
        },
        spec: {
          ...restOfPod,
          serviceAccountName: accountName(chart),
          imagePullSecrets: optional('imagePullSecrets'),
          securityContext: block('$.Values.podSecurityContext'),
          terminationGracePeriodSeconds: new Template('{{ int $.Values.terminationGracePeriodSeconds }}'),
          priorityClassName: new Guarded('with $.Values.priorityClassName', new Template('{{ quote . }}')),
          nodeSelector: optional('nodeSelector'),
          tolerations: optional('tolerations'),
          affinity: optional('affinity'),
          topologySpreadConstraints: optional('topologySpreadConstraints'),
          containers: [
            {
              ...container,
              image: imageOf(everywhere.name),
              imagePullPolicy: new Template('{{ $.Values.image.pullPolicy }}'),
              args: listOf(argumentsOf(chart), 'extraArgs'),
              envFrom: hasSettings(chart)
                ? (container?.envFrom ?? [{ configMapRef: { name: settingsName(everywhere) } }])
                : undefined,
              env: listOf(variablesOf(chart), 'extraEnv'),
              ports: container?.ports?.map((port) => (port.name === 'metrics' ? metricsPort(chart, port) : port)),
              resources: block('$.Values.resources'),
              securityContext: block('$.Values.securityContext'),
            },
          ],
        },
      },
    },
  };
}

const imageOf = (name: string) => new Template(`{{ include "${name}.image" $ | quote }}`);

/** The port of the metrics, as the values have it if they have it. */
export const portOf = ({ parameters }: ChartInstallation, port: number): Template | number =>
  parameters.some(({ value }) => value === 'monitoring.port')
    ? new Template('{{ int $.Values.monitoring.port }}')
    : port;

const metricsPort = (chart: ChartInstallation, port: { readonly containerPort: number }) =>
  new Guarded('if $.Values.monitoring.enabled', { ...port, containerPort: portOf(chart, port.containerPort) });

/** What no parameter replaces, and the parameters. Lease times mean nothing without an election. */
function argumentsOf({ everywhere: { process }, parameters }: ChartInstallation): readonly unknown[] {
  const told = parameters.filter(({ flag }) => flag !== undefined);
  const rest = process.args.filter((argument) => !told.some(({ flag }) => flag === argument));
  return [...rest, ...told.map((parameter) => inElection(parameter, new Template(argumentText(parameter))))];
}

function argumentText(parameter: ProcessParameter): string {
  const { flag = '', value } = parameter;
  if (typeof parameter.default === 'boolean') {
    return `{{ ternary "${flag}" "${flag.replace(/^--/, '--no-')}" $.Values.${value} }}`;
  }
  const port = '{{ ternary (int $.Values.monitoring.port) 0 $.Values.monitoring.enabled }}';
  return `${flag}=${value === 'monitoring.port' ? port : `{{ ${valueText(parameter)} }}`}`;
}

const valueText = ({ value, default: fallback }: Pick<ProcessParameter, 'value' | 'default'>): string =>
  typeof fallback === 'number' ? `int $.Values.${value}` : `$.Values.${value}`;

const inElection = ({ value }: ProcessParameter, told: unknown): unknown =>
  value.startsWith('ha.leaderElection.') ? new Guarded('if $.Values.ha.enabled', told) : told;

function variablesOf({ everywhere: { process }, parameters }: ChartInstallation): readonly unknown[] {
  const { env, namespacesVariable } = process;
  const rest = env.filter(({ name }) => !parameters.some(({ variable }) => variable === name));
  if (namespacesVariable === undefined) return rest;
  const value = new Template('{{ join "," $.Values.rbac.namespaces | quote }}');
  return [...rest, new Guarded(isSomewhere, { name: namespacesVariable, value })];
}

const inSettings = ({ parameters }: ChartInstallation) => parameters.filter(({ variable }) => variable !== undefined);

const hasSettings = (chart: ChartInstallation): boolean =>
  inSettings(chart).length + settingsIn(chart.everywhere).length > 0;

/** Every variable that the values choose. */
function settingsObject(chart: ChartInstallation) {
  const { everywhere } = chart;
  const parameters = inSettings(chart).map((parameter) => {
    const { variable = '' } = parameter;
    return [variable, inElection(parameter, new Template(`{{ ${valueText(parameter)} | quote }}`))] as const;
  });
  const settings = settingsIn(everywhere).map((setting) => [setting.variable, settingTemplate(setting)] as const);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: settingsName(everywhere), namespace: everywhere.namespace, labels: labelsOf(everywhere) },
    data: Object.fromEntries([...parameters, ...settings]),
  };
}

function settingTemplate({ name, type, isRequired, default: fallback }: Setting): unknown {
  const value = /^\w+$/.test(name) ? `$.Values.settings.${name}` : `(index $.Values.settings "${name}")`;
  const isNeeded = isRequired && fallback === undefined;
  const given = isNeeded ? `(required "settings.${name} is required" ${value})` : value;
  const text = type === 'list' ? `join "," ${given}` : type === 'number' ? `${given} | toJson` : given;
  const told = new Template(`{{ ${text} | quote }}`);
  return isNeeded ? told : new Guarded(`if not (kindIs "invalid" ${value})`, told);
}
