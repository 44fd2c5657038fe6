/** What is wrong with conditions of the common shape, `metav1.Condition`, in a status. */

import type { Condition } from '@keelson/core';
import {
  duplicateValue,
  formatError,
  invalidValue,
  type Problem,
  qualifiedNameProblems,
  required,
  tooLong,
  unsupportedValue,
} from '@keelson/schema/validation';

const reasonFormat = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonProblem = formatError(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonFormat,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);
const maxReasonBytes = 1024;
const maxMessageBytes = 32 * 1024;

export function conditionProblems(conditions: readonly Partial<Condition>[], field: string): readonly Problem[] {
  const types = new Set<string>();
  return conditions.flatMap((condition, index) => {
    const at = `${field}[${index}]`;
    const { type = '' } = condition;
    const isRepeated = types.has(type);
    types.add(type);
    return [...(isRepeated ? [duplicateValue(`${at}.type`, type)] : []), ...problemsOf(condition, at)];
  });
}

function problemsOf(condition: Partial<Condition>, at: string): readonly Problem[] {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  const causes = qualifiedNameProblems(type).map((problem) => invalidValue(`${at}.type`, type, problem));
  if (!['False', 'True', 'Unknown'].includes(status)) {
    causes.push(unsupportedValue(`${at}.status`, status, ['False', 'True', 'Unknown']));
  }
  if (observedGeneration < 0) {
    causes.push(invalidValue(`${at}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero'));
  }
  if (!lastTransitionTime) causes.push(required(`${at}.lastTransitionTime`));
  if (reason === '') causes.push(required(`${at}.reason`));
  else if (!new RegExp(`^${reasonFormat}$`).test(reason)) {
    causes.push(invalidValue(`${at}.reason`, reason, reasonProblem));
  }
  if (Buffer.byteLength(reason) > maxReasonBytes) causes.push(tooLong(`${at}.reason`, maxReasonBytes));
  if (Buffer.byteLength(message) > maxMessageBytes) causes.push(tooLong(`${at}.message`, maxMessageBytes));
  return causes;
}
