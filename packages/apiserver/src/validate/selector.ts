/** What is wrong with a label selector in an object. */

import type { LabelSelector } from '@keelson/core';
import {
  forbiddenField,
  invalidValue,
  labelMapProblems,
  labelValueProblems,
  type Problem,
  qualifiedNameProblems,
  required,
} from '@keelson/schema/validation';

export function selectorProblems(selector: LabelSelector | null | undefined, field: string): readonly Problem[] {
  if (selector == null) return [];
  const expressions = (selector.matchExpressions ?? []).flatMap(({ key, operator, values = [] }, index) => {
    const at = `${field}.matchExpressions[${index}]`;
    const causes: Problem[] = [];
    if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
      causes.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
      causes.push(forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else if (!['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator)) {
      causes.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'));
    }
    for (const problem of qualifiedNameProblems(key)) causes.push(invalidValue(`${at}.key`, key, problem));
    values.forEach((value, valueIndex) => {
      for (const problem of labelValueProblems(value))
        causes.push(invalidValue(`${at}.values[${valueIndex}]`, value, problem));
    });
    return causes;
  });
  return [...labelMapProblems(selector.matchLabels ?? {}, `${field}.matchLabels`), ...expressions];
}
