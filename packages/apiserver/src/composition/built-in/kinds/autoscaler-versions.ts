/**
 * HorizontalPodAutoscalers in `autoscaling/v1`: the target of the processor is a field, all else that `v2` has is JSON in
 * annotations, which are never stored.
 *
 * Promises: what `v1` shows of a stored object, written back as it is, stores the same.
 */
import { type ApiObject, compact, isObject, type JsonObject, withMetadata } from '../../../object.ts';

const prefix = 'autoscaling.alpha.kubernetes.io/';
const names = ['metrics', 'current-metrics', 'conditions', 'behavior'] as const;
const version = { v1: 'autoscaling/v1', v2: 'autoscaling/v2' };

type Metric = JsonObject & { readonly type?: string };
const listOf = (value: unknown): readonly Metric[] => (Array.isArray(value) ? (value as readonly Metric[]) : []);
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Where a metric keeps what it is about: `ContainerResource` in `containerResource`. */
const memberOf = (type = ''): string => `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`;

const isCpu = ({ type, resource }: Metric, value: 'target' | 'current'): boolean =>
  type === 'Resource' &&
  objectOf(resource).name === 'cpu' &&
  objectOf(objectOf(resource)[value]).averageUtilization !== undefined;

/** A metric as the annotations have it; `word` is `target` for one that is wanted and `current` for one that is. */
function oldMetric({ type = '', ...rest }: Metric, word: 'target' | 'current'): JsonObject {
  const member = memberOf(type);
  const { metric, describedObject, name, container, [word]: amount } = objectOf(rest[member]);
  const { name: metricName, selector } = objectOf(metric);
  const { value, averageValue, averageUtilization } = objectOf(amount);
  const named = type === 'External' ? { metricName, metricSelector: selector } : { metricName, selector };
  const amounts =
    type === 'Object'
      ? { [`${word}Value`]: value ?? '0', averageValue }
      : {
          ...(type === 'External' && { [`${word}Value`]: value }),
          [`${word}AverageUtilization`]: averageUtilization,
          [`${word}AverageValue`]: averageValue,
        };
  return { type, [member]: compact({ target: describedObject, name, container, ...named, ...amounts }) };
}

function newMetric({ type = '', ...rest }: Metric, word: 'target' | 'current'): JsonObject {
  const member = memberOf(type);
  const { target, name, container, metricName, metricSelector, selector, ...amounts } = objectOf(rest[member]);
  const amount = (suffix: string) => amounts[`${word}${suffix}`];
  const averageValue = type === 'Object' ? amounts.averageValue : amount('AverageValue');
  const value = type === 'Object' && averageValue !== undefined ? undefined : amount('Value');
  const averageUtilization = amount('AverageUtilization');
  const targetType = averageUtilization !== undefined ? 'Utilization' : value !== undefined ? 'Value' : 'AverageValue';
  const metric =
    metricName === undefined ? undefined : compact({ name: metricName, selector: metricSelector ?? selector });
  return {
    type,
    [member]: compact({
      describedObject: target,
      name,
      container,
      metric,
      [word]: compact({ ...(word === 'target' && { type: targetType }), value, averageValue, averageUtilization }),
    }),
  };
}

/** Behaviours are written as Go names them. */
const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const ruleMembers = ['stabilizationWindowSeconds', 'selectPolicy', 'policies', 'tolerance'];

function goBehavior(behavior: JsonObject): JsonObject {
  const rules = (direction: unknown): unknown =>
    !isObject(direction)
      ? null
      : Object.fromEntries(
          ruleMembers.map((name) => [
            capital(name),
            name === 'policies'
              ? listOf(direction.policies).map((policy) =>
                  Object.fromEntries(Object.entries(policy).map(([each, value]) => [capital(each), value])),
                )
              : (direction[name] ?? null),
          ]),
        );
  return { ScaleUp: rules(behavior.scaleUp), ScaleDown: rules(behavior.scaleDown) };
}

function fromGo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromGo);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(members.map(([name, inner]) => [memberOf(name), fromGo(inner)]));
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined; // what cannot be read says nothing
  }
}

/** The stored form of an object of either version. */
export function asV2(object: ApiObject): ApiObject {
  if (object.apiVersion !== version.v1) return object;
  const { targetCPUUtilizationPercentage: wanted, ...spec } = objectOf(object.spec);
  const { currentCPUUtilizationPercentage: present, ...status } = objectOf(object.status);
  const { annotations = {} } = object.metadata;
  const [metrics, current, conditions, behavior] = names.map((name) => parsed(annotations[prefix + name]));
  const cpu = (word: 'target' | 'current', percentage: unknown): readonly JsonObject[] =>
    percentage === undefined
      ? []
      : [
          {
            type: 'Resource',
            resource: {
              name: 'cpu',
              [word]: { ...(word === 'target' && { type: 'Utilization' }), averageUtilization: percentage },
            },
          },
        ];
  const allMetrics = [...listOf(metrics).map((each) => newMetric(each, 'target')), ...cpu('target', wanted)];
  const allCurrent = [...listOf(current).map((each) => newMetric(each, 'current')), ...cpu('current', present)];
  const kept = Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !names.some((each) => name === prefix + each)),
  );
  const replicas = status.currentReplicas;
  return withMetadata(
    compact({
      ...object,
      apiVersion: version.v2,
      spec: compact({
        ...spec,
        metrics: allMetrics.length > 0 ? allMetrics : undefined,
        behavior: isObject(behavior) ? fromGo(behavior) : undefined,
      }),
      status: compact({
        ...status,
        currentReplicas: replicas === 0 ? undefined : replicas,
        currentMetrics: allCurrent.length > 0 ? allCurrent : null,
        conditions: Array.isArray(conditions) ? conditions : undefined,
      }),
    }) as ApiObject,
    { annotations: Object.keys(kept).length > 0 ? kept : undefined },
  );
}

/** What `v1` shows of a stored object. */
export function asV1(object: ApiObject): ApiObject {
  if (object.apiVersion === version.v1) return object;
  const { metrics, behavior, ...spec } = objectOf(object.spec);
  const { currentMetrics, conditions, ...status } = objectOf(object.status);
  const split = (list: unknown, word: 'target' | 'current') => {
    const cpu = listOf(list).find((each) => isCpu(each, word));
    const others = listOf(list).filter((each) => each !== cpu);
    const percentage = objectOf(objectOf(cpu?.resource)[word]).averageUtilization;
    return { percentage, others: others.map((each) => oldMetric(each, word)) };
  };
  const wanted = split(metrics, 'target');
  const present = split(currentMetrics, 'current');
  const remarks = [
    wanted.others.length > 0 ? wanted.others : undefined,
    present.others.length > 0 ? present.others : undefined,
    listOf(conditions).length > 0 ? conditions : undefined,
    isObject(behavior) ? goBehavior(behavior) : undefined,
  ];
  const annotations = {
    ...object.metadata.annotations,
    ...Object.fromEntries(
      names.flatMap((name, index) =>
        remarks[index] === undefined ? [] : [[prefix + name, JSON.stringify(remarks[index])]],
      ),
    ),
  };
  return withMetadata(
    {
      ...object,
      apiVersion: version.v1,
      spec: compact({ ...spec, targetCPUUtilizationPercentage: wanted.percentage }),
      status: compact({
        ...status,
        currentReplicas: status.currentReplicas ?? 0,
        currentCPUUtilizationPercentage: present.percentage,
      }),
    },
    { annotations: Object.keys(annotations).length > 0 ? annotations : undefined },
  );
}
