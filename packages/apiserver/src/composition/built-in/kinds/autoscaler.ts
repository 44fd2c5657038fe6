/** HorizontalPodAutoscaler, stored as `autoscaling/v2`: defaults and checks. */
import { forbiddenField, invalidValue, type Problem, required, unsupportedValue } from '@keelson/schema/validation';
import { type ApiObject, at, isObject, type JsonObject } from '../../../object.ts';
import { autoscalerTable } from '../tables/autoscaler.ts';
import { asV1, asV2 } from './autoscaler-versions.ts';
import { change, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

const cpuUtilization = (percentage: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percentage } },
});

/** Who says anything about behaviour gets the rest of it; the window of scaling down is the controller's. */
const behaviour = {
  scaleUp: {
    selectPolicy: 'Max',
    stabilizationWindowSeconds: 0,
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
};

function withDefaults(object: ApiObject): ApiObject {
  return change(object, 'spec', (spec) => {
    const metrics = Array.isArray(spec.metrics) && spec.metrics.length > 0 ? spec.metrics : [cpuUtilization(80)];
    const filled: JsonObject = { ...fill(spec, { minReplicas: 1 }), metrics };
    return change(filled, 'behavior', (given) => ({
      ...given,
      scaleUp: fill(isObject(given.scaleUp) ? given.scaleUp : {}, behaviour.scaleUp),
      scaleDown: fill(isObject(given.scaleDown) ? given.scaleDown : {}, behaviour.scaleDown),
    }));
  });
}

const mustPopulate = 'must populate information for the given metric source';
const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const memberOf = (type: string): string => `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`;

function targetProblems(target: JsonObject, path: string): readonly Problem[] {
  const { type, averageUtilization } = target;
  return [
    ...(type ? [] : [required(`${path}.type`, 'must specify a metric target type')]),
    ...(['Utilization', 'Value', 'AverageValue'].includes(String(type))
      ? []
      : [invalidValue(`${path}.type`, type ?? '', 'must be either Utilization, Value, or AverageValue')]),
    ...(typeof averageUtilization === 'number' && averageUtilization < 1
      ? [invalidValue(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0')]
      : []),
  ];
}

function metricProblems(metric: JsonObject, path: string): readonly Problem[] {
  const { type = '' } = metric;
  if (!metricTypes.includes(String(type))) {
    const problem = unsupportedValue(`${path}.type`, type, metricTypes);
    return [problem, problem];
  }
  const member = memberOf(String(type));
  const source = metric[member];
  if (!isObject(source)) return [required(`${path}.${member}`, mustPopulate)];
  const own = `${path}.${member}`;
  const target = isObject(source.target) ? source.target : {};
  const isResource = member === 'resource' || member === 'containerResource';
  const hasAmount = ['value', 'averageValue', 'averageUtilization'].some((name) => target[name] !== undefined);
  return [
    ...(isResource && !source.name ? [required(`${own}.name`, 'must specify a resource name')] : []),
    ...(!isResource && !at(source, 'metric', 'name')
      ? [required(`${own}.metric.name`, 'must specify a metric name')]
      : []),
    ...targetProblems(target, `${own}.target`),
    ...(isResource && !hasAmount
      ? [required(`${own}.target.averageUtilization`, 'must set either a target raw value or a target utilization')]
      : []),
  ];
}

function ruleProblems(rules: unknown, path: string): readonly Problem[] {
  if (!isObject(rules)) return [];
  const { stabilizationWindowSeconds: window, selectPolicy, policies } = rules;
  const atLeastZero = 'must be greater than or equal to zero';
  const seconds = `${path}.stabilizationWindowSeconds`;
  const selections = ['Disabled', 'Max', 'Min'];
  return [
    ...(typeof window === 'number' && window < 0 ? [invalidValue(seconds, window, atLeastZero)] : []),
    ...(typeof window === 'number' && window > 3600
      ? [invalidValue(seconds, window, 'must be less than or equal to 3600')]
      : []),
    ...(selectPolicy !== undefined && !selections.includes(String(selectPolicy))
      ? [unsupportedValue(`${path}.selectPolicy`, selectPolicy, selections)]
      : []),
    ...(Array.isArray(policies) ? policies : []).flatMap((policy: JsonObject, index) => {
      const own = `${path}.policies[${index}]`;
      const { type, value, periodSeconds } = policy;
      return [
        ...(type === 'Pods' || type === 'Percent'
          ? []
          : [unsupportedValue(`${own}.type`, type ?? '', ['Percent', 'Pods'])]),
        ...(Number(value) > 0 ? [] : [invalidValue(`${own}.value`, value ?? 0, 'must be greater than zero')]),
        ...(Number(periodSeconds) > 0
          ? []
          : [invalidValue(`${own}.periodSeconds`, periodSeconds ?? 0, 'must be greater than zero')]),
        ...(Number(periodSeconds) > 1800
          ? [invalidValue(`${own}.periodSeconds`, periodSeconds, 'must be less than or equal to 1800')]
          : []),
      ];
    }),
  ];
}

function validate(object: ApiObject): readonly Problem[] {
  const spec = asV2(object).spec as JsonObject;
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics, behavior } = spec;
  const target = isObject(scaleTargetRef) ? scaleTargetRef : {};
  const place = 'spec.scaleTargetRef';
  const min = Number(minReplicas);
  const max = Number(maxReplicas);
  const list = (Array.isArray(metrics) ? metrics : []) as readonly JsonObject[];
  const hasOutside = list.some(({ type }) => type === 'Object' || type === 'External');
  return [
    ...(minReplicas !== undefined && min < 1
      ? [invalidValue('spec.minReplicas', min, 'must be greater than or equal to 1')]
      : []),
    ...(max < 1 ? [required('spec.maxReplicas', 'must be set and greater than 0')] : []),
    ...(max >= 1 && max < min
      ? [invalidValue('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...(target.kind ? [] : [required(`${place}.kind`)]),
    ...(target.name ? [] : [required(`${place}.name`)]),
    ...(String(target.apiVersion ?? '').includes('/') || target.apiVersion === 'v1'
      ? []
      : [invalidValue(`${place}.apiVersion`, target.apiVersion ?? '', 'apiVersion must specify API group')]),
    ...list.flatMap((metric, index) => metricProblems(metric, `spec.metrics[${index}]`)),
    ...(minReplicas === 0 && !hasOutside
      ? [
          forbiddenField(
            'spec.metrics',
            'must specify at least one Object or External metric to support scaling to zero replicas',
          ),
        ]
      : []),
    ...ruleProblems(at(behavior, 'scaleUp'), 'spec.behavior.scaleUp'),
    ...ruleProblems(at(behavior, 'scaleDown'), 'spec.behavior.scaleDown'),
  ];
}

const common: KindRules = {
  validate,
  toStorage: asV2,
  table: { ...autoscalerTable, ofStored: true },
};

export const autoscalerV2: KindRules = {
  ...common,
  default: withDefaults,
  alias: { group: 'autoscaling', version: 'v1', fromStorage: asV1 },
};

/** The target is filled in unless the annotations have others. */
export const autoscalerV1: KindRules = {
  ...common,
  default: (object) => {
    const { targetCPUUtilizationPercentage, ...rest } = asV1(withDefaults(asV2(object))).spec as JsonObject;
    const hasOthers = object.metadata.annotations?.['autoscaling.alpha.kubernetes.io/metrics'] !== undefined;
    const own = at(object, 'spec', 'targetCPUUtilizationPercentage');
    const target = own ?? (hasOthers ? undefined : targetCPUUtilizationPercentage);
    return { ...object, spec: { ...rest, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) } };
  },
  fromStorage: asV1,
  alias: { group: 'autoscaling', version: 'v2', fromStorage: (object) => object },
};
