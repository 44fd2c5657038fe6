/** What is wrong with a label selector, in the words of the real server; what a selector is, is core's to say. */
import type { LabelSelectorProblem } from '@keelson/core';
import { labelValueProblems, qualifiedNameProblems } from '@keelson/schema/validation';

type Unexpected = Extract<LabelSelectorProblem, { readonly type: 'unexpected' }>;

const unexpected: Readonly<Record<Unexpected['place'], (found: string) => string>> = {
  start: (found) => `${found}, expected: !, identifier, or 'end of string'`,
  afterComma: (found) => `${found}, expected: identifier after ','`,
  afterRequirement: (found) => `${found}, expected: ',' or 'end of string'`,
  key: (found) => `unable to parse requirement: ${found}, expected: identifier`,
  operator: (found) => `unable to parse requirement: ${found}, expected: in, notin, =, ==, !=, gt, lt`,
  value: (found) => `unable to parse requirement: ${found}, expected: identifier`,
  list: (found) => `unable to parse requirement: ${found} expected: '('`,
  item: (found) => `unable to parse requirement: ${found}, expected: ',', ')' or identifier`,
  afterItem: (found) => `unable to parse requirement: ${found}, expected: ',' or ')'`,
};

export function labelSelectorMessage(problem: LabelSelectorProblem): string {
  const invalid = (field: string, value: string, why: string) =>
    `unable to parse requirement: ${field}: Invalid value: ${JSON.stringify(value)}: ${why}`;
  switch (problem.type) {
    case 'unexpected':
      return unexpected[problem.place](`found '${problem.found}'`);
    case 'key':
      return invalid('<nil>', problem.key, qualifiedNameProblems(problem.key)[0] ?? '');
    case 'values': {
      // The server has sorted them before it looks at them.
      const values = [...problem.values].sort();
      const index = values.findIndex((value) => labelValueProblems(value).length > 0);
      const value = values[index] ?? '';
      return invalid(`values[${index}][${problem.key}]`, value, labelValueProblems(value)[0] ?? '');
    }
    case 'number':
      return invalid('values[0]', problem.value, "for 'Gt', 'Lt' operators, the value must be an integer");
    default:
      return problem satisfies never;
  }
}
