/**
 * Running checked expressions, with a bound on what they cost.
 *
 * Promises: an error is a value like any other until something needs the value; evaluation ends when the budget does.
 */
import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr } from './language/ast.ts';
import type { Budget } from './language/budget.ts';
import type { Checked } from './language/check.ts';
import { listCost, mapCost, structCost } from './language/cost.ts';
import type { Overload } from './language/environment.ts';
import { literalValue } from './language/literals.ts';
import { accepts, typeName } from './language/runtime-type.ts';
import {
  CelError,
  Entries,
  Items,
  keyText,
  ListValue,
  MapValue,
  noSuchOverload,
  Optional,
  TypeValue,
  type Value,
} from './language/values.ts';
import { showValue } from './library/conversions.ts';

/** The values of variables, by slot. */
interface Frame {
  readonly slots: Value[];
  readonly budget: Budget;
}

type Step = (frame: Frame) => Value;

/** Runs an expression with these variables; throws `BudgetExceeded` when it costs too much. */
export type Program = (variables: ReadonlyMap<string, Value>, budget: Budget) => Value;

/** `names` are the variables that a run gives. */
export function compile(checked: Checked, names: readonly string[]): Program {
  const slots = new Map(names.map((name, i) => [name, i]));
  const step = new Compiler(checked).compile(checked.expr, { slots, next: names.length });
  return (variables, budget) => step({ slots: names.map((name) => variables.get(name) ?? null), budget });
}

/** Which slot a name means here, and the first that is free. */
interface Scope {
  readonly slots: ReadonlyMap<string, number>;
  readonly next: number;
}

class Compiler {
  readonly #checked: Checked;
  constructor(checked: Checked) {
    this.#checked = checked;
  }

  compile(expr: Expr, scope: Scope): Step {
    switch (expr.kind) {
      case 'literal': {
        const value = literalValue(expr.value);
        return () => value;
      }
      case 'ident':
        return this.#ident(expr.name, scope);
      case 'select':
        return this.#select(expr, scope);
      case 'call':
        return this.#call(expr, scope);
      case 'list':
        return this.#list(expr, scope);
      case 'map':
        return this.#map(expr, scope);
      case 'struct':
        return this.#struct(expr, scope);
      case 'comprehension':
        return this.#comprehension(expr, scope);
    }
  }

  #ident(name: string, scope: Scope): Step {
    const plain = name.startsWith('.') ? name.slice(1) : name;
    const slot = scope.slots.get(plain);
    const type = new TypeValue(plain);
    return ({ slots, budget }) => {
      budget.spend(1);
      return slot === undefined ? type : (slots[slot] ?? null);
    };
  }

  #select(expr: Select, scope: Scope): Step {
    const name = this.#checked.functions.get(expr);
    if (name !== undefined) return this.#ident(name, scope);
    const operand = this.compile(expr.operand, scope);
    const { field, isTest } = expr;
    return (frame) => {
      const value = operand(frame);
      if (value instanceof CelError) return value;
      if (isTest) return has(value, field);
      frame.budget.spend(1);
      return select(value, field);
    };
  }

  #call(expr: Call, scope: Scope): Step {
    const isFunction = this.#checked.functions.has(expr);
    const operands = expr.target === undefined || isFunction ? expr.args : [expr.target, ...expr.args];
    const steps = operands.map((operand) => this.compile(operand, scope));
    const [first, second, third] = steps;
    switch (expr.name) {
      case '_&&_':
        return logical(false, first as Step, second as Step);
      case '_||_':
        return logical(true, first as Step, second as Step);
      case '_?_:_':
        return conditional(first as Step, second as Step, third as Step);
      case '@not_strictly_false':
        return (frame) => (first as Step)(frame) !== false;
      case '_?._':
        return optionalSelect(first as Step, expr.args[1]);
      case 'orValue':
      case 'or':
        return orElse(expr.name, first as Step, second as Step);
    }
    return strict(this.#checked.functions.get(expr) ?? expr.name, steps, this.#checked.overloads.get(expr) ?? []);
  }

  #list({ elements }: ListExpr, scope: Scope): Step {
    const steps = elements.map(({ value, isOptional }) => ({ step: this.compile(value, scope), isOptional }));
    return (frame) => {
      const items: Value[] = [];
      for (const { step, isOptional } of steps) {
        const value = step(frame);
        if (value instanceof CelError) return value;
        if (!isOptional) items.push(value);
        else if (!(value instanceof Optional))
          return new CelError('cannot initialize optional list element from non-optional value');
        else if (value.value !== undefined) items.push(value.value);
      }
      frame.budget.spend(listCost);
      return new Items(items);
    };
  }

  #map({ entries }: MapExpr, scope: Scope): Step {
    const steps = entries.map(({ key, value, isOptional }) => ({
      key: this.compile(key, scope),
      value: this.compile(value, scope),
      isOptional,
    }));
    return (frame) => {
      const map = new Map<string, readonly [Value, Value]>();
      for (const { key, value, isOptional } of steps) {
        const [k, v] = [key(frame), value(frame)];
        if (k instanceof CelError) return k;
        if (v instanceof CelError) return v;
        const text = keyText(k);
        if (text === undefined) return new CelError('unsupported key type');
        if (!isOptional) map.set(text, [k, v]);
        else if (!(v instanceof Optional))
          return new CelError('cannot initialize optional entry from non-optional value');
        else if (v.value !== undefined) map.set(text, [k, v.value]);
      }
      frame.budget.spend(mapCost);
      return new Entries(map);
    };
  }

  #struct(expr: StructExpr, scope: Scope): Step {
    const struct = this.#checked.structs.get(expr);
    if (struct === undefined) return () => new CelError(`unknown type: ${expr.name}`);
    const steps = expr.fields.map(({ name, value, isOptional }) => ({
      name,
      step: this.compile(value, scope),
      isOptional,
    }));
    return (frame) => {
      const fields = new Map<string, Value>();
      for (const { name, step, isOptional } of steps) {
        const value = step(frame);
        if (value instanceof CelError) return value;
        if (!isOptional) fields.set(name, value);
        else if (!(value instanceof Optional))
          return new CelError('cannot initialize optional entry from non-optional value');
        else if (value.value !== undefined) fields.set(name, value.value);
      }
      frame.budget.spend(structCost);
      return struct.make(fields);
    };
  }

  #comprehension(expr: Comprehension, scope: Scope): Step {
    const slot = scope.next;
    const next = slot + 3;
    const gathered = { slots: new Map(scope.slots).set(expr.gathers, slot), next };
    const variables = new Map(gathered.slots).set(expr.variable, slot + 1);
    if (expr.second !== undefined) variables.set(expr.second, slot + 2);
    const inner = { slots: variables, next };
    const range = this.compile(expr.range, scope);
    const init = this.compile(expr.init, scope);
    const condition = this.compile(expr.condition, inner);
    const step = this.compile(expr.step, inner);
    const result = this.compile(expr.result, gathered);
    const hasSecond = expr.second !== undefined;
    return (frame) => {
      const { slots } = frame;
      const values = range(frame);
      if (values instanceof CelError) return values;
      const pairs = pairsOf(values, hasSecond);
      if (pairs instanceof CelError) return pairs;
      let accumulated = init(frame);
      slots[slot] = accumulated;
      for (const [first, second] of pairs) {
        slots[slot + 1] = first;
        slots[slot + 2] = second;
        const goesOn = condition(frame);
        if (goesOn !== true) break;
        accumulated = step(frame);
        slots[slot] = accumulated;
      }
      return result(frame);
    };
  }
}

/** Operators say less than functions, and indexes something of their own. */
function mismatch(name: string, args: readonly Value[]): CelError {
  const [container, key = null] = args;
  if (name === '_[_]' && container instanceof ListValue) {
    return new CelError(`unsupported index type '${typeName(key)}' in list`);
  }
  if (name === '_[_]' || name === '_[?_]') return new CelError(`no such key: ${showValue(key)}`);
  const isContainer = container instanceof ListValue || container instanceof MapValue;
  if (name === 'size' || (isContainer && /^_[-<>=*/%]+_$/.test(name))) return noSuchOverload(name);
  const isPlain = /[^\w.]/.test(name) || ['contains', 'endsWith', 'startsWith', 'matches'].includes(name);
  return noSuchOverload(isPlain ? '' : `${name}(${args.map(typeName).join(', ')})`);
}

function* pairs(values: ListValue | MapValue, hasSecond: boolean): Iterable<readonly [Value, Value]> {
  if (values instanceof ListValue) {
    let index = 0n;
    for (const item of values) yield hasSecond ? [index++, item] : [item, null];
    return;
  }
  for (const key of values.keys()) yield [key, hasSecond ? (values.get(key) ?? null) : null];
}

function pairsOf(values: Value, hasSecond: boolean): Iterable<readonly [Value, Value]> | CelError {
  if (values instanceof ListValue || values instanceof MapValue) return pairs(values, hasSecond);
  const type = typeName(values).replace(/^.*\./, '');
  const name = `types.${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  return new CelError(
    hasSecond ? `unsupported comprehension range type: ${name}` : `got '${name}', expected iterable type`,
  );
}

function has(value: Value, field: string): Value {
  if (value instanceof Optional) return value.value === undefined ? false : has(value.value, field);
  const found = value instanceof MapValue ? value.get(field) : undefined;
  return found instanceof CelError ? found : found !== undefined;
}

function select(value: Value, field: string): Value {
  if (value instanceof Optional) return selectOptional(value, field);
  const found = value instanceof MapValue ? value.get(field) : undefined;
  return found === undefined ? new CelError(`no such key: ${field}`) : found;
}

function selectOptional(value: Value, field: string): Value {
  const inner = value instanceof Optional ? value.value : value;
  const found = inner instanceof MapValue ? inner.get(field) : undefined;
  return found instanceof CelError ? found : new Optional(found);
}

function optionalSelect(operand: Step, field: Expr | undefined): Step {
  const name = field?.kind === 'literal' ? String(field.value) : '';
  return (frame) => {
    const value = operand(frame);
    frame.budget.spend(1);
    return value instanceof CelError ? value : selectOptional(value, name);
  };
}

/** The one operand that decides hides an error of the other. */
function logical(decisive: boolean, left: Step, right: Step): Step {
  const asBool = (value: Value) => (typeof value === 'boolean' || value instanceof CelError ? value : noSuchOverload());
  return (frame) => {
    const first = asBool(left(frame));
    if (first === decisive) return decisive;
    const second = asBool(right(frame));
    return second === decisive || first === !decisive ? second : first;
  };
}

function conditional(condition: Step, yes: Step, no: Step): Step {
  return (frame) => {
    const value = condition(frame);
    if (value instanceof CelError) return value;
    return typeof value === 'boolean' ? (value ? yes : no)(frame) : noSuchOverload();
  };
}

/** The other value is looked at only when there is none. */
function orElse(name: string, left: Step, right: Step): Step {
  return (frame) => {
    const value = left(frame);
    // A null passes for an optional, and for its value.
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return right(frame);
    return name === 'or' ? value : value.value;
  };
}

function strict(name: string, steps: readonly Step[], overloads: readonly Overload[]): Step {
  return (frame) => {
    const args: Value[] = [];
    for (const step of steps) {
      const value = step(frame);
      if (value instanceof CelError) return value;
      args.push(value);
    }
    const found = overloads.find((each) => accepts(each, args));
    if (found === undefined) {
      frame.budget.spend(1);
      return mismatch(name, args);
    }
    const result = found.run(...args);
    // Paid afterwards, like the real server: what one call can cost is bounded by the sizes of its arguments.
    frame.budget.spend(found.cost?.(args, result) ?? 1);
    return result;
  };
}
