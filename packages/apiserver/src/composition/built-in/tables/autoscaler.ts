/** The rows of autoscalers: whom they scale, by what, and between which numbers. */
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '@keelson/core/autoscaling/v2';
import { age, ageColumn, column, named } from '../../../encode/table-columns.ts';
import { readAs } from '../../../object.ts';

const unknown = '<unknown>';
const percent = (value: number | undefined, absent: string): string => (value === undefined ? absent : `${value}%`);

function resourceText(name: string, target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `${name}: ${current?.averageValue ?? unknown}/${target.averageValue}`;
  return `${name}: ${percent(current?.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`;
}

function amountText(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target.value ?? '0'}`;
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  const { resource, containerResource, pods, object, external } = spec;
  if (resource) return resourceText(resource.name, resource.target, status?.resource?.current);
  if (containerResource)
    return resourceText(containerResource.name, containerResource.target, status?.containerResource?.current);
  if (pods) return `${status?.pods?.current.averageValue ?? unknown}/${pods.target.averageValue ?? '0'}`;
  if (object) return amountText(object.target, status?.object?.current);
  if (external) return amountText(external.target, status?.external?.current);
  return '<unknown type>';
}

function metricsText({ spec, status }: HorizontalPodAutoscaler): string {
  const specs = spec?.metrics ?? [];
  if (specs.length === 0) return '<none>';
  const texts = specs.slice(0, 2).map((each, index) => metricText(each, status?.currentMetrics?.[index]));
  return specs.length > 2 ? `${texts.join(', ')} + ${specs.length - 2} more...` : texts.join(', ');
}

export const autoscalerTable = named(
  (object, now) => {
    const autoscaler = readAs<HorizontalPodAutoscaler>(object);
    const { spec, status } = autoscaler;
    return [
      `${spec?.scaleTargetRef.kind}/${spec?.scaleTargetRef.name}`,
      metricsText(autoscaler),
      spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
      spec?.maxReplicas ?? 0,
      status?.currentReplicas ?? 0,
      age(object, now),
    ];
  },
  column('Reference', 'Whom it scales.'),
  column('Targets', 'What is, and what should be.'),
  column('MinPods', 'How many there are at least.'),
  column('MaxPods', 'How many there are at most.'),
  column('Replicas', 'How many there are.'),
  ageColumn,
);
