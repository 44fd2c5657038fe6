/** Mistakes in what stands in the expression itself: found when it is compiled, not when it runs. */
import { parseDuration } from '../formats/duration.ts';
import { regularExpression } from '../formats/regular-expression.ts';
import { parseTime } from '../formats/time.ts';
import type { Call, Expr } from './language/ast.ts';
import type { Checked } from './language/check.ts';
import type { Overload } from './language/environment.ts';
import { literalValue } from './language/literals.ts';
import { accepts } from './language/runtime-type.ts';
import type { Issue } from './language/source.ts';
import { dyn, isSameType, nameOf, optionalValue, showType, type Type } from './language/types.ts';
import { CelError, type Value } from './language/values.ts';
import { clauses, parsePattern } from './library/text-format.ts';

/** Adds an issue for each literal that a function cannot read, such as a regular expression. */
export function checkLiterals(checked: Checked, issues: Issue[]): void {
  checkOneType(checked.expr, checked.types, new Set(), issues);
  visit(checked.expr, new Set(), (call) => {
    const [first, second] = call.args;
    const pattern = call.target === undefined ? second : first;
    if (call.name === 'matches' && typeof literal(pattern) === 'string') {
      const isFine = !('problem' in regularExpression(String(literal(pattern))));
      if (!isFine) issues.push({ at: pattern?.at ?? call.at, message: 'invalid matches argument' });
    }
    const text = literal(first);
    if (call.target !== undefined || typeof text !== 'string') {
      if (call.name === 'format') checkFormat(call, checked.types, issues);
      return;
    }
    const at = first?.at ?? call.at;
    if (call.name === 'duration' && parseDuration(text) === undefined)
      issues.push({ at, message: 'invalid duration argument' });
    if (call.name === 'timestamp' && 'problem' in parseTime(text))
      issues.push({ at, message: 'invalid timestamp argument' });
  });
}

/** All elements of a list have one type, and all keys and values of a map; but for what is given to `format`. */
function checkOneType(expr: Expr, types: Checked['types'], seen: Set<Expr>, issues: Issue[]): void {
  if (seen.has(expr) || (expr.kind === 'call' && expr.name === 'format')) return;
  seen.add(expr);
  const typeOf = (value: Expr, isOptional = false): Type => {
    const type = types.get(value) ?? dyn;
    return isOptional ? (optionalValue(type) ?? type) : type;
  };
  if (expr.kind === 'list') {
    checkSame(
      expr.elements.map(({ value, isOptional }) => [value, typeOf(value, isOptional)]),
      true,
      issues,
    );
  }
  if (expr.kind === 'map') {
    checkSame(
      expr.entries.map(({ key }) => [key, typeOf(key)]),
      false,
      issues,
    );
    checkSame(
      expr.entries.map(({ value, isOptional }) => [value, typeOf(value, isOptional)]),
      false,
      issues,
    );
  }
  for (const part of partsOf(expr)) checkOneType(part, types, seen, issues);
}

function checkSame(elements: readonly (readonly [Expr, Type])[], onlyFirst: boolean, issues: Issue[]): void {
  const wanted = elements[0]?.[1] ?? dyn;
  const wrong = elements.filter(([, type]) => !isSameType(wanted, type));
  for (const [{ at }, type] of onlyFirst ? wrong.slice(0, 1) : wrong) {
    issues.push({ at, message: `expected type '${showType(wanted)}' but found '${showType(type)}'` });
  }
}

const conversions = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);

/**
 * What is computed before the expression ever runs, and cannot be: literals converted, and patterns to search for. The
 * real server goes further, and also finds a conversion of a conversion; here that is an error of the run.
 */
export function uncomputable(checked: Checked): string | undefined {
  let problem: string | undefined;
  visit(checked.expr, new Set(), (call) => {
    const { name, target, args } = call;
    const [first] = args;
    const arg = first?.kind === 'call' && first.name === 'dyn' ? first.args[0] : first;
    if ((name === 'find' || name === 'findAll') && typeof literal(arg) === 'string') {
      const expression = regularExpression(String(literal(arg)));
      if ('problem' in expression) problem ??= expression.problem;
    }
    if (target === undefined && conversions.has(name) && arg?.kind === 'literal') {
      const result = convert(checked.overloads.get(call) ?? [], literalValue(arg.value));
      if (result instanceof CelError) problem ??= result.message;
    }
  });
  return problem;
}

function convert(overloads: readonly Overload[], value: Value): Value | undefined {
  return overloads.find((each) => accepts(each, [value]))?.run(value);
}

function literal(expr: Expr | undefined): unknown {
  return expr?.kind === 'literal' ? expr.value : undefined;
}

function checkFormat({ at, target, args: [list] }: Call, types: Checked['types'], issues: Issue[]): void {
  const pattern = literal(target);
  if (typeof pattern !== 'string' || list?.kind !== 'list') return;
  const pieces = parsePattern(pattern);
  if ('problem' in pieces) {
    issues.push({ at, message: pieces.problem });
    return;
  }
  const wanted = pieces.filter((piece) => typeof piece !== 'string');
  for (const [i, { letter }] of wanted.entries()) {
    const arg = list.elements[i]?.value;
    if (arg === undefined) {
      issues.push({ at, message: `index ${i} out of range` });
      return;
    }
    const type = types.get(arg) ?? dyn;
    const { takes = [], problem = '' } = clauses.get(letter) ?? {};
    if (type.kind === 'dyn' || takes.includes(type.kind)) continue;
    issues.push({ at: arg.at, message: `error during formatting: ${problem}, was given ${runtimeName(type)}` });
    return;
  }
  if (list.elements.length > wanted.length) {
    const message = `too many arguments supplied to string.format (expected ${wanted.length}, got ${list.elements.length})`;
    issues.push({ at, message });
  }
}

function runtimeName(type: Type): string {
  if (type.kind === 'timestamp') return 'google.protobuf.Timestamp';
  return type.kind === 'duration' ? 'google.protobuf.Duration' : nameOf(type);
}

/** Every call once, also where a macro put it in several places. */
function visit(expr: Expr, seen: Set<Expr>, use: (call: Call) => void): void {
  if (seen.has(expr)) return;
  seen.add(expr);
  if (expr.kind === 'call') use(expr);
  for (const part of partsOf(expr)) visit(part, seen, use);
}

function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements.map(({ value }) => value);
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}
