/** Finding what a regular expression matches. */
import { type RegularExpression, regularExpression } from '../../formats/regular-expression.ts';
import type { Sized } from '../language/cost.ts';
import { type Library, overload } from '../language/environment.ts';
import { CelError, Items, type Value } from '../language/values.ts';
import { matchCost, matchEstimate } from './strings.ts';

function search(subject: Value, pattern: Value, limit: number): readonly string[] | CelError {
  const expression = regularExpression(pattern as string);
  if ('problem' in expression) return new CelError(`Illegal regex: ${expression.problem}`);
  return found(expression, subject as string, limit);
}

// An empty match right after another match is none, in Go.
function found(expression: RegularExpression, text: string, limit: number): readonly string[] {
  const matcher = expression.matcher(text);
  const parts: string[] = [];
  let end = -1;
  while (parts.length < limit && matcher.find()) {
    const part = matcher.group() ?? '';
    if (part !== '' || matcher.start() !== end) parts.push(part);
    end = matcher.end();
  }
  return parts;
}

const findOne = (subject: Value, pattern: Value): Value => {
  const parts = search(subject, pattern, 1);
  return parts instanceof CelError ? parts : (parts[0] ?? '');
};

const findAll = (subject: Value, pattern: Value, limit: Value = -1n): Value => {
  const count = (limit as bigint) < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const parts = search(subject, pattern, count);
  return parts instanceof CelError ? parts : new Items(parts);
};

const costs = {
  cost: matchCost,
  estimate: (subject: Sized, pattern: Sized) => ({
    cost: matchEstimate(subject, pattern),
    size: { min: 0, max: subject.size.max },
  }),
};

/** `find` and `findAll`. */
export const regex: Library = [
  overload('string.find(string): string', findOne, { ...costs, id: 'find' }),
  overload('string.findAll(string): list<string>', findAll, { ...costs, id: 'find' }),
  overload('string.findAll(string, int): list<string>', findAll, { ...costs, id: 'find' }),
];
