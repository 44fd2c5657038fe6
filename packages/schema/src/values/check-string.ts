/** Length, pattern and format of a string. */

import { goQuote } from '../wording/go-text.ts';
import { invalidValue, tooLong, typeInvalid } from '../wording/problem.ts';
import type { ProblemList } from './problem-list.ts';
import type { ValueSchema } from './value-schema.ts';

/** Checks a text against its schema. */
export function checkString(schema: ValueSchema, value: string, path: string, problems: ProblemList): void {
  checkText(schema, value, path, problems);
  problems.matches++;
  if (schema.isOfFormat === undefined) return;
  problems.matches++;
  if (schema.isOfFormat(value)) return;
  const text = `${path} in body must be of type ${schema.format}: ${goQuote(value)}`;
  problems.add(text, typeInvalid(problems.field(path), value, text));
}

/** The first of these that fails hides the others. */
function checkText({ limits, pattern }: ValueSchema, value: string, path: string, problems: ProblemList): void {
  const { maxLength, minLength } = limits;
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength) {
    problems.add(`${path} in body should be at most ${maxLength} chars long`, tooLong(problems.field(path), maxLength));
  } else if (minLength !== undefined && codePoints(value) < minLength) {
    const text = `${path} in body should be at least ${minLength} chars long`;
    problems.add(text, invalidValue(problems.field(path), value, text));
  } else if (pattern !== undefined && !pattern.test(value)) {
    const text = `${path} in body should match '${limits.pattern}'`;
    problems.add(text, invalidValue(problems.field(path), value, text));
  }
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (isPair) count--;
  }
  return count;
}
