/** Whether a value fits its type schema; what does not is told in the words of the real server. */

import { compareText, fieldStep, printStep } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { isUntyped, type ListType, type MapType, type Scalar, type TypeSchema } from '../schemas/type-schema.ts';
import { goPrint, goSyntax, goType } from './go-print.ts';
import { itemStep } from './item-step.ts';
import { isList, type Json, type JsonList } from './json.ts';
import { kindOf } from './kind-of.ts';

export interface Problem {
  /** `.spec.ports[0]`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/**
 * Stored objects may have duplicates in sets (nothing forbade them once); what someone applies may not. Most values fit,
 * so that is found out first, without a thought for messages.
 */
export function problemsOf(value: Json, type: TypeSchema, duplicates: Duplicates): Problem[] {
  return fits(value, type, duplicates) ? [] : problemsIn(value, type, duplicates);
}

export type Duplicates = 'allowed' | 'forbidden';

function fits(value: Json, type: TypeSchema, duplicates: Duplicates): boolean {
  if (value === null || isUntyped(type)) return true;
  if (isObject(value)) return type.map !== undefined && mapFits(value, type.map, duplicates);
  if (isList(value)) return type.list !== undefined && listFits(value, type.list, duplicates);
  return type.scalar === 'untyped' || typeof value === scalarTypes[type.scalar ?? 'untyped'];
}

const scalarTypes = { string: 'string', numeric: 'number', boolean: 'boolean', untyped: undefined } as const;

function mapFits(value: JsonObject, map: MapType, duplicates: Duplicates): boolean {
  for (const name of Object.keys(value)) {
    const type = map.fields.get(name)?.type ?? map.additional;
    if (type === undefined || !fits(value[name], type, duplicates)) return false;
  }
  return true;
}

function listFits(items: JsonList, list: ListType, duplicates: Duplicates): boolean {
  if (list.relationship !== 'atomic') {
    try {
      const steps = items.map((item) => itemStep(list, item));
      if (duplicates === 'forbidden' && new Set(steps).size < steps.length) return false;
    } catch {
      return false;
    }
  }
  return items.every((item) => fits(item, list.items, duplicates));
}

function problemsIn(value: Json, type: TypeSchema, duplicates: Duplicates): Problem[] {
  if (isUntyped(type)) return [];
  switch (kindOf(type, value)) {
    case 'map':
      if (value === null) return [];
      if (!isObject(value)) return problem(`expected map, got &{${goPrint(value)}}`);
      return type.map === undefined ? [] : mapProblems(value, type.map, duplicates);
    case 'scalar':
      return type.scalar === undefined ? [] : scalarProblems(value, type.scalar);
    case 'list':
      if (value === null) return [];
      if (!isList(value)) return problem(`expected list, got &{${goPrint(value)}}`);
      return type.list === undefined ? [] : listProblems(value, type.list, duplicates);
  }
}

export function printProblems(problems: readonly Problem[]): string {
  const lines = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return lines.length === 1 ? (lines[0] ?? '') : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Members in order of their names; the real server reports some member first, by chance. */
function mapProblems(value: JsonObject, map: MapType, duplicates: Duplicates): Problem[] {
  const problems: Problem[] = [];
  for (const name of Object.keys(value).sort(compareText)) {
    const type = map.fields.get(name)?.type ?? map.additional;
    const path = printStep(fieldStep(name));
    if (type === undefined) return [...problems, { path, message: 'field not declared in schema' }];
    problems.push(...below(path, problemsIn(value[name], type, duplicates)));
  }
  return problems;
}

function listProblems(items: JsonList, list: ListType, duplicates: Duplicates): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let step = `i:${index}`;
    if (list.relationship !== 'atomic') {
      try {
        step = itemStep(list, item);
      } catch (error) {
        return [...problems, ...problem(`element ${index}: ${(error as Error).message}`)];
      }
      if (seen.has(step) && duplicates === 'forbidden') {
        problems.push(...problem(`duplicate entries for key ${printStep(step)}`));
      }
      seen.add(step);
    }
    problems.push(...below(printStep(step), problemsIn(item, list.items, duplicates)));
  }
  return problems;
}

function scalarProblems(value: Json, scalar: Scalar): Problem[] {
  if (value === null) return [];
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? [] : problem(`expected numeric (int or float), got ${goType(value)}`);
    case 'string':
      return typeof value === 'string'
        ? []
        : problem(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case 'boolean':
      return typeof value === 'boolean' ? [] : problem(`expected boolean, got &{${goPrint(value)}}`);
    case 'untyped':
      return typeof value !== 'object' ? [] : problem(`expected any scalar, got &{${goPrint(value)}}`);
  }
}

function problem(message: string): Problem[] {
  return [{ path: '', message }];
}

function below(prefix: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ path, message }) => ({ path: prefix + path, message }));
}
