/**
 * The checks of a value against its schema, in the API server's order and words.
 *
 * The server counts the checks that held to choose which alternative to report; so does this, check by check.
 */

import { equalJson, isObject } from '@keelson/core';
import type { Correlation } from '../tree/correlation.ts';
import { goJson, isInteger } from '../wording/go-text.ts';
import { invalidValue, required, tooMany, unsupportedValue } from '../wording/problem.ts';
import { checkAlternatives } from './check-alternatives.ts';
import { checkNumber } from './check-number.ts';
import { checkString } from './check-string.ts';
import { checkType } from './check-type.ts';
import { ProblemList } from './problem-list.ts';
import type { ValueSchema } from './value-schema.ts';

/**
 * With the value before an update, what is wrong and has not changed is tolerated; not inside of alternatives, where
 * only the whole value is compared.
 */
export function checkValue(
  schema: ValueSchema,
  value: unknown,
  path: string,
  problems: ProblemList,
  old?: Correlation | undefined,
): void {
  const before = problems.all.length;
  if (value === null) {
    checkType(schema, value, path, problems);
    checkEnum(schema, value, path, problems);
  } else {
    if (schema.types.length > 0 || schema.format !== '') {
      checkType(schema, value, path, problems);
      problems.matches++;
    }
    if (schema.hasAlternatives) checkAlternatives(schema, (each) => found(each, value, path, problems), path, problems);
    // Two for the alternatives, one for the enum, one for the value as a whole.
    problems.matches += 4;
    if (typeof value === 'string') checkString(schema, value, path, problems);
    else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(schema, value, path, problems);
    else if (Array.isArray(value)) checkList(schema, value, path, problems, old);
    checkEnum(schema, value, path, problems);
    if (isObject(value)) checkObject(schema, value, path, problems, old);
  }
  if (problems.all.length > before && old?.isEqual()) problems.truncate(before);
}

function found(alternative: ValueSchema, value: unknown, path: string, { base }: ProblemList): ProblemList {
  const problems = new ProblemList(base);
  checkValue(alternative, value, path, problems);
  return problems;
}

function checkList(
  { items, limits }: ValueSchema,
  list: readonly unknown[],
  path: string,
  problems: ProblemList,
  old: Correlation | undefined,
): void {
  if (items !== undefined) {
    for (const [i, item] of list.entries()) checkValue(items, item, `${path}[${i}]`, problems, old?.item(i));
  }
  if (limits.minItems !== undefined && list.length < limits.minItems) {
    const text = `${path} in body should have at least ${limits.minItems} items`;
    problems.add(text, invalidValue(problems.field(path), list.length, text));
  }
  if (limits.maxItems !== undefined && list.length > limits.maxItems) {
    const text = `${path} in body should have at most ${limits.maxItems} items`;
    problems.add(text, tooMany(problems.field(path), list.length, limits.maxItems));
  }
  problems.matches += 2;
}

function checkObject(
  schema: ValueSchema,
  object: Readonly<Record<string, unknown>>,
  path: string,
  problems: ProblemList,
  old: Correlation | undefined,
): void {
  const { limits, additional, properties } = schema;
  const names = Object.keys(object);
  if (limits.minProperties !== undefined && names.length < limits.minProperties) {
    const text = `${path} in body should have at least ${limits.minProperties} properties`;
    problems.add(text, invalidValue(problems.field(path), names.length, text));
  }
  if (limits.maxProperties !== undefined && names.length > limits.maxProperties) {
    const text = `${path} in body should have at most ${limits.maxProperties} properties`;
    problems.add(text, tooMany(problems.field(path), names.length, limits.maxProperties));
  }
  for (const name of names) {
    const named = properties.get(name);
    if (named !== undefined) {
      const place = path === '' ? name : `${path}.${name}`;
      // The old apiVersion and kind were converted to the new ones, so that nothing follows from their being equal.
      const isTypeMeta = path === '' && (name === 'apiVersion' || name === 'kind');
      checkValue(named, object[name], place, problems, isTypeMeta ? undefined : old?.field(name));
    } else if (additional === false) {
      const text = `${path}.${name} in body is a forbidden property`;
      problems.add(text, invalidValue(problems.field(path), name, text));
    } else if (typeof additional === 'object') {
      checkValue(additional, object[name], `${path}.${name}`, problems, old?.field(name));
    }
  }
  for (const name of schema.required) {
    if (Object.hasOwn(object, name)) continue;
    problems.add(`${path}.${name} in body is required`, required(problems.field(`${path}.${name}`)));
  }
  problems.matches++;
}

function checkEnum({ enum: allowed }: ValueSchema, value: unknown, path: string, problems: ProblemList): void {
  if (allowed === undefined || (value !== null && allowed.some((each) => isSameEnumValue(each, value)))) return;
  const shown = allowed.map((each) => (typeof each === 'string' ? each : goJson(each)));
  problems.add(
    `${path} in body should be one of [${shown.join(' ')}]`,
    unsupportedValue(problems.field(path), value, shown),
  );
}

// Go converts the value to the type of the allowed one before it compares: 1.5 becomes 1, and a whole number the
// character with that code. And null is never allowed, also not by an enum that has it.
function isSameEnumValue(allowed: unknown, value: unknown): boolean {
  if (typeof value === 'number' && isInteger(allowed)) return Math.trunc(value) === Number(allowed);
  if (typeof allowed === 'string' && isInteger(value)) {
    const code = Number(value);
    return allowed === (code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');
  }
  return equalJson(allowed, value);
}
