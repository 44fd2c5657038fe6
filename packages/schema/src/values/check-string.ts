/** Length, pattern and format of a string. */
import { invalid, tooLong, typeInvalid } from '../wording/cause.ts';
import { goQuote } from '../wording/go-text.ts';
import type { Findings } from './findings.ts';
import type { ValueSchema } from './value-schema.ts';

export function checkString(schema: ValueSchema, value: string, path: string, findings: Findings): void {
  checkText(schema, value, path, findings);
  findings.matches++;
  if (schema.isOfFormat === undefined) return;
  findings.matches++;
  if (schema.isOfFormat(value)) return;
  const text = `${path} in body must be of type ${schema.format}: ${goQuote(value)}`;
  findings.add(text, typeInvalid(findings.field(path), value, text));
}

/** The first of these that fails hides the others. */
function checkText({ limits, pattern }: ValueSchema, value: string, path: string, findings: Findings): void {
  const { maxLength, minLength } = limits;
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength) {
    findings.add(`${path} in body should be at most ${maxLength} chars long`, tooLong(findings.field(path), maxLength));
  } else if (minLength !== undefined && codePoints(value) < minLength) {
    const text = `${path} in body should be at least ${minLength} chars long`;
    findings.add(text, invalid(findings.field(path), value, text));
  } else if (pattern !== undefined && !pattern.test(value)) {
    const text = `${path} in body should match '${limits.pattern}'`;
    findings.add(text, invalid(findings.field(path), value, text));
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
