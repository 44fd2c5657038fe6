/**
 * The values of a chart: what those who install the operator can choose, each said once, with its meaning.
 *
 * values.yaml and values.schema.json are printed of this list, and templates use no value that is not in it.
 */
import type { ProcessParameter, Setting } from '@keelson/core';
import { tagOf } from '../installation.ts';
import { managerDeployment } from '../manager.ts';
import { settingsIn } from '../settings-file.ts';
import type { ChartInstallation } from './chart-installation.ts';

/** One value: where it is (`image.tag`), what it is without a choice, what it means, what it can be. */
export interface ChartValue {
  readonly path: string;
  readonly default: unknown;
  readonly description: string;
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const text = { type: 'string' };
const yesOrNo = { type: 'boolean' };
const object = { type: 'object' };
const texts = { type: 'object', additionalProperties: { type: 'string' } };
const objects = { type: 'array', items: object };
const countOrShare = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^[0-9]{1,3}%$' },
  ],
};
const duration = { type: 'string', pattern: '^([0-9]+(ms|[smhdwy]))*$' };
const count = (minimum: number, maximum?: number) => ({ type: 'integer', minimum, ...(maximum && { maximum }) });

type Row = readonly [path: string, fallback: unknown, schema: ChartValue['schema'], description: string];

/** All values of a chart, those of one object together. */
export function chartValues(chart: ChartInstallation): readonly ChartValue[] {
  const standard = standardRows(chart).map(([path, fallback, schema, description]) => ({
    path,
    default: fallback,
    schema,
    description,
  }));
  const rest = new Map(chart.parameters.map((parameter) => [parameter.value, parameter]));
  const known = standard.map((value): ChartValue => {
    const parameter = rest.get(value.path);
    rest.delete(value.path);
    if (parameter === undefined) return value;
    const description = parameter.description ?? value.description;
    return { ...value, default: parameter.default, description };
  });
  const own = [...rest.values()].map(parameterValue);
  const settings = settingsIn(chart.everywhere).map((setting) => settingValue(setting, chart));
  const afterElection = known.findIndex(({ path }) => path === 'rbac.create');
  return [...known.slice(0, afterElection), ...own, ...settings, ...known.slice(afterElection)];
}

function standardRows(chart: ChartInstallation): readonly Row[] {
  const { operator, process, definitions } = chart.everywhere;
  const led = operator.leaderElection ?? false;
  const isParameter = (value: string) => chart.parameters.some((parameter) => parameter.value === value);
  const pod = managerDeployment(chart.everywhere).spec?.template.spec;
  const [container] = pod?.containers ?? [];
  const rows: readonly (readonly [isThere: boolean, rows: readonly Row[]])[] = [
    [true, imageRows(chart)],
    [
      led,
      [
        [
          'ha.enabled',
          true,
          yesOrNo,
          'Whether several replicas elect one that works. Without it there is one replica.',
        ],
        ['ha.replicaCount', 2, count(0), 'How many replicas there are.'],
        ['ha.leaderElection.leaseDurationSeconds', 15, count(1, 3600), 'How long others wait for a leader.'],
        ['ha.leaderElection.renewDeadlineSeconds', 10, count(1, 3600), 'How long it leads without a renewal.'],
        ['ha.leaderElection.retryPeriodSeconds', 2, count(1, 3600), 'How often it renews, or looks.'],
      ],
    ],
    [
      isParameter('logLevel'),
      [['logLevel', 'info', { enum: choicesOf(chart, 'logLevel') }, 'What is logged, and all above it.']],
    ],
    [true, [['rbac.create', true, yesOrNo, 'Whether the roles of the operator and their bindings are made.']]],
    [
      chart.somewhere !== undefined,
      [
        [
          'rbac.namespaces',
          [],
          {
            type: 'array',
            items: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 },
            uniqueItems: true,
          },
          'The namespaces that are watched, with a Role in each. Without any, all are, with a ClusterRole.',
        ],
      ],
    ],
    [
      definitions.length > 0,
      [
        ['userRoles.create', true, yesOrNo, 'Whether there are roles for users, which join view, edit and admin.'],
        ['crds.install', true, yesOrNo, 'Whether the definitions are installed and upgraded.'],
        [
          'crds.keep',
          true,
          yesOrNo,
          'Whether they stay when the release goes, and with them all objects of their kinds.',
        ],
      ],
    ],
    [
      true,
      [
        ['serviceAccount.create', true, yesOrNo, 'Whether the account is made.'],
        ['serviceAccount.name', '', text, "Its name. Without one it is the operator's."],
        ['serviceAccount.annotations', {}, texts, 'Its annotations.'],
      ],
    ],
    [
      (operator.webhooks ?? []).length > 0,
      [['webhooks.enabled', true, yesOrNo, 'Whether the API server asks the operator before it stores its objects.']],
    ],
    [
      (operator.policies ?? []).length > 0,
      [['policies.enabled', true, yesOrNo, 'Whether the API server refuses what the admission policies forbid.']],
    ],
    [process.metrics !== undefined, monitoringRows(isParameter)],
    [true, [['networkPolicy.enabled', true, yesOrNo, 'Whether others are kept from connecting to the pods.']]],
    [
      process.metrics !== undefined,
      [['networkPolicy.metricsFrom', { metrics: 'enabled' }, texts, 'Namespaces with these labels may read metrics.']],
    ],
    [
      led,
      [
        ['podDisruptionBudget.enabled', true, yesOrNo, 'Whether nodes are drained one replica at a time.'],
        [
          'podDisruptionBudget.maxUnavailable',
          1,
          countOrShare,
          'How many may be missing, or which share of them: 50%.',
        ],
      ],
    ],
    [
      true,
      [
        ['resources', container?.resources ?? {}, object, 'What a pod asks for, and its limits.'],
        ['podSecurityContext', pod?.securityContext ?? {}, object, 'Of the pods.'],
        ['securityContext', container?.securityContext ?? {}, object, 'Of their container.'],
        ['nodeSelector', {}, texts, 'Labels of the nodes that pods may run on.'],
        ['tolerations', [], objects, 'Taints that they tolerate.'],
        ['affinity', {}, object, 'Where they would rather run.'],
        ['topologySpreadConstraints', pod?.topologySpreadConstraints ?? [], objects, 'How they are spread.'],
        ['priorityClassName', '', text, 'How important they are.'],
        ['podLabels', {}, texts, 'More labels of the pods.'],
        ['podAnnotations', {}, texts, 'More annotations of the pods.'],
        ['extraArgs', [], { type: 'array', items: text }, 'More arguments of the program.'],
        ['extraEnv', [], objects, 'More variables of the program, as containers have them.'],
        [
          'terminationGracePeriodSeconds',
          pod?.terminationGracePeriodSeconds ?? 30,
          count(process.gracePeriodSeconds),
          `How long a pod may take to stop. The program itself takes up to ${process.gracePeriodSeconds} seconds.`,
        ],
        [
          'takeOver',
          false,
          yesOrNo,
          'Whether an installation made by other means is taken over. Helm must be told, too: --take-ownership.',
        ],
      ],
    ],
  ];
  return rows.flatMap(([isThere, its]) => (isThere ? its : []));
}

/** An image in its parts; a tag that is the version's is left to the chart. */
function imageRows({ everywhere: { image, version } }: ChartInstallation): readonly Row[] {
  const [, repository = image, tag = '', digest = ''] = /^(.+?)(?::([^:/@]+))?(?:@(.+))?$/.exec(image) ?? [];
  const ownTag = tag === tagOf(version ?? 'latest') ? '' : tag;
  return [
    ['image.repository', repository, { ...text, minLength: 1 }, 'Where it is pulled from.'],
    ['image.tag', ownTag, text, 'Which one. Without it, that of the version of the operator.'],
    [
      'image.digest',
      digest,
      { ...text, pattern: '^(sha256:[0-9a-f]{64})?$' },
      'Which one exactly; it counts before the tag.',
    ],
    ['image.pullPolicy', 'IfNotPresent', { enum: ['Always', 'IfNotPresent', 'Never'] }, 'When it is pulled.'],
    ['imagePullSecrets', [], objects, 'Secrets with which it is pulled: a list of objects with a name.'],
  ];
}

function monitoringRows(isParameter: (value: string) => boolean): readonly Row[] {
  return [
    ['monitoring.enabled', true, yesOrNo, 'Whether metrics are answered, with a Service in front of them.'],
    ...(isParameter('monitoring.path')
      ? ([['monitoring.path', '/metrics', { ...text, pattern: '^/' }, 'Their path.']] as const)
      : []),
    ...(isParameter('monitoring.port') ? ([['monitoring.port', 8080, count(1, 65_535), 'Their port.']] as const) : []),
    [
      'monitoring.namespace',
      '',
      text,
      'Where what Prometheus and Grafana read is made. Without it, in the namespace of the release.',
    ],
    ['monitoring.labels', {}, texts, 'Labels by which Prometheus finds it.'],
    ['monitoring.interval', '', duration, 'How often metrics are read, such as 30s. Without it, as Prometheus has it.'],
    ['monitoring.serviceMonitor', true, yesOrNo, 'Whether there is a ServiceMonitor, if the cluster has the kind.'],
    ['monitoring.prometheusRule', true, yesOrNo, 'Whether there are alerts, if the cluster has their kind.'],
    ['monitoring.dashboard', false, yesOrNo, "Whether there is a dashboard, in a ConfigMap for Grafana's sidecar."],
  ];
}

const choicesOf = (chart: ChartInstallation, value: string): readonly string[] =>
  chart.parameters.find((parameter) => parameter.value === value)?.choices ?? [];

function parameterValue({ value: path, default: fallback, description = '', choices }: ProcessParameter): ChartValue {
  const type = typeof fallback;
  const schema =
    choices !== undefined ? { enum: choices } : type === 'number' ? count(0) : type === 'boolean' ? yesOrNo : text;
  return { path, default: fallback, description, schema };
}

const settingTypes = {
  string: { type: ['string', 'null'] },
  number: { type: ['number', 'null'] },
  boolean: { type: ['boolean', 'null'] },
  list: { type: ['array', 'null'], items: text },
} as const;

/** Without a default it is null, which is no value. */
function settingValue(setting: Setting, { everywhere }: ChartInstallation): ChartValue {
  const { name, description = '', choices, type, isRequired } = setting;
  const fallback = everywhere.operator.given?.[name] ?? setting.default ?? null;
  const notes = [description, ...(isRequired && fallback === null ? ['It is required.'] : [])].filter(Boolean);
  const schema = choices === undefined ? settingTypes[type] : { enum: [...choices, null] };
  return { path: `settings.${name}`, default: fallback, description: notes.join(' '), schema };
}
