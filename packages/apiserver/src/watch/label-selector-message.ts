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
  switch (problem.type) {
    case 'unexpected':
      return unexpected[problem.place](`found '${problem.found}'`);
    case 'key':
      return `unable to parse requirement: ${invalid('<nil>', problem.key, qualifiedNameProblems(problem.key))}`;
    case 'values':
      return `unable to parse requirement: ${together(valueProblems(problem))}`;
    default:
      return problem satisfies never;
  }
}

const invalid = (field: string, value: string, problems: readonly string[]): string =>
  `${field}: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`;

/** As Go prints several errors that are one. */
const together = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;

type Values = Extract<LabelSelectorProblem, { readonly type: 'values' }>;

function valueProblems({ key, values, needsNumber }: Values): readonly string[] {
  const number = "for 'Gt', 'Lt' operators, the value must be an integer";
  // The server has sorted them before it looks at them.
  const sorted = [...values].sort();
  return [
    ...(needsNumber ? [invalid('values[0]', sorted[0] ?? '', [number])] : []),
    ...sorted.flatMap((value, index) => {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalid(`values[${index}][${key}]`, value, problems)];
    }),
  ];
}
