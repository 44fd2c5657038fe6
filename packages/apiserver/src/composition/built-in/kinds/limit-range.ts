/** LimitRanges: completed from maximum to limit to request, and free of contradictions. */
import { compareQuantities, parseQuantity, printQuantity, quantityToNumber } from '@keelson/core';
import type { LimitRange, LimitRangeItem } from '@keelson/core/v1';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  type Problem,
  qualifiedNameProblems,
  required,
} from '@keelson/schema/validation';
import { plainTable } from '../../../encode/table-columns.ts';
import { type JsonObject, readAs } from '../../../object.ts';
import { change, changeEach } from './fill.ts';
import type { KindRules } from './kind-rules.ts';
import { allowsOvercommit, containerResourceProblems, resourceNameProblems } from './resource-names.ts';

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];
const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** A container's limit is the largest there is, its request that limit, or the smallest there is. */
function completed(limit: JsonObject): JsonObject {
  if (limit.type !== 'Container') return limit;
  const limits = { ...(limit.max as JsonObject | undefined), ...(limit.default as JsonObject | undefined) };
  const requests = {
    ...(limit.min as JsonObject | undefined),
    ...limits,
    ...(limit.defaultRequest as JsonObject | undefined),
  };
  return {
    ...limit,
    ...(Object.keys(limits).length > 0 && { default: limits }),
    ...(Object.keys(requests).length > 0 && { defaultRequest: requests }),
  };
}

function typeProblems(type: string, field: string): readonly Problem[] {
  const problems = qualifiedNameProblems(type).map((problem) => invalidValue(field, type, problem));
  if (problems.length > 0 || type.includes('/') || types.includes(type)) return problems;
  return [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
}

function limitProblems(limit: LimitRangeItem, field: string): readonly Problem[] {
  const { type } = limit;
  const isOfPods = type === 'Pod';
  const nameProblems = isOfPods || type === 'Container' ? containerResourceProblems : resourceNameProblems;
  const isDefault = (list: string) => list === 'default' || list === 'defaultRequest';
  const counting = lists.filter((list) => !(isOfPods && isDefault(list)));
  const names = new Set(counting.flatMap((list) => Object.keys(limit[list] ?? {})));
  return [
    ...lists.flatMap((list) => {
      const given = Object.keys(limit[list] ?? {});
      if (counting.includes(list)) return given.flatMap((name) => nameProblems(name, `${field}.${list}[${name}]`));
      return given.length > 0 ? [forbiddenField(`${field}.${list}`, "may not be specified when `type` is 'Pod'")] : [];
    }),
    ...(type === 'PersistentVolumeClaim' && limit.min?.storage === undefined && limit.max?.storage === undefined
      ? [required(`${field}.limits`, 'either minimum or maximum storage value is required, but neither was provided')]
      : []),
    ...[...names].flatMap((name) => amountProblems(limit, name, field, isOfPods)),
  ];
}

/** What contradicts each other in the amounts of one resource. */
function amountProblems(limit: LimitRangeItem, name: string, field: string, isOfPods: boolean): readonly Problem[] {
  const read = (text: string | undefined) => (text === undefined ? undefined : parseQuantity(text));
  const [min, max, ratio] = [
    read(limit.min?.[name]),
    read(limit.max?.[name]),
    read(limit.maxLimitRequestRatio?.[name]),
  ];
  const [limited, requested] = isOfPods ? [] : [read(limit.default?.[name]), read(limit.defaultRequest?.[name])];
  type Amount = typeof min;
  const problem = (list: string, value: NonNullable<Amount>, detail: string) =>
    invalidValue(`${field}.${list}[${name}]`, printQuantity(value), detail);
  const ordered = (
    list: string,
    [what, less]: readonly [string, Amount],
    [than, more]: readonly [string, Amount],
    shown = less,
  ) =>
    less !== undefined && more !== undefined && shown !== undefined && compareQuantities(less, more) > 0
      ? [
          problem(
            list,
            shown,
            `${what} value ${printQuantity(less)} is greater than ${than} value ${printQuantity(more)}`,
          ),
        ]
      : [];
  const ratioProblems = () => {
    if (ratio === undefined) return [];
    const shown = printQuantity(ratio);
    const most = min && max && quantityToNumber(max) / quantityToNumber(min);
    return [
      ...(quantityToNumber(ratio) < 1 ? [problem('maxLimitRequestRatio', ratio, `ratio ${shown} is less than 1`)] : []),
      ...(most !== undefined && quantityToNumber(ratio) > most
        ? [problem('maxLimitRequestRatio', ratio, `ratio ${shown} is greater than max/min = ${most.toFixed(6)}`)]
        : []),
    ];
  };
  const isUneven =
    !allowsOvercommit(name) &&
    limited !== undefined &&
    requested !== undefined &&
    compareQuantities(limited, requested) !== 0;
  return [
    ...ordered('min', ['min', min], ['max', max]),
    ...ordered('defaultRequest', ['min', min], ['default request', requested], requested),
    ...ordered('defaultRequest', ['default request', requested], ['max', max]),
    ...ordered('defaultRequest', ['default request', requested], ['default limit', limited]),
    ...ordered('default', ['min', min], ['default', limited]),
    ...ordered('default', ['default', limited], ['max', max], max),
    ...ratioProblems(),
    ...(isUneven
      ? [
          problem(
            'defaultRequest',
            requested,
            `default value ${printQuantity(limited)} must equal to defaultRequest value ${printQuantity(requested)} in ${name}`,
          ),
        ]
      : []),
  ];
}

export const limitRange: KindRules = {
  createOnUpdate: true,
  default: (object) => change(object, 'spec', (spec) => changeEach(spec, 'limits', completed)),
  validate(object) {
    const limits = readAs<LimitRange>(object).spec?.limits ?? [];
    return limits.flatMap((limit, i) => {
      const field = `spec.limits[${i}]`;
      const { type = '' } = limit;
      const isRepeated = limits.findIndex((each) => (each.type ?? '') === type) < i;
      return [
        ...typeProblems(type, `${field}.type`),
        ...(isRepeated ? [duplicateValue(`${field}.type`, type)] : []),
        ...limitProblems(limit, field),
      ];
    });
  },
  table: plainTable,
};
